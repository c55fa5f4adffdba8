package control

// Methods of an open flashlight. A connection holds one session, which lives as
// long as the request that opened it: a client that dies leaves none behind.
//
// Each state of the input has a generation that the client counts up. An update
// that was overtaken is dropped, and a view says which input it answers, so a
// client never shows rows of an older one.
const (
	MethodSessionOpen    = "session.open"    // SessionInput → SessionView events until the client goes
	MethodSessionUpdate  = "session.update"  // SessionInput → none
	MethodSessionActions = "session.actions" // SessionEntry → SessionActions
	MethodSessionAct     = "session.act"     // SessionEntry → SessionActed
	MethodHistory        = "history"         // none → History
	MethodHistoryClear   = "history.clear"   // HistoryClear → History
)

// SessionInput is what the user has typed.
type SessionInput struct {
	Generation uint64 `json:"generation"`
	Text       string `json:"text"`
}

// SessionEntry names an entry of what an input shows. The input goes along, so
// that a key that follows the last letter at once means that letter too.
type SessionEntry struct {
	SessionInput
	// Entry is the id of an entry; empty is whatever comes first once the
	// answers of the input are there.
	Entry string `json:"entry"`
	// Action is what to do with it; empty is what Enter does.
	Action string `json:"action"`
}

// Kind says what an entry is.
type Kind string

// The kinds of entries, in the order in which they show.
const (
	KindAnswer     Kind = "answer"
	KindCompletion Kind = "completion"
	KindRow        Kind = "row"
)

// Entry is one line that can be chosen. ID stays the same while the input does,
// wherever a refresh puts the entry.
type Entry struct {
	ID         string   `json:"id"`
	Kind       Kind     `json:"kind"`
	Title      string   `json:"title"`
	Subtitle   string   `json:"subtitle,omitempty"`
	Plugin     string   `json:"plugin,omitempty"`
	Source     string   `json:"source,omitempty"`
	Highlights [][2]int `json:"highlights,omitempty"` // byte ranges of Title, whole graphemes
	Value      string   `json:"value,omitempty"`      // the input that a completion makes
	Enter      string   `json:"enter,omitempty"`      // what Enter does, as among the actions; "" for a completion
}

// SessionNotice tells what could not be done, and by whom.
type SessionNotice struct {
	Plugin string `json:"plugin,omitempty"`
	Text   string `json:"text"`
}

// SessionView is everything that an input shows at one moment.
type SessionView struct {
	Generation uint64          `json:"generation"`
	Pending    bool            `json:"pending,omitempty"` // more may come without the input changing
	Entries    []Entry         `json:"entries"`
	Notices    []SessionNotice `json:"notices,omitempty"`
}

// SessionAction is one thing that can be done with an entry.
type SessionAction struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// SessionActions are the things that can be done with an entry, what Enter does first.
type SessionActions struct {
	Entry   string          `json:"entry"`
	Title   string          `json:"title"`
	Actions []SessionAction `json:"actions"`
}

// SessionActed tells what came of an action.
type SessionActed struct {
	// Ran is false when there was nothing to act on, or the input had changed.
	Ran bool `json:"ran"`
	// Completion is the new input when the entry was a completion.
	Completion string        `json:"completion,omitempty"`
	Result     PerformResult `json:"result"`
	// Copy is text for the clipboard where the resident has none to put it in.
	Copy string `json:"copy,omitempty"`
}

// FrecencyFile holds the history, below the state folder.
const FrecencyFile = "frecency.json"

// History says how much is learned from what the user takes.
type History struct {
	Items    int    `json:"items"`
	Learning bool   `json:"learning"`
	File     string `json:"file"`
}

// HistoryClear names the row to forget; an empty item means all.
type HistoryClear struct {
	Item string `json:"item"`
}
