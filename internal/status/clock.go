package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clock reads `T:format`.
func (p *parser) clock(open, lo, end int) (node, bool) {
	format := unescape(p.s[lo:end])
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		if i == len(format) || !strings.ContainsRune("aAbBdeFHIjmMpRSTyYZ%", rune(format[i])) {
			p.fault(open, "the time format has an unknown %", "use %H %M %S %I %p %R %T %a %A %d %e %b %B %m %y %Y %F %j %Z, or %% for the sign")
			return node{}, false
		}
	}
	return node{kind: kindTime, text: format}, true
}

// strftime writes a time and returns how long it stays true: a second, a
// minute, or 0 where the format shows no time at all.
func strftime(format string, t time.Time) (string, time.Duration) {
	var b strings.Builder
	var unit time.Duration
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		c := format[i]
		switch {
		case c == 'S' || c == 'T':
			unit = time.Second
		case c != '%' && unit == 0:
			// A date changes at a minute too, and a zone at any.
			unit = time.Minute
		}
		b.WriteString(field(c, t))
	}
	return b.String(), unit
}

func field(c byte, t time.Time) string {
	switch c {
	case 'a':
		return t.Format("Mon")
	case 'A':
		return t.Format("Monday")
	case 'b':
		return t.Format("Jan")
	case 'B':
		return t.Format("January")
	case 'd':
		return t.Format("02")
	case 'e':
		return t.Format("_2")
	case 'F':
		return t.Format("2006-01-02")
	case 'H':
		return t.Format("15")
	case 'I':
		return t.Format("03")
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay())
	case 'm':
		return t.Format("01")
	case 'M':
		return t.Format("04")
	case 'p':
		return t.Format("PM")
	case 'R':
		return t.Format("15:04")
	case 'S':
		return t.Format("05")
	case 'T':
		return t.Format("15:04:05")
	case 'y':
		return t.Format("06")
	case 'Y':
		return strconv.Itoa(t.Year())
	case 'Z':
		return t.Format("MST")
	}
	return string(c)
}
