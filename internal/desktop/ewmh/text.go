package ewmh

import (
	"strings"
	"unicode/utf8"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// decodeUTF8 takes a property that says it is UTF-8.
func decodeUTF8(b []byte) string { return window.Text(string(b)) }

// decodeLatin1 takes the encoding of the type STRING.
func decodeLatin1(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return window.Text(s.String())
}

const esc = 0x1b

// decodeCompound takes COMPOUND_TEXT: ISO 2022 with Latin-1 to begin with.
// UTF-8 segments are read; of the other character sets, that no program of
// today writes without a UTF-8 title beside it, letters become U+FFFD.
func decodeCompound(b []byte) string {
	var s strings.Builder
	left, right := charset{}, charset{latin1: true} // what bytes below and above 0x80 mean
	left.latin1 = true
	for i := 0; i < len(b); {
		if b[i] == esc {
			i = designate(b, i, &s, &left, &right)
			continue
		}
		set := left
		if b[i] >= 0x80 {
			set = right
		}
		switch {
		case set.latin1 || b[i] <= ' ':
			s.WriteRune(rune(b[i]))
			i++
		case set.double && i+1 < len(b):
			s.WriteRune(utf8.RuneError)
			i += 2
		default:
			s.WriteRune(utf8.RuneError)
			i++
		}
	}
	return window.Text(s.String())
}

// charset is a character set that was switched to.
type charset struct{ latin1, double bool }

// designate reads the escape sequence at b[i], and what it encloses where it
// says how long that is, and returns where it ends.
func designate(b []byte, i int, s *strings.Builder, left, right *charset) int {
	end := i + 1
	for end < len(b) && b[end] >= 0x20 && b[end] <= 0x2f {
		end++
	}
	if end >= len(b) {
		return len(b)
	}
	between, final := string(b[i+1:end]), b[end]
	end++
	switch {
	case between == "(":
		*left = charset{latin1: final == 'B' || final == 'J'}
	case between == "-", between == ")":
		*right = charset{latin1: between == "-" && final == 'A'}
	case between == "$(" || between == "$":
		*left = charset{double: true}
	case between == "$)":
		*right = charset{double: true}
	case between == "%" && final == 'G':
		rest := b[end:]
		text := rest
		if n := strings.Index(string(rest), "\x1b%@"); n >= 0 {
			text = rest[:n]
			end += n + len("\x1b%@")
		} else {
			end = len(b)
		}
		s.WriteString(strings.ToValidUTF8(string(text), "\uFFFD"))
	case between == "%/" && end+2 > len(b):
		return len(b)
	case between == "%/":
		n := int(b[end]&0x7f)<<7 | int(b[end+1]&0x7f)
		s.WriteRune(utf8.RuneError)
		end = min(end+2+n, len(b))
	}
	return end
}

// splitClass reads WM_CLASS: the instance and the class, each ended by a NUL.
func splitClass(b []byte) (instance, class string) {
	instance, rest, _ := strings.Cut(string(b), "\x00")
	class, _, _ = strings.Cut(rest, "\x00")
	return strings.ToValidUTF8(instance, ""), strings.ToValidUTF8(class, "")
}
