package protocol

import "math"

// StatusValue is the value of one status segment: a text, or a carousel of
// lines that the bar shows in turn. An empty text clears the segment.
type StatusValue struct {
	Text     string
	Carousel *Carousel // nil for a text
}

// Carousel is a segment of several lines, each shown for CycleSeconds.
type Carousel struct {
	Prefix       string
	Lines        []string
	CycleSeconds float64
}

// LogRecord is one content-free record of a plugin.
type LogRecord struct {
	Level   string
	Message string
	Fields  []byte // raw object, nil when absent
	Trace   string
}

// DecodeStatus decodes a status notification: the segments that change.
func DecodeStatus(params []byte) (map[string]StatusValue, error) {
	o, err := ParseObject(params)
	if err != nil {
		return nil, err
	}
	segments := o.Object("segments")
	out := make(map[string]StatusValue, len(segments.members))
	for i := range segments.members {
		m := &segments.members[i]
		switch m.text[0] {
		case '"':
			out[m.key] = StatusValue{Text: segments.String(m.key)}
		case '{':
			c := segments.Object(m.key)
			v := Carousel{Lines: c.Strings("lines"), CycleSeconds: c.Float("cycle_seconds")}
			v.Prefix, _ = c.OptString("prefix")
			if v.CycleSeconds < MinCycleSeconds {
				c.Fail("cycle_seconds", "is below 1")
			}
			c.unread()
			out[m.key] = StatusValue{Carousel: &v}
		default:
			o.Fail("segments", "holds a value that is neither text nor carousel")
		}
	}
	segments.IgnoreRest()
	if err := o.Done(); err != nil {
		return nil, err
	}
	return out, nil
}

// DecodePoll decodes a poll notification: the whole set of a plugin's timers.
func DecodePoll(params []byte) ([]Registration, error) {
	o, err := ParseObject(params)
	if err != nil {
		return nil, err
	}
	set := o.Object("registrations")
	if len(set.members) > MaxRegistrations {
		o.Fail("registrations", "has more than 64 entries")
	}
	out := make([]Registration, 0, min(len(set.members), MaxRegistrations))
	for _, name := range set.Keys() {
		if !ValidRegistrationName(name) {
			o.Fail("registrations", "has a name that is not [a-z0-9_-]{1,64}")
			break
		}
		e := set.Object(name)
		r := Registration{Name: name}
		var every, after bool
		r.Every, every = e.OptFloat("every")
		r.After, after = e.OptFloat("after")
		r.Priority, _ = e.OptString("priority")
		switch {
		case every == after:
			e.Fail("", "needs exactly one of every and after")
		case every && (r.Every < MinEvery || r.Every > MaxPollSeconds):
			e.Fail("every", "is not from 0.05 to 86400 seconds")
		case after && (r.After <= 0 || r.After > MaxPollSeconds):
			e.Fail("after", "is not above 0 and up to 86400 seconds")
		}
		switch r.Priority {
		case "", PriorityHigh, PriorityNormal, PriorityLow:
		default:
			e.Fail("priority", "is none of high, normal, low")
		}
		e.unread()
		out = append(out, r)
	}
	if err := o.Done(); err != nil {
		return nil, err
	}
	return out, nil
}

// ValidRegistrationName reports whether a timer's name matches [a-z0-9_-]{1,64}.
func ValidRegistrationName(name string) bool {
	if len(name) < 1 || len(name) > MaxRegistrationName {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// DecodeLog decodes a log notification.
func DecodeLog(params []byte) (LogRecord, error) {
	o, err := ParseObject(params)
	if err != nil {
		return LogRecord{}, err
	}
	rec := LogRecord{Level: o.String("level"), Message: o.String("message")}
	if f := o.OptObject("fields"); f != nil {
		rec.Fields = append([]byte(nil), f.raw...)
	}
	if rec.Trace, _ = o.OptString("trace"); rec.Trace != "" && !ValidTrace(rec.Trace) {
		o.Fail("trace", "is not [0-9a-z]{1,16}")
	}
	if err := o.Done(); err != nil {
		return LogRecord{}, err
	}
	return rec, nil
}

// Valid reports whether f has finite numbers and an area.
func (f Frame) Valid() bool {
	for _, v := range [...]float64{f.X, f.Y, f.Width, f.Height} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return f.Width > 0 && f.Height > 0
}
