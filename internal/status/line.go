package status

import (
	"slices"
	"strings"
)

// Line is what a viewer shows at one moment.
type Line struct {
	Left   []Run `json:"left,omitempty"`
	Centre []Run `json:"centre,omitempty"`
	Right  []Run `json:"right,omitempty"`
}

// Run is a stretch of one look and one meaning.
type Run struct {
	Text string `json:"text"`
	Style
	// Graph, if set, is what Text draws with characters, for those who can
	// draw better.
	Graph *Graph `json:"graph,omitempty"`
	// Name names the run: the plugin whose segment it is, or what the template
	// says. Neighbours of one name belong together.
	Name  string `json:"name,omitempty"`
	Hover string `json:"hover,omitempty"`
	// Clicks are what the pointer's buttons do, from the first on.
	Clicks []string `json:"clicks,omitempty"`
}

// Click returns what a button does, "" for nothing.
func (r Run) Click(button int) string {
	if button < 1 || button > len(r.Clicks) {
		return ""
	}
	return r.Clicks[button-1]
}

// Equal reports whether nobody can tell the two apart.
func (l Line) Equal(o Line) bool {
	return slices.EqualFunc(l.Left, o.Left, Run.Equal) &&
		slices.EqualFunc(l.Centre, o.Centre, Run.Equal) &&
		slices.EqualFunc(l.Right, o.Right, Run.Equal)
}

// Group is neighbours that a bar shows and clicks as one: of one name, or with
// the same clicks.
type Group struct {
	Name   string
	Hover  string
	Clicks []string
	Runs   []Run
}

// Click returns what a button does, "" for nothing.
func (g Group) Click(button int) string { return Run{Clicks: g.Clicks}.Click(button) }

// Groups parts runs into groups.
func Groups(runs []Run) []Group {
	var out []Group
	for _, r := range runs {
		if n := len(out); n > 0 && out[n-1].takes(r) {
			g := &out[n-1]
			g.Runs = append(g.Runs, r)
			if g.Name == "" {
				g.Name = r.Name
			}
			if g.Hover == "" {
				g.Hover = r.Hover
			}
			continue
		}
		out = append(out, Group{Name: r.Name, Hover: r.Hover, Clicks: r.Clicks, Runs: []Run{r}})
	}
	return out
}

func (g *Group) takes(r Run) bool {
	if !slices.Equal(g.Clicks, r.Clicks) {
		return false
	}
	return len(r.Clicks) > 0 || g.Name == r.Name
}

// Text is what the group says.
func (g Group) Text() string {
	var b strings.Builder
	for _, r := range g.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Action returns what a button does on the group of that name.
func (l Line) Action(name string, button int) string {
	for _, part := range [...][]Run{l.Left, l.Centre, l.Right} {
		for _, g := range Groups(part) {
			if g.Name == name && g.Click(button) != "" {
				return g.Click(button)
			}
		}
	}
	return ""
}

// Equal reports whether nobody can tell the two apart.
func (r Run) Equal(o Run) bool {
	return r.Text == o.Text && r.Style == o.Style && r.Name == o.Name && r.Hover == o.Hover &&
		slices.Equal(r.Clicks, o.Clicks) && r.Graph.equal(o.Graph)
}

// Empty reports whether there is nothing to see.
func (l Line) Empty() bool { return len(l.Left)+len(l.Centre)+len(l.Right) == 0 }

// sameButText reports whether two runs can be one.
func (r Run) sameButText(o Run) bool {
	return r.Graph == nil && o.Graph == nil && r.Style == o.Style && r.Name == o.Name &&
		r.Hover == o.Hover && slices.Equal(r.Clicks, o.Clicks)
}
