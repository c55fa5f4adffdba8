package match

import "unicode"

// undecomposable returns what the lower-case character r folds to where Unicode
// does not take it apart: stroked and hooked letters, ligatures that are
// letters, and the typographic twins of typed punctuation. a is 0 for any other.
func undecomposable(r rune) (a, b rune) {
	switch r {
	case 'ß':
		return 's', 's'
	case 'æ':
		return 'a', 'e'
	case 'œ':
		return 'o', 'e'
	case 'þ':
		return 't', 'h'
	case 'ı', 'ɨ', 'ɩ':
		return 'i', 0
	case 'ø', 'ɵ', 'ɔ':
		return 'o', 0
	case 'ł', 'ƚ', 'ɫ', 'ɬ', 'ŀ':
		return 'l', 0
	case 'đ', 'ð', 'ɖ', 'ɗ', 'ƌ':
		return 'd', 0
	case 'ŧ', 'ƫ', 'ƭ', 'ʈ', 'ⱦ':
		return 't', 0
	case 'ħ', 'ɦ':
		return 'h', 0
	case 'ŋ', 'ɲ', 'ƞ':
		return 'n', 0
	case 'ĸ', 'ƙ':
		return 'k', 0
	case 'ƀ', 'ɓ':
		return 'b', 0
	case 'ƈ', 'ȼ':
		return 'c', 0
	case 'ə', 'ɇ', 'ɛ', 'ǝ':
		return 'e', 0
	case 'ƒ':
		return 'f', 0
	case 'ǥ', 'ɠ':
		return 'g', 0
	case 'ɉ':
		return 'j', 0
	case 'ƥ':
		return 'p', 0
	case 'ɍ':
		return 'r', 0
	case 'ʂ', 'ȿ':
		return 's', 0
	case 'ʉ':
		return 'u', 0
	case 'ʋ':
		return 'v', 0
	case 'ƴ', 'ɏ':
		return 'y', 0
	case 'ƶ', 'ȥ', 'ɀ':
		return 'z', 0
	case 'ς':
		return 'σ', 0
	case '‘', '’', 'ʼ', '′':
		return '\'', 0
	case '“', '”', '„', '″':
		return '"', 0
	case '‐', '‑', '‒', '–', '—', '−':
		return '-', 0
	}
	return 0, 0
}

// accent says whether r is a mark that folding drops. Marks that carry vowels
// (Devanagari, Thai …) or make another letter (kana) are none.
func accent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36f, // combining diacritical marks
		r >= 0x483 && r <= 0x489,                              // Cyrillic
		r >= 0x591 && r <= 0x5c7 && unicode.Is(unicode.Mn, r), // Hebrew points
		r >= 0x610 && r <= 0x61a, r >= 0x64b && r <= 0x65f, r == 0x670,
		r >= 0x6d6 && r <= 0x6ed && unicode.Is(unicode.Mn, r), // Arabic points
		r >= 0x1ab0 && r <= 0x1aff, r >= 0x1dc0 && r <= 0x1dff,
		r >= 0x20d0 && r <= 0x20ff,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xfe20 && r <= 0xfe2f, // variation selectors, half marks
		r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// ignorable says whether r is something nobody types: format characters (soft
// hyphen, joiners, direction marks), the letter-lengthening tatweel, trademark
// and copyright signs.
func ignorable(r rune) bool {
	switch r {
	case '™', '®', '©', '℠', 0x640:
		return true
	}
	return r >= 0xad && unicode.Is(unicode.Cf, r)
}
