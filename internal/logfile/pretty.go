package logfile

import (
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/protocol"
)

// AppendPretty appends one line for people: local time, level, message, then
// the other fields as they stand. A line that is no record is quoted.
func AppendPretty(dst, line []byte) []byte {
	o, err := protocol.ParseObject(line)
	if err != nil {
		return strconv.AppendQuote(dst, string(line))
	}
	written, _ := o.OptString("time")
	if t, err := time.Parse(time.RFC3339Nano, written); err == nil {
		dst = t.Local().AppendFormat(dst, "2006-01-02 15:04:05.000")
	} else {
		dst = append(dst, "-"...)
	}
	level, _ := o.OptString("level")
	dst = append(dst, ' ')
	dst = append(dst, printable.Line(level)...)
	for n := len(level); n < len("ERROR"); n++ {
		dst = append(dst, ' ')
	}
	message, _ := o.OptString("msg")
	dst = append(dst, ' ')
	dst = append(dst, printable.Line(message)...)
	for _, key := range o.Keys() {
		if key == "time" || key == "level" || key == "msg" {
			continue
		}
		dst = append(dst, ' ')
		dst = append(dst, printable.Line(key)...)
		dst = append(dst, '=')
		dst = append(dst, value(o, key)...)
	}
	return dst
}

// value writes a word without quotes and everything else as JSON.
func value(o *protocol.Object, key string) string {
	raw := o.Raw(key)
	if len(raw) == 0 {
		return "null"
	}
	if raw[0] == '"' {
		s, _ := o.OptString(key)
		if s != "" && !strings.ContainsAny(s, " \"=") && printable.Line(s) == s {
			return s
		}
		return strconv.Quote(s)
	}
	return printable.Line(string(raw))
}
