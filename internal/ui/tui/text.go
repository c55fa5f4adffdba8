package tui

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/flash-launcher/flash/internal/printable"
)

// ruler measures text as the terminal will show it. Terminals disagree about
// clusters of several code points: those that report Unicode mode give a
// cluster its own width, the others add up their code points.
type ruler struct{ method ansi.Method }

// Some of a cluster's code points pile up over the lines above and below;
// no writing system needs more than this.
const maxClusterRunes = 8

// next takes the first cluster off s: its source length, what to show for it
// and how many cells that takes. Nothing it returns can move the cursor, change
// a style or turn the direction of what follows.
func (r ruler) next(s string) (size int, shown string, width int) {
	if c := s[0]; c >= ' ' && c < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, s[:1], 1
	}
	if sign := ownSign(s); sign > 0 {
		return sign, s[:sign], 1
	}
	cluster, width := ansi.FirstGraphemeCluster(s, r.method)
	size = len(cluster)
	if shown, same := harmless(cluster); !same {
		if shown == "" || shown == " " {
			return size, shown, len(shown)
		}
		_, width = ansi.FirstGraphemeCluster(shown, r.method)
		cluster = shown
	}
	if r.method == ansi.WcWidth && width != ansi.StringWidth(cluster) && composed(cluster) {
		// An emoji that such a terminal may or may not compose: of unknown
		// width, so that everything right of it could stand one cell off. Its
		// first code point alone is of one width everywhere.
		_, first := utf8.DecodeRuneInString(cluster)
		cluster = cluster[:first]
		_, width = ansi.FirstGraphemeCluster(cluster, r.method)
	}
	if width == 0 {
		// A mark with nothing to stand on would fall on the cell before it.
		return size, "\u25cc" + cluster, 1
	}
	return size, cluster, width
}

// ownSigns are the flashlight's own, one cell each.
const ownSigns = "❯▌✓─…"

// ownSign is the length of the sign of the flashlight's own that s begins with,
// 0 if there is none. The package that knows all characters first builds a
// table of two megabytes, half as much work as all else before the first frame.
func ownSign(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if !strings.ContainsRune(ownSigns, r) || r == utf8.RuneError || len(s) > size && s[size] >= utf8.RuneSelf && !strings.HasPrefix(s[size:], s[:size]) || eastAsian() {
		return 0
	}
	return size
}

// eastAsian says that characters of ambiguous width take two cells here, as the
// package that knows them is told.
var eastAsian = sync.OnceValue(func() bool {
	on, err := strconv.ParseBool(os.Getenv("RUNEWIDTH_EASTASIAN"))
	return err == nil && on
})

// width is how many cells s takes when shown.
func (r ruler) width(s string) (n int) {
	for s != "" {
		size, _, w := r.next(s)
		s, n = s[size:], n+w
	}
	return n
}

// fits says whether s takes at most room cells, and looks no further than that.
func (r ruler) fits(s string, room int) bool {
	for s != "" && room >= 0 {
		size, _, w := r.next(s)
		s, room = s[size:], room-w
	}
	return room >= 0
}

// breakAt is where to break s, which does not fit: after the last space within
// room cells, else wherever the room ends.
func (r ruler) breakAt(s string, room int) int {
	at, space := 0, 0
	for at < len(s) {
		size, shown, w := r.next(s[at:])
		if room -= w; room < 0 && at > 0 {
			if shown == " " {
				space = at
			}
			break
		}
		at += size
		if shown == " " {
			space = at
		}
	}
	if space > 0 {
		return space
	}
	return at
}

// harmless returns what of a cluster may be shown, and whether that is all of it.
func harmless(cluster string) (string, bool) {
	n, clean := 0, utf8.ValidString(cluster)
	for _, r := range cluster {
		n++
		clean = clean && !printable.Harmful(r)
	}
	if clean && n <= maxClusterRunes {
		return cluster, true
	}
	var b strings.Builder
	n = 0
	for _, r := range cluster {
		switch {
		case printable.Breaks(r):
			return " ", false
		case printable.Harmful(r):
		case n < maxClusterRunes:
			b.WriteRune(r)
			n++
		}
	}
	return b.String(), false
}

// composed says whether a cluster is an emoji made of several code points.
func composed(cluster string) bool {
	for _, r := range cluster {
		switch {
		case r == '\u200d', r == '\ufe0f', r == '\u20e3', r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0020 && r <= 0xe007f:
			return true
		}
	}
	return false
}
