package status

import (
	"slices"
	"strings"
	"time"
)

// Template is a parsed bar template: plain text and references written
// `#{flash.plugin.<id>.<segment>}`. What is no well-formed reference stands as
// it is written.
type Template struct{ parts []part }

type part struct {
	text            string // plain, when plugin is empty
	plugin, segment string
}

const (
	referenceOpen  = "#{"
	referenceClose = "}"
	referenceRoot  = "flash.plugin."
)

// ParseTemplate reads a template. Plugin ids may hold dots and segment names
// may not, so the last dot parts the two.
func ParseTemplate(text string) Template {
	var t Template
	for {
		before, rest, ok := strings.Cut(text, referenceOpen)
		if !ok {
			return t.plain(text)
		}
		body, after, ok := strings.Cut(rest, referenceClose)
		if !ok {
			return t.plain(text)
		}
		name, is := strings.CutPrefix(body, referenceRoot)
		dot := strings.LastIndexByte(name, '.')
		if !is || dot < 1 || dot == len(name)-1 || strings.Contains(body, referenceOpen) {
			// The close may belong to a later reference: go on behind the open.
			t = t.plain(before + referenceOpen)
			text = rest
			continue
		}
		t = t.plain(before)
		t.parts = append(t.parts, part{plugin: name[:dot], segment: name[dot+1:]})
		text = after
	}
}

func (t Template) plain(s string) Template {
	if s == "" {
		return t
	}
	if n := len(t.parts); n > 0 && t.parts[n-1].plugin == "" {
		t.parts[n-1].text += s
		return t
	}
	t.parts = append(t.parts, part{text: s})
	return t
}

// Render writes the template with the values of s at that time, and says when
// the outcome changes by itself (a carousel turns); the zero time is never. A
// segment without a value is nothing.
func (t Template) Render(s *Snapshot, now time.Time) (text string, next time.Time) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.plugin == "" {
			b.WriteString(p.text)
			continue
		}
		v, ok := s.Get(p.plugin, p.segment)
		if !ok {
			continue
		}
		text, turn := v.Text(now)
		b.WriteString(text)
		if !turn.IsZero() && (next.IsZero() || turn.Before(next)) {
			next = turn
		}
	}
	return b.String(), next
}

// References returns the segments that the template shows, by plugin, sorted
// and without repeats.
func (t Template) References() map[string][]string {
	out := map[string][]string{}
	for _, p := range t.parts {
		if p.plugin != "" {
			out[p.plugin] = append(out[p.plugin], p.segment)
		}
	}
	for id, names := range out {
		slices.Sort(names)
		out[id] = slices.Compact(names)
	}
	return out
}
