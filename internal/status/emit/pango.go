package emit

import (
	"strings"

	"github.com/flash-launcher/flash/internal/status"
)

// escape makes text safe in Pango markup.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace

// pango writes runs as markup; plain reports whether it holds no tag.
func pango(runs []status.Run) string {
	var b strings.Builder
	for _, r := range runs {
		attributes := pangoAttributes(r.Style)
		if attributes == "" {
			b.WriteString(escape(r.Text))
			continue
		}
		b.WriteString("<span" + attributes + ">" + escape(r.Text) + "</span>")
	}
	return b.String()
}

func pangoAttributes(s status.Style) string {
	var b strings.Builder
	fg, bg := colours(s)
	if fg != "" {
		b.WriteString(` foreground="` + fg + `"`)
	}
	if bg != "" {
		b.WriteString(` background="` + bg + `"`)
	}
	if s.Bold {
		b.WriteString(` weight="bold"`)
	}
	if s.Dim {
		b.WriteString(` alpha="60%"`)
	}
	if s.Italic {
		b.WriteString(` style="italic"`)
	}
	if s.Underline {
		b.WriteString(` underline="single"`)
	}
	return b.String()
}
