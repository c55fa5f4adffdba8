package main

import (
	"bytes"
	"fmt"
	"math"
)

// chart draws the p95s on a logarithmic scale, as SVG.
func chart(all []measure) []byte {
	const left, width, bar, gap, head = 280, 520, 22, 10, 56
	lo, hi := 0.01, 10.0 // ms
	for _, m := range all {
		hi = math.Max(hi, float64(percentile(m.cpu, 95))/1e6)
	}
	hi = math.Pow(10, math.Ceil(math.Log10(hi)))
	x := func(v float64) float64 { return left + width*math.Log10(math.Max(v, lo)/lo)/math.Log10(hi/lo) }
	var b bytes.Buffer
	height := head + len(all)*(bar+gap) + 40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n", left+width+90, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="12" y="24" font-size="16">Search: p95 of a query, processor time in ms (log scale, less is better)</text>`+"\n")
	for v := lo; v <= hi*1.001; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#666">%g</text>`+"\n", x(v), head-8, x(v), height-28, x(v), height-10, math.Round(v*100)/100)
	}
	for i, m := range all {
		y := head + i*(bar+gap)
		colour := "#9aa5b1"
		if m.engine == "flash" {
			colour = "#2563eb"
		}
		v := float64(percentile(m.cpu, 95)) / 1e6
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s, %s, %d rows</text><rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/><text x="%.1f" y="%d">%.2f</text>`+"\n",
			left-10, y+16, m.engine, m.way, m.rows, left, y, math.Max(1, x(v)-left), bar, colour, x(v)+6, y+16, v)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
