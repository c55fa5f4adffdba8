package protocol

import "sort"

// Row is one entry of a plugin's catalogue, as `publish` and `search` carry it.
// An empty URL, a nil Metadata and an Effect with an empty Type mean absent.
type Row struct {
	Source   string
	Title    string
	URL      string
	Metadata Metadata
	Effect   Effect
}

// Equal reports whether two rows would show and act the same. Metadata is
// compared as a map, so the order of its keys on the wire does not matter.
func (r Row) Equal(o Row) bool {
	if r.Source != o.Source || r.Title != o.Title || r.URL != o.URL || r.Effect != o.Effect || len(r.Metadata) != len(o.Metadata) {
		return false
	}
	for i, e := range r.Metadata {
		if o.Metadata[i] != e {
			return false
		}
	}
	return true
}

// Metadata is a string map kept as a slice sorted by key: rows come by the ten
// thousand and a Go map for each would cost more than the rows.
type Metadata []MetadataEntry

// MetadataEntry is one key and its value.
type MetadataEntry struct{ Key, Value string }

// NewMetadata returns the Metadata that holds m.
func NewMetadata(m map[string]string) Metadata {
	if len(m) == 0 {
		return nil
	}
	md := make(Metadata, 0, len(m))
	for k, v := range m {
		md = append(md, MetadataEntry{k, v})
	}
	sort.Slice(md, func(i, j int) bool { return md[i].Key < md[j].Key })
	return md
}

// Get returns the value of key, and whether it is there.
func (m Metadata) Get(key string) (string, bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	return "", false
}

// Metadata keys that the host understands; all others are the plugin's own.
const (
	MetaKind            = "kind"
	MetaPID             = "pid"
	MetaBundleID        = "bundle_id"
	MetaNavigationURL   = "navigation_url"
	MetaSubtitle        = "subtitle"
	MetaAliases         = "aliases" // one alias a line
	MetaCurrentLocation = "current_location"
	MetaPriority        = "priority"
	MetaFinishesCommand = "finishes_command"
)

// EffectType names what choosing a row or an answer does without asking its plugin.
type EffectType string

// The closed set of effects. Open is for rows only: an evaluator cannot
// manufacture navigation. There is no effect that runs a command; commands run
// in perform, inside the plugin's sandbox.
const (
	EffectNone       EffectType = ""
	EffectCopyText   EffectType = "copy_text"
	EffectInsertText EffectType = "insert_text"
	EffectOpen       EffectType = "open"
)

// Effect is `{"type":"copy_text"|"insert_text","text":…}` or, on rows,
// `{"type":"open","url":…}` or `{"type":"open","bundle_id":…}`.
type Effect struct {
	Type     EffectType
	Text     string
	URL      string
	BundleID string
}

// Answer is one line that an evaluator adds to the answers lane.
type Answer struct {
	Title    string
	Subtitle string
	Effect   Effect
}

// Frame is a rectangle in points from the bottom-left corner of the primary
// screen, y up. Negative origins are legal.
type Frame struct {
	X, Y, Width, Height float64
}

// Application is one entry of a core:apps.changed snapshot.
type Application struct {
	BundleID      string
	PID           int
	LocalizedName string
}

// Context is where an action was asked for: the app that had focus. Without a
// display there is none: BundleID is then empty, PID 0 and absent on the wire.
// Frame is nil where the host knows no front window.
type Context struct {
	BundleID string
	PID      int
	Frame    *Frame
}

// PerformKind is the arm of a perform request.
type PerformKind string

// The four kinds of perform. A bang arrives as a command whose subcommand is its token.
const (
	PerformResolve  PerformKind = "resolve"
	PerformCommand  PerformKind = "command"
	PerformAction   PerformKind = "action"
	PerformNavigate PerformKind = "navigate"
)

// Perform is the params of a perform request; which fields count follows Kind.
type Perform struct {
	Kind       PerformKind
	Row        Row      // resolve
	Command    string   // command
	Subcommand string   // command
	Args       []string // command
	Raw        string   // command: the whole text as typed
	Name       string   // action
	Context    Context  // action
	ActionArgs []byte   // action: raw JSON object, nil when absent
	URL        string   // navigate
}

// Outcome is perform's exclusive union.
//   - OK: performed; TargetPID, NavigationURL and Message are optional.
//   - Unhandled: not this plugin's context; the host may fall back.
//   - otherwise Err is a non-empty content-free text and the host must not fall back.
type Outcome struct {
	OK            bool
	TargetPID     int
	NavigationURL string
	Message       string
	Unhandled     bool
	Err           string
}

// Done is the plain good outcome, with a message to show or "".
func Done(message string) Outcome { return Outcome{OK: true, Message: message} }

// Unhandled is the outcome of a plugin that leaves the request to others.
func Unhandled() Outcome { return Outcome{Unhandled: true} }

// Failed is the outcome of a plugin that tried and broke; text names no user content.
func Failed(text string) Outcome { return Outcome{Err: text} }

// Evaluate is the params of an evaluate request.
type Evaluate struct{ Query, Scope, Surface string }

// Search is the params of a search request to a live source.
type Search struct{ Query, Scope string }

// Hints is the params of a hints request.
type Hints struct {
	BundleID string
	PID      int
	Frame    Frame
}

// HintTarget is one place that a hints reply offers for a click.
type HintTarget struct {
	ID    string
	Frame Frame
	Role  string
	Label string
	URL   string
	PID   int // 0 absent

	EntersInsertMode bool // choosing it puts the caret into a text field
	Priority         int
}

// Registration is one named timer of a `poll` notification: Every repeats,
// After fires once; exactly one of them is above zero. Seconds.
type Registration struct {
	Name     string
	Every    float64
	After    float64
	Priority string // high, normal or low; "" is normal
}

// Process is one entry of host.process_table. CPU is percent of one core over
// the sample window, RSS is bytes, StartTime is an opaque token that together
// with PID names this process and no later one.
type Process struct {
	PID       int
	PPID      int
	UID       int
	Name      string
	Path      string
	CPU       float64
	RSS       int64
	StartTime int64
}
