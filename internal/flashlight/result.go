package flashlight

import "github.com/flash-launcher/flash/protocol"

// Result is what a query shows: answers in their lane, completions, rows, best
// first, and notices of what went wrong, in place.
type Result struct {
	Query       string       `json:"query"`
	Answers     []Answer     `json:"answers"`
	Completions []Completion `json:"completions,omitempty"`
	Rows        []Row        `json:"rows"`
	Notices     []Notice     `json:"notices,omitempty"`
	ElapsedUS   int64        `json:"elapsed_us"`
}

// Answer is one line of the lane.
type Answer struct {
	Title    string          `json:"title"`
	Subtitle string          `json:"subtitle,omitempty"`
	Plugin   string          `json:"plugin"`
	Effect   protocol.Effect `json:"-"`
}

// Row is one row of the list. ID stays the same over refreshes and runs and is
// what Act takes.
type Row struct {
	ID         string   `json:"id"`
	Plugin     string   `json:"plugin"`
	Source     string   `json:"source"`
	Title      string   `json:"title"`
	Subtitle   string   `json:"subtitle,omitempty"`
	URL        string   `json:"url,omitempty"`
	Tier       int      `json:"tier"` // match.Tier; 0 for what was listed, not matched
	Score      int      `json:"score"`
	Highlights [][2]int `json:"highlights"` // byte ranges of Title

	// Row is the row as its plugin made it; a command's has no source.
	Row protocol.Row `json:"-"`

	elsewhere bool // a live source found it by other means than its text

	finish finish // the bang that choosing it runs, if it was found by one
}

// Completion is a way to go on typing.
type Completion struct {
	Value  string `json:"value"` // the whole input after taking it
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
	Plugin string `json:"plugin,omitempty"`
}

// Notice tells what a plugin could not do, or that nothing takes the input.
type Notice struct {
	Plugin string `json:"plugin,omitempty"`
	Text   string `json:"text"`
}
