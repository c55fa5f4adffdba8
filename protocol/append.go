package protocol

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string in the compact encoding that quotas
// are counted on: literal Unicode, unescaped '/', the short escapes where JSON
// has one. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; ; {
		i = plain(s, i)
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// escapedLen returns how many bytes AppendString writes for r.
func escapedLen(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
		return 2
	case r < 0x20:
		return 6
	}
	return utf8.RuneLen(r)
}

// stringSize returns the length of what AppendString writes for s.
func stringSize(s string) int {
	size := 2
	start := 0
	for i := 0; ; {
		i = plain(s, i)
		if i == len(s) {
			return size + len(s) - start
		}
		if s[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				size += i - start + len("\uFFFD")
				start = i + 1
			}
			i += n
			continue
		}
		size += i - start + escapedLen(rune(s[i]))
		i++
		start = i
	}
}

// appendFloat appends f as a JSON number. JSON has no NaN and no infinity;
// they are written as 0 so that one bad measure cannot break a line.
func appendFloat(dst []byte, f float64) []byte {
	a := math.Abs(f)
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return append(dst, '0')
	case a != 0 && (a < 1e-6 || a >= 1e21):
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// Builder writes one JSON object without reflection. Its methods return it, so
// that calls chain; Bytes closes the object.
type Builder struct {
	b     []byte
	begun bool
}

// NewObject begins an object at the end of dst.
func NewObject(dst []byte) *Builder { return &Builder{b: append(dst, '{')} }

func (o *Builder) key(k string) {
	if o.begun {
		o.b = append(o.b, ',')
	}
	o.begun = true
	o.b = append(AppendString(o.b, k), ':')
}

// Str adds a string.
func (o *Builder) Str(k, v string) *Builder {
	o.key(k)
	o.b = AppendString(o.b, v)
	return o
}

// OptStr adds a string unless it is empty.
func (o *Builder) OptStr(k, v string) *Builder {
	if v == "" {
		return o
	}
	return o.Str(k, v)
}

// Int adds an integer.
func (o *Builder) Int(k string, v int64) *Builder {
	o.key(k)
	o.b = strconv.AppendInt(o.b, v, 10)
	return o
}

// Bool adds a boolean.
func (o *Builder) Bool(k string, v bool) *Builder {
	o.key(k)
	o.b = strconv.AppendBool(o.b, v)
	return o
}

// Float adds a number; NaN and the infinities are written as 0.
func (o *Builder) Float(k string, v float64) *Builder {
	o.key(k)
	o.b = appendFloat(o.b, v)
	return o
}

// Raw adds a value that is JSON already; nil is written as null.
func (o *Builder) Raw(k string, json []byte) *Builder {
	o.key(k)
	if json == nil {
		o.b = append(o.b, "null"...)
		return o
	}
	o.b = append(o.b, json...)
	return o
}

// Strs adds an array of strings; nil is the empty array.
func (o *Builder) Strs(k string, v []string) *Builder {
	o.key(k)
	o.b = AppendStrings(o.b, v)
	return o
}

// With adds a value that appendTo writes, for values that have an AppendX.
func (o *Builder) With(k string, appendTo func(dst []byte) []byte) *Builder {
	o.key(k)
	o.b = appendTo(o.b)
	return o
}

// Bytes closes the object and returns all that was built. The Builder is spent.
func (o *Builder) Bytes() []byte { return append(o.b, '}') }

// AppendStrings appends a JSON array of strings.
func AppendStrings(dst []byte, v []string) []byte {
	dst = append(dst, '[')
	for i, s := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}
