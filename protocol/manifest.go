package protocol

import "strings"

// Manifest is a plugin's manifest.json. Optional fields that are absent are
// zero; Priority is then DefaultPriority.
type Manifest struct {
	ID            string
	Name          string
	Version       string
	Description   string
	Exec          []string // argv, no shell; nil: manifest-only
	Sandbox       Sandbox
	Capabilities  []string
	FetchURLs     []string
	Listen        []string
	OnlyBundleIDs []string
	OnlyTerminals bool
	Priority      int
	Sources       []Source
	Query         *Query    // nil: no evaluator
	Hints         *HintsUse // nil: no hints
	Commands      []Command
	Bangs         *Bangs
	Actions       []string
	Navigation    []string // what navigation URLs the plugin takes
	Status        []string // names of its segments
	Verbs         []Verb
	Mappings      []Mapping
	HelpTopics    []HelpTopic
	Platforms     []string
	Install       string // shell command of the install step; third-party only
}

// Sandbox is what the child may touch beside its own directories.
type Sandbox struct {
	Exec        []string
	UnixSockets []string
	Read        []string
	Mach        []string
	AppleEvents bool
	Signal      bool
}

// Source is one catalogue of rows. The rows of a live source are asked for per
// query and only when it is named; those of the others are published.
type Source struct {
	Name     string
	Kind     string // SourceDefault or SourceLocations
	Priority string // low, normal, high, important or urgent
	Live     bool
}

// Kinds of source.
const (
	SourceDefault   = "default"
	SourceLocations = "locations"
)

// Query declares an evaluator. With prefixes it is the only one asked when the
// input starts with one of them.
type Query struct{ Prefixes []string }

// HintsUse declares that the plugin answers hints requests.
type HintsUse struct{ FallbackOnEmpty bool }

// Command is one `:command subcommand`; subcommand `*` takes any word.
type Command struct {
	Command     string
	Subcommand  string
	Description string
	TimeoutMS   int64 // 0: the default perform deadline
}

// Bangs are the `!token` words of a plugin; each arrives as Command with the
// token as subcommand.
type Bangs struct {
	Command string
	Items   []Bang
}

// Bang is one `!token`.
type Bang struct {
	Token       string
	Description string
	Source      string // the live source that the bang scopes to, "" for none
}

// Verb and Mapping are validated and not acted on: this host has no modal keys.
type Verb struct {
	Name       string
	Keystrokes map[string][]string
}

// Mapping is a key binding of the published wire.
type Mapping struct {
	Key           string
	Mode          string
	Command       []string
	OnlyBundleIDs []string
}

// HelpTopic is one page of help; a bare string is a topic with a title only.
type HelpTopic struct{ Title, Text string }

// Activation says when a plugin's child runs.
type Activation int

// The four activations.
const (
	ManifestOnly Activation = iota // no exec: never
	Resident                       // always
	OnDemand                       // from its first perform
	StatusBound                    // while the bar shows one of its segments
)

func (a Activation) String() string {
	switch a {
	case Resident:
		return "resident"
	case OnDemand:
		return "on-demand"
	case StatusBound:
		return "status-bound"
	}
	return "manifest-only"
}

// Activation returns when the plugin's child runs.
func (m *Manifest) Activation() Activation {
	switch {
	case len(m.Exec) == 0:
		return ManifestOnly
	case len(m.Sources) > 0 || m.Query != nil:
		return Resident
	case len(m.Status) > 0:
		return StatusBound
	case len(m.Listen) > 0:
		return Resident
	}
	return OnDemand
}

// HasCapability reports whether the manifest declares c.
func (m *Manifest) HasCapability(c string) bool { return contains(m.Capabilities, c) }

// DeclaresSource reports whether the manifest declares a source of that name.
func (m *Manifest) DeclaresSource(name string) bool { return m.Source(name) != nil }

// Source returns the declared source of that name, nil for none.
func (m *Manifest) Source(name string) *Source {
	for i := range m.Sources {
		if m.Sources[i].Name == name {
			return &m.Sources[i]
		}
	}
	return nil
}

// DeclaresStatus reports whether the manifest declares a segment of that name.
func (m *Manifest) DeclaresStatus(name string) bool { return contains(m.Status, name) }

// Listens reports whether a pattern of the manifest matches the event's name.
// What the event needs beside that (clipboard) is the host's to check.
func (m *Manifest) Listens(event string) bool {
	for _, p := range m.Listen {
		if MatchPattern(p, event) {
			return true
		}
	}
	return false
}

// Supports reports whether the plugin runs on the platform, a GOOS; macos and
// darwin name the same one, and no platforms at all means every one.
func (m *Manifest) Supports(goos string) bool {
	if len(m.Platforms) == 0 || contains(m.Platforms, goos) {
		return true
	}
	return goos == PlatformDarwin && contains(m.Platforms, PlatformMacOS)
}

// CommandFor returns the declared command that takes the subcommand: the exact
// one, else the one with `*`, else nil.
func (m *Manifest) CommandFor(command, subcommand string) *Command {
	var any *Command
	for i := range m.Commands {
		c := &m.Commands[i]
		if c.Command != command {
			continue
		}
		if c.Subcommand == subcommand {
			return c
		}
		if c.Subcommand == "*" {
			any = c
		}
	}
	return any
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// MatchPattern reports whether name matches pattern, in which `*` stands for
// any text, also none, and everything else for itself.
func MatchPattern(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, part)
		}
		// The leftmost place is as good as any: what follows has the most room.
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}

// ManifestFault is one fault of a manifest and where it is.
type ManifestFault struct{ Path, Problem string }

func (f ManifestFault) Error() string {
	if f.Path == "" {
		return f.Problem
	}
	return f.Path + ": " + f.Problem
}

// ManifestErrors are all faults of one manifest, in the order of its rules.
type ManifestErrors []ManifestFault

func (e ManifestErrors) Error() string {
	lines := make([]string, len(e))
	for i, f := range e {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "; ")
}
