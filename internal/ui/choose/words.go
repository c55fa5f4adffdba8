package choose

import (
	"cmp"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Notice is a line that says something went wrong, or what came of a key. An
// empty one says nothing.
type Notice struct {
	Text string
	Warn bool
}

// What is said of a key that could do nothing, or not all.
var (
	NothingToChoose = Notice{"there is nothing to choose", true}
	NothingToDo     = Notice{"there is nothing to do with this", true}
	PasteCut        = Notice{"the end of the pasted text is left out", true}
)

// forget is the one action after which the flashlight stays open when it went
// well: it is about the list, not about leaving it.
const forget = "forget"

// After says whether the flashlight closes after an action, and else what it
// shows of what came of it.
func After(action string, o protocol.Outcome) (n Notice, closes bool) {
	switch {
	case o.Unhandled:
		return Notice{"no plugin knows what to do with this", true}, false
	case !o.OK:
		return Notice{cmp.Or(o.Err, "it failed without a word"), true}, false
	case action == forget:
		return Notice{Text: "forgotten"}, false
	}
	return Notice{}, true
}

// Empty is what stands in place of a list without lines. known says that all
// that will come is there, noticed that something else says why it is nothing.
func Empty(typed string, known, noticed bool) string {
	switch {
	case !known:
		return ""
	case typed == "":
		return "Type to search. @source, !bang and :command reach further."
	case noticed:
		return ""
	}
	if word := strings.TrimSpace(typed); word != typed && !strings.ContainsAny(word, " \t") {
		switch {
		case strings.HasPrefix(word, "@"):
			return "There is nothing in " + word + " at the moment."
		case strings.HasPrefix(word, "!"):
			return "Type what " + word + " is to find."
		}
	}
	return "Nothing is called that."
}
