package draw

import "strings"

// unicodeRange is a part of Unicode as the OS/2 table counts them. Only the parts
// that interface fonts commonly lack are here; the rest is asked by cmap.
type unicodeRange struct {
	from, to rune
	bit      uint8
}

var unicodeRanges = [...]unicodeRange{
	{0x0000, 0x007f, 0}, {0x0080, 0x00ff, 1}, {0x0100, 0x017f, 2}, {0x0180, 0x024f, 3}, {0x0250, 0x02af, 4},
	{0x02b0, 0x02ff, 5}, {0x0300, 0x036f, 6}, {0x0370, 0x03ff, 7}, {0x0400, 0x052f, 9}, {0x0530, 0x058f, 10},
	{0x0590, 0x05ff, 11}, {0x0600, 0x06ff, 13}, {0x0700, 0x074f, 71}, {0x0750, 0x077f, 13}, {0x0780, 0x07bf, 72},
	{0x07c0, 0x07ff, 14}, {0x08a0, 0x08ff, 13}, {0x0900, 0x097f, 15}, {0x0980, 0x09ff, 16}, {0x0a00, 0x0a7f, 17},
	{0x0a80, 0x0aff, 18}, {0x0b00, 0x0b7f, 19}, {0x0b80, 0x0bff, 20}, {0x0c00, 0x0c7f, 21}, {0x0c80, 0x0cff, 22},
	{0x0d00, 0x0d7f, 23}, {0x0d80, 0x0dff, 73}, {0x0e00, 0x0e7f, 24}, {0x0e80, 0x0eff, 25}, {0x0f00, 0x0fff, 70},
	{0x1000, 0x109f, 74}, {0x10a0, 0x10ff, 26}, {0x1100, 0x11ff, 28}, {0x1200, 0x139f, 75}, {0x13a0, 0x13ff, 76},
	{0x1400, 0x167f, 77}, {0x1680, 0x169f, 78}, {0x16a0, 0x16ff, 79}, {0x1780, 0x17ff, 80}, {0x1800, 0x18af, 81},
	{0x1b00, 0x1b7f, 27}, {0x1e00, 0x1eff, 29}, {0x1f00, 0x1fff, 30}, {0x2000, 0x206f, 31}, {0x2070, 0x209f, 32},
	{0x20a0, 0x20cf, 33}, {0x20d0, 0x20ff, 34}, {0x2100, 0x214f, 35}, {0x2150, 0x218f, 36}, {0x2190, 0x21ff, 37},
	{0x2200, 0x22ff, 38}, {0x2300, 0x23ff, 39}, {0x2400, 0x243f, 40}, {0x2460, 0x24ff, 42}, {0x2500, 0x257f, 43},
	{0x2580, 0x259f, 44}, {0x25a0, 0x25ff, 45}, {0x2600, 0x26ff, 46}, {0x2700, 0x27bf, 47}, {0x27f0, 0x27ff, 37},
	{0x2800, 0x28ff, 82}, {0x2e80, 0x2fdf, 59}, {0x3000, 0x303f, 48}, {0x3040, 0x309f, 49}, {0x30a0, 0x30ff, 50},
	{0x3100, 0x312f, 51}, {0x3130, 0x318f, 52}, {0x31f0, 0x31ff, 50}, {0x3200, 0x32ff, 54}, {0x3300, 0x33ff, 55},
	{0x3400, 0x4dbf, 59}, {0x4e00, 0x9fff, 59}, {0xa000, 0xa4cf, 83}, {0xac00, 0xd7af, 56}, {0xe000, 0xf8ff, 60},
	{0xf900, 0xfaff, 61}, {0xfb00, 0xfb4f, 62}, {0xfb50, 0xfdff, 63}, {0xfe70, 0xfeff, 67}, {0xff00, 0xffef, 68},
	{0x10000, 0x10ffff, 57},
}

const (
	bitArabic = 13
	bitHan    = 59
)

// rangeOf returns the bit of the part of Unicode that r is in, -1 for none.
func rangeOf(r rune) int {
	lo, hi := 0, len(unicodeRanges)
	for lo < hi {
		m := (lo + hi) / 2
		switch u := &unicodeRanges[m]; {
		case r < u.from:
			hi = m
		case r > u.to:
			lo = m + 1
		default:
			return int(u.bit)
		}
	}
	return -1
}

// isEastAsian says whether the part of Unicode is written with the big fonts of
// Chinese, Japanese and Korean, which need no shaping.
func isEastAsian(bit int) bool {
	switch bit {
	case 48, 49, 50, 51, 52, 54, 55, 56, bitHan, 61, 68:
		return true
	}
	return false
}

// preferred are families that suit a part of Unicode beside interface text.
func preferred(bit int, lang string) []string {
	switch {
	case bit == bitArabic || bit == 63 || bit == 67:
		return []string{"Noto Sans Arabic", "Noto Sans Arabic UI", "Noto Kufi Arabic", "Noto Naskh Arabic UI", "Noto Naskh Arabic", "DejaVu Sans", "Geeza Pro"}
	case bit == 24:
		return []string{"Noto Sans Thai", "Noto Sans Thai UI", "Noto Looped Thai", "Loma", "Thonburi"}
	case bit == 11 || bit == 62:
		return []string{"Noto Sans Hebrew", "DejaVu Sans", "Arial Hebrew"}
	case bit == 56 || bit == 52 || bit == 28:
		return []string{"Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo", "Nanum Gothic", "UnDotum"}
	case isEastAsian(bit):
		return eastAsian(bit, lang)
	}
	return []string{"Noto Sans", "DejaVu Sans", "Noto Sans Symbols2", "Noto Sans Symbols", "Apple Symbols"}
}

// eastAsian orders the fonts whose Han characters look as in the user's language;
// kana are Japanese in any language.
func eastAsian(bit int, lang string) []string {
	order := []string{"SC", "JP", "TC", "KR"}
	switch {
	case strings.HasPrefix(lang, "ja") || bit == 49 || bit == 50:
		order = []string{"JP", "SC", "TC", "KR"}
	case strings.HasPrefix(lang, "ko"):
		order = []string{"KR", "SC", "JP", "TC"}
	case strings.HasPrefix(lang, "zh_TW"), strings.HasPrefix(lang, "zh_HK"):
		order = []string{"TC", "HK", "SC", "JP"}
	}
	var out []string
	for _, o := range order {
		out = append(out, "Noto Sans CJK "+o, "Noto Sans "+o)
	}
	return append(out, "Source Han Sans", "PingFang SC", "Hiragino Sans", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "IPAGothic", "VL Gothic")
}

// isEmoji says whether r is shown in colour where nothing says otherwise.
func isEmoji(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff:
		return r >= 0x1f300 || r == 0x1f004 || r == 0x1f0cf || r == 0x1f18e || r >= 0x1f191 && r <= 0x1f19a || r >= 0x1f1e6 && r <= 0x1f1ff || r >= 0x1f200 && r <= 0x1f265
	case r < 0x231a || r > 0x2b55:
		return false
	}
	switch r {
	case 0x231a, 0x231b, 0x23e9, 0x23ea, 0x23eb, 0x23ec, 0x23f0, 0x23f3, 0x25fd, 0x25fe, 0x2614, 0x2615,
		0x267f, 0x2693, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26d4, 0x26ea,
		0x26f2, 0x26f3, 0x26f5, 0x26fa, 0x26fd, 0x2705, 0x270a, 0x270b, 0x2728, 0x274c, 0x274e, 0x2753,
		0x2754, 0x2755, 0x2757, 0x2795, 0x2796, 0x2797, 0x27b0, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b55:
		return true
	}
	return r >= 0x2648 && r <= 0x2653
}
