package emit

import (
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/status"
)

// sketchybar writes arguments for the sketchybar program, quoted for a shell and
// for xargs: an item `flash.<name>` for each name, and only what changed.
type sketchybar struct {
	last map[string]string
	// coloured are the items that had a colour: it stays until another is set.
	coloured map[string]bool
}

func (s *sketchybar) Begin() string { return "" }

func (s *sketchybar) Say(message string) string { return s.Line(state(message)) }

func (s *sketchybar) Line(l status.Line) string {
	labels, colour := map[string][]string{}, map[string]string{}
	for _, g := range groups(l) {
		// Items have names; text that belongs to none stands in no item.
		if g.Name == "" {
			continue
		}
		item := itemName(g.Name)
		labels[item] = append(labels[item], strings.TrimSpace(g.Text()))
		for _, r := range g.Runs {
			if fg, _ := colours(r.Style); fg != "" {
				colour[item] = "0xff" + fg[1:]
			}
		}
	}
	now := map[string]string{}
	for item, texts := range labels {
		now[item] = "drawing=on label=" + quote(strings.Join(texts, " "))
		switch {
		case colour[item] != "":
			now[item] += " label.color=" + colour[item]
			if s.coloured == nil {
				s.coloured = map[string]bool{}
			}
			s.coloured[item] = true
		case s.coloured[item]:
			now[item] += " label.color=0xffffffff"
		}
	}
	var set []string
	for item, settings := range now {
		if s.last[item] != settings {
			set = append(set, "--set "+item+" "+settings)
		}
	}
	for item := range s.last {
		if _, ok := now[item]; !ok {
			set = append(set, "--set "+item+" drawing=off")
		}
	}
	s.last = now
	if len(set) == 0 {
		return ""
	}
	slices.Sort(set)
	return strings.Join(set, " ") + "\n"
}

// itemName keeps what an item's name may have.
func itemName(name string) string {
	return "flash." + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// quote makes one word of s for a shell and for xargs.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
