package bench

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// WriteSVG draws one bar a plugin: the median cold initialize with a mark at
// p95, and the proportional memory.
func (r Report) WriteSVG(w io.Writer) error {
	const row, label, width, gap = 22, 150, 300, 60
	maxTime, maxMemory := 0.001, 0.001
	for _, res := range r.Results {
		maxTime = max(maxTime, res.Summary.InitializeMS.P95)
		maxMemory = max(maxMemory, memory(res.Summary))
	}
	height := row*(len(r.Results)+2) + 10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", label+2*(width+gap)+40, height)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%d" y="16">cold initialize, ms: median, line to p95</text><text x="%d" y="16">memory (PSS, else RSS), MiB</text>`+"\n", label, label+width+gap+40)
	for i, res := range r.Results {
		y := row*(i+1) + 8
		fill := "#3b7dd8"
		if res.Reference {
			fill = "#9a9a9a"
		}
		t, m := res.Summary.InitializeMS, memory(res.Summary)
		bar, line, size := t.P50/maxTime*width, t.P95/maxTime*width, m/maxMemory*width
		x := label + width + gap + 40
		fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`, y+11, html.EscapeString(res.ID))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>`, label, y, bar, fill)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#222"/>`, label+bar, y+7, label+line, y+7)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.1f / %.1f</text>`, label+line+4, y+11, t.P50, t.P95)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>`, x, y, size, fill)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.1f</text>`+"\n", float64(x)+size+4, y+11, m/1024)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func memory(s Summary) float64 {
	if s.PSSKiB > 0 {
		return s.PSSKiB
	}
	return s.RSSKiB.P50
}
