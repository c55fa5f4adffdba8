package choose

import (
	"strings"

	"github.com/flash-launcher/flash/internal/ui/edit"
)

// Complete is what completions make of what is typed: what all of them have in
// common, else the first. ok is false where that changes nothing.
func Complete(typed string, completions []string) (text string, ok bool) {
	if len(completions) == 0 {
		return "", false
	}
	text = common(completions)
	if len(text) <= len(typed) || !strings.HasPrefix(text, typed) {
		text = completions[0]
	}
	return text, text != typed
}

// common is what all values begin with, by whole graphemes of the first.
func common(values []string) string {
	shared := values[0]
	for _, v := range values[1:] {
		n := 0
		for g := range edit.Graphemes(shared) {
			if !strings.HasPrefix(v[n:], g) {
				break
			}
			n += len(g)
		}
		shared = shared[:n]
	}
	return shared
}
