package calculator

import (
	"strings"
	"unicode/utf8"
)

// How a number's signs are read. Where both a comma and a point stand, the last
// is the decimal sign: 1,234.5 and 1.234,5 mean the same in every style. Where
// one of them stands once, the style decides if thousands are possible (1,234),
// and else it is the decimal sign (0,5 and 1,23). Where it stands several times
// it must be the style's sign for thousands, in threes.

// run is the digits of one number and the signs between them.
type run struct {
	segments []string
	signs    []rune // signs[i] stands between segments[i] and segments[i+1]
}

// run takes the longest stretch of digits and signs that are followed by one.
func (l *lexer) run() run {
	list := len(l.lists) > 0 && l.lists[len(l.lists)-1]
	var r run
	begin, open := l.at, 0
	cut := func(sign rune, width int) {
		r.segments = append(r.segments, strings.ReplaceAll(l.text[begin:l.at], "_", ""))
		r.signs = append(r.signs, sign)
		l.at += width
		begin = l.at
	}
	for l.at < len(l.text) {
		sign, width := utf8.DecodeRuneInString(l.text[l.at:])
		next := l.at + width
		followed := next < len(l.text) && digit(l.text[next])
		switch {
		case digit(l.text[l.at]), sign == '_' && followed && l.at > begin:
			l.at++
			continue
		// In a list of arguments a comma ends the argument, unless it is how
		// decimals are written; there, one that is followed by a space does.
		case sign == ',' && list && !l.style.comma:
		case followed && (sign == '.' || sign == ',' || groupsOnly(sign)):
			cut(sign, width)
			continue
		case next == len(l.text) && !list && (sign == '.' || sign == ','): // `2.` on its way to 2.5
			open = width
		}
		break
	}
	r.segments = append(r.segments, strings.ReplaceAll(l.text[begin:l.at], "_", ""))
	l.at += open
	return r
}

// groupsOnly are the signs between thousands that are no decimal sign anywhere:
// 1'000 in Switzerland, and the spaces of French and of the SI.
func groupsOnly(r rune) bool {
	switch r {
	case '\'', '’', '\u00a0', '\u2009', '\u202f':
		return true
	}
	return false
}

// split parts the whole digits from those of the fraction.
func (r run) split(st style) (whole, fraction string, ok bool) {
	wholes, n := r.segments, len(r.signs)
	if n > 0 && !groupsOnly(r.signs[n-1]) {
		last, once := r.signs[n-1], true
		for _, s := range r.signs[:n-1] {
			once = once && s != last
		}
		if once && (n > 1 || last != st.group() || !inThrees(r.segments)) {
			wholes, fraction = r.segments[:n], r.segments[n]
			n--
		} else if last != st.group() {
			return "", "", false
		}
	}
	for _, s := range r.signs[:n] {
		if s != r.signs[0] {
			return "", "", false
		}
	}
	if n > 0 && !inThrees(wholes) {
		return "", "", false
	}
	if whole = strings.Join(wholes, ""); whole == "" {
		whole = "0"
	}
	return whole, fraction, true
}

// inThrees reports whether the segments are those of a number such as 12,345,678.
func inThrees(segments []string) bool {
	if n := len(segments[0]); n < 1 || n > 3 || segments[0][0] == '0' {
		return false
	}
	for _, s := range segments[1:] {
		if len(s) != 3 {
			return false
		}
	}
	return true
}
