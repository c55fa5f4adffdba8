package ewmh

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

const esc = 0x1b

// decodeCompound takes COMPOUND_TEXT: ISO 2022 with Latin-1 to begin with. It is
// what xterm and others of its age write of a title that Latin-1 has not, with
// no UTF-8 title beside it. Letters of character sets that are not known become
// U+FFFD.
func decodeCompound(b []byte) string {
	var s strings.Builder
	left, right := charset{ascii: true}, charset{upper: charmap.ISO8859_1} // what bytes below and above 0x80 mean
	for i := 0; i < len(b); {
		if b[i] == esc {
			i = designate(b, i, &s, &left, &right)
			continue
		}
		set := left
		if b[i] >= 0x80 {
			set = right
		}
		if b[i] <= ' ' {
			s.WriteByte(b[i])
			i++
			continue
		}
		n := min(max(set.bytes, 1), len(b)-i)
		s.WriteString(set.read(b[i : i+n]))
		i += n
	}
	return window.Text(s.String())
}

// charset is a character set that was switched to.
type charset struct {
	ascii bool
	bytes int               // a letter has, where not one
	upper encoding.Encoding // reads its letters with the upper bits set; nil where it is not known
	lead  byte              // goes before each letter
}

// read is the letter of b.
func (c charset) read(b []byte) string {
	if c.ascii {
		return string(b)
	}
	if c.upper == nil || len(b) < c.bytes {
		return string(utf8.RuneError)
	}
	in := make([]byte, 0, 4)
	if c.lead != 0 {
		in = append(in, c.lead)
	}
	for _, v := range b {
		in = append(in, v|0x80)
	}
	out, err := c.upper.NewDecoder().Bytes(in)
	if err != nil || len(out) == 0 {
		return string(utf8.RuneError)
	}
	return string(out)
}

// half is the upper half of an encoding of one byte a letter, by the last byte
// of the sequence that switches to it.
func half(final byte) (c charset) {
	switch final {
	case 'A':
		c.upper = charmap.ISO8859_1
	case 'B':
		c.upper = charmap.ISO8859_2
	case 'C':
		c.upper = charmap.ISO8859_3
	case 'D':
		c.upper = charmap.ISO8859_4
	case 'F':
		c.upper = charmap.ISO8859_7
	case 'G':
		c.upper = charmap.ISO8859_6
	case 'H':
		c.upper = charmap.ISO8859_8
	case 'L':
		c.upper = charmap.ISO8859_5
	case 'M':
		c.upper = charmap.ISO8859_9
	case 'b':
		c.upper = charmap.ISO8859_15
	}
	return c
}

// double is a character set of two bytes a letter.
func double(final byte) charset {
	c := charset{bytes: 2}
	switch final {
	case 'A': // GB 2312
		c.upper = simplifiedchinese.GBK
	case 'B': // JIS X 0208
		c.upper = japanese.EUCJP
	case 'C': // KS C 5601
		c.upper = korean.EUCKR
	case 'D': // JIS X 0212, which is behind a byte of its own
		c.upper, c.lead = japanese.EUCJP, 0x8f
	}
	return c
}

// kana is the upper half of JIS X 0201.
func kana() charset { return charset{upper: japanese.EUCJP, lead: 0x8e} }

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
	case between == "(" && final == 'I':
		*left = kana()
	case between == "(":
		*left = charset{ascii: final == 'B' || final == 'J'}
	case between == ")" && final == 'I':
		*right = kana()
	case between == ")":
		*right = charset{}
	case between == "-":
		*right = half(final)
	case between == "$(" || between == "$":
		*left = double(final)
	case between == "$)":
		*right = double(final)
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
