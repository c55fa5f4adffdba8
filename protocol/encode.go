package protocol

import (
	"sort"
	"strconv"
)

// AppendRows appends the array of rows. The host enforces quotas; nothing is
// cut here.
func AppendRows(dst []byte, rows []Row) []byte {
	dst = append(dst, '[')
	for i := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendRow(dst, rows[i])
	}
	return append(dst, ']')
}

// AppendRow appends one row; absent fields are not written.
func AppendRow(dst []byte, r Row) []byte {
	dst = append(dst, `{"source":`...)
	dst = AppendString(dst, r.Source)
	dst = append(dst, `,"title":`...)
	dst = AppendString(dst, r.Title)
	if r.URL != "" {
		dst = append(dst, `,"url":`...)
		dst = AppendString(dst, r.URL)
	}
	if len(r.Metadata) > 0 {
		dst = append(dst, `,"metadata":{`...)
		for i, e := range r.Metadata {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, e.Key)
			dst = append(dst, ':')
			dst = AppendString(dst, e.Value)
		}
		dst = append(dst, '}')
	}
	if r.Effect.Type != EffectNone {
		dst = append(dst, `,"effect":`...)
		dst = AppendEffect(dst, r.Effect)
	}
	return append(dst, '}')
}

// RowsSize returns the length of what AppendRows writes: the number that
// MaxCatalogBytes bounds.
func RowsSize(rows []Row) int {
	size := 2 + max(len(rows)-1, 0)
	for i := range rows {
		r := &rows[i]
		size += len(`{"source":,"title":}`) + stringSize(r.Source) + stringSize(r.Title)
		if r.URL != "" {
			size += len(`,"url":`) + stringSize(r.URL)
		}
		if n := len(r.Metadata); n > 0 {
			size += len(`,"metadata":{}`) + n - 1
			for _, e := range r.Metadata {
				size += stringSize(e.Key) + 1 + stringSize(e.Value)
			}
		}
		if r.Effect.Type != EffectNone {
			size += len(`,"effect":`) + effectSize(r.Effect)
		}
	}
	return size
}

// effectField returns the one field that an effect carries beside its type.
func effectField(e Effect) (key, value string) {
	switch {
	case e.Type != EffectOpen:
		return "text", e.Text
	case e.BundleID != "":
		return "bundle_id", e.BundleID
	}
	return "url", e.URL
}

// AppendEffect appends an effect, null for none.
func AppendEffect(dst []byte, e Effect) []byte {
	if e.Type == EffectNone {
		return append(dst, "null"...)
	}
	key, value := effectField(e)
	return NewObject(dst).Str("type", string(e.Type)).Str(key, value).Bytes()
}

func effectSize(e Effect) int {
	key, value := effectField(e)
	return len(`{"type":,"":}`) + stringSize(string(e.Type)) + len(key) + stringSize(value)
}

// AppendAnswers appends the array of answers.
func AppendAnswers(dst []byte, answers []Answer) []byte {
	dst = append(dst, '[')
	for i, a := range answers {
		if i > 0 {
			dst = append(dst, ',')
		}
		o := NewObject(dst).Str("title", a.Title).OptStr("subtitle", a.Subtitle)
		if a.Effect.Type != EffectNone {
			o.key("effect")
			o.b = AppendEffect(o.b, a.Effect)
		}
		dst = o.Bytes()
	}
	return append(dst, ']')
}

// AppendOutcome appends the result object of a perform. A failure without a
// text gets one, because the wire refuses an empty error.
func AppendOutcome(dst []byte, out Outcome) []byte {
	switch {
	case out.OK:
		o := NewObject(dst).Bool("ok", true)
		if out.TargetPID > 0 {
			o.Int("target_pid", int64(out.TargetPID))
		}
		return o.OptStr("navigation_url", out.NavigationURL).OptStr("message", out.Message).Bytes()
	case out.Unhandled:
		return append(dst, `{"ok":false,"unhandled":true}`...)
	case out.Err == "":
		return AppendErrorResult(dst, "perform failed")
	}
	return AppendErrorResult(dst, out.Err)
}

// AppendPerform appends the params of a perform request.
func AppendPerform(dst []byte, p Perform) []byte {
	o := NewObject(dst).Str("kind", string(p.Kind))
	switch p.Kind {
	case PerformResolve:
		o.key("row")
		o.b = AppendRow(o.b, p.Row)
	case PerformCommand:
		o.Str("command", p.Command).Str("subcommand", p.Subcommand).Strs("args", p.Args).Str("raw", p.Raw)
	case PerformAction:
		o.Str("name", p.Name).key("context")
		c := NewObject(o.b).Str("bundle_id", p.Context.BundleID)
		if p.Context.PID > 0 {
			c.Int("pid", int64(p.Context.PID))
		}
		if f := p.Context.Frame; f != nil && f.Valid() {
			c.key("front_window_frame")
			c.b = AppendFrame(c.b, *f)
		}
		o.b = c.Bytes()
		if p.ActionArgs != nil {
			o.Raw("args", p.ActionArgs)
		}
	case PerformNavigate:
		o.Str("url", p.URL)
	}
	return o.Bytes()
}

// AppendEvaluate appends the params of an evaluate request.
func AppendEvaluate(dst []byte, q Evaluate) []byte {
	return NewObject(dst).Str("query", q.Query).Str("scope", q.Scope).Str("surface", q.Surface).Bytes()
}

// AppendSearch appends the params of a search request.
func AppendSearch(dst []byte, q Search) []byte {
	return NewObject(dst).Str("query", q.Query).Str("scope", q.Scope).Bytes()
}

// AppendHints appends the params of a hints request.
func AppendHints(dst []byte, h Hints) []byte {
	o := NewObject(dst).Str("bundle_id", h.BundleID).Int("pid", int64(h.PID))
	o.key("front_window_frame")
	o.b = AppendFrame(o.b, h.Frame)
	return o.Bytes()
}

// AppendHintTargets appends the array of targets of a hints reply.
func AppendHintTargets(dst []byte, targets []HintTarget) []byte {
	dst = append(dst, '[')
	for i, t := range targets {
		if i > 0 {
			dst = append(dst, ',')
		}
		o := NewObject(dst).Str("id", t.ID)
		o.key("frame")
		o.b = AppendFrame(o.b, t.Frame)
		o.OptStr("role", t.Role).OptStr("label", t.Label).OptStr("url", t.URL)
		if t.PID > 0 {
			o.Int("pid", int64(t.PID))
		}
		if t.EntersInsertMode {
			o.Bool("enters_insert_mode", true)
		}
		if t.Priority != 0 {
			o.Int("priority", int64(t.Priority))
		}
		dst = o.Bytes()
	}
	return append(dst, ']')
}

// AppendFrame appends a rectangle.
func AppendFrame(dst []byte, f Frame) []byte {
	return NewObject(dst).Float("x", f.X).Float("y", f.Y).Float("width", f.Width).Float("height", f.Height).Bytes()
}

// AppendApplications appends the array of a core:apps.changed snapshot.
func AppendApplications(dst []byte, apps []Application) []byte {
	dst = append(dst, '[')
	for i, a := range apps {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = NewObject(dst).Str("bundle_id", a.BundleID).Int("pid", int64(a.PID)).Str("localized_name", a.LocalizedName).Bytes()
	}
	return append(dst, ']')
}

// AppendRegistrations appends the registrations object of a poll notification.
func AppendRegistrations(dst []byte, regs []Registration) []byte {
	o := NewObject(dst)
	for _, r := range regs {
		o.key(r.Name)
		e := NewObject(o.b)
		if r.Every > 0 {
			e.Float("every", r.Every)
		} else {
			e.Float("after", r.After)
		}
		o.b = e.OptStr("priority", r.Priority).Bytes()
	}
	return o.Bytes()
}

// AppendStatus appends the segments object of a status notification, sorted by
// name so that equal values make equal bytes.
func AppendStatus(dst []byte, segments map[string]StatusValue) []byte {
	o := NewObject(dst)
	for _, name := range sortedKeys(segments) {
		v := segments[name]
		if v.Carousel == nil {
			o.Str(name, v.Text)
			continue
		}
		o.key(name)
		o.b = NewObject(o.b).OptStr("prefix", v.Carousel.Prefix).Strs("lines", v.Carousel.Lines).
			Float("cycle_seconds", v.Carousel.CycleSeconds).Bytes()
	}
	return o.Bytes()
}

func sortedKeys(segments map[string]StatusValue) []string {
	names := make([]string, 0, len(segments))
	for name := range segments {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// AppendLog appends the params of a log notification.
func AppendLog(dst []byte, rec LogRecord) []byte {
	fields := rec.Fields
	if fields == nil {
		fields = []byte("{}")
	}
	return NewObject(dst).Str("level", rec.Level).Str("message", rec.Message).Raw("fields", fields).OptStr("trace", rec.Trace).Bytes()
}

// AppendEvent appends the params of an event notification; a nil payload is {}.
func AppendEvent(dst []byte, name string, payload []byte) []byte {
	if payload == nil {
		payload = []byte("{}")
	}
	return NewObject(dst).Str("name", name).Raw("payload", payload).Bytes()
}

// AppendProcesses appends the array of a host.process_table reply. start_time
// is a string: the token need not fit the double of other languages.
func AppendProcesses(dst []byte, processes []Process) []byte {
	dst = append(dst, '[')
	for i, p := range processes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = NewObject(dst).Int("pid", int64(p.PID)).Int("ppid", int64(p.PPID)).Int("uid", int64(p.UID)).
			Str("name", p.Name).Str("path", p.Path).Float("cpu", p.CPU).Int("rss", p.RSS).
			Str("start_time", strconv.FormatInt(p.StartTime, 10)).Bytes()
	}
	return append(dst, ']')
}
