package tui

import (
	"hash/fnv"
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// theme is how things look. Colours are the sixteen that the user chose for the
// terminal, so that they suit its background; what matters can be told without
// any: by the marker, bold and faint.
type theme struct {
	prompt, title, chosen, mark, faint, answer, warn, marker ansi.Style
	// background of the chosen line, nil while the terminal's own is unknown,
	// and where colours are so few that none is near it.
	background ansi.Color
	fewColors  bool
	ascii      bool

	promptSign, markerSign, checkSign, rule, more, answerSign string
}

// newTheme returns the theme for a terminal whose characters are Unicode or not.
func newTheme(unicode bool) theme {
	t := theme{
		prompt: ansi.NewStyle().Bold().ForegroundColor(ansi.Cyan),
		title:  ansi.NewStyle(),
		chosen: ansi.NewStyle().Bold(),
		mark:   ansi.NewStyle().Bold().ForegroundColor(ansi.Cyan).Underline(true),
		faint:  ansi.NewStyle().Faint(),
		answer: ansi.NewStyle().Bold().ForegroundColor(ansi.Green),
		warn:   ansi.NewStyle().ForegroundColor(ansi.Red),
		marker: ansi.NewStyle().Bold().ForegroundColor(ansi.Cyan),

		promptSign: "> ", markerSign: ">", checkSign: "*", rule: "-", more: "~", answerSign: "= ",
	}
	t.ascii = !unicode
	if unicode {
		t.promptSign, t.markerSign, t.checkSign, t.rule, t.more = "❯ ", "▌", "✓", "─", "…"
	}
	return t
}

// onBackground learns the terminal's background.
func (t *theme) onBackground(dark bool) {
	// A step off the usual black and white.
	t.background = ansi.IndexedColor(254)
	if dark {
		t.background = ansi.IndexedColor(237)
	}
}

// fromEnvironment takes the background that some terminals tell in COLORFGBG,
// such as "15;0", so that the first frame has it.
func (t *theme) fromEnvironment(value string) {
	i := strings.LastIndexByte(value, ';')
	if n, err := strconv.Atoi(value[i+1:]); i >= 0 && err == nil {
		t.onBackground(n < 7 || n == 8)
	}
}

func (t *theme) under() ansi.Style {
	if t.background == nil || t.fewColors {
		return nil
	}
	return ansi.NewStyle().BackgroundColor(t.background)
}

// words replaces what of our own texts the terminal may not have.
func (t *theme) words(s string) string {
	if t.ascii {
		return strings.ReplaceAll(s, "·", "|")
	}
	return s
}

var badgeColors = [...]color.Color{ansi.Blue, ansi.Magenta, ansi.Cyan, ansi.Green, ansi.Yellow}

// badge gives each source a colour of its own, the same each time.
func (t *theme) badge(source string) ansi.Style {
	h := fnv.New32a()
	_, _ = h.Write([]byte(source))
	// Any bits do; these tell the usual sources apart.
	return ansi.NewStyle().ForegroundColor(badgeColors[h.Sum32()>>7%uint32(len(badgeColors))])
}

// isUnicode says whether a locale's characters are, as its first set variable
// says. No variable at all is what desktop launchers start terminals with, and
// those are Unicode.
func isUnicode(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToLower(strings.ReplaceAll(v, "-", ""))
			return strings.Contains(v, "utf8")
		}
	}
	return true
}
