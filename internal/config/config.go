package config

import (
	"maps"
	"slices"
	"time"
)

// Version is the file format that this build reads. A file that names another
// one is left alone and reported.
const Version = 1

// Config is the effective configuration: what the file says over the defaults.
// Treat one as immutable; the watcher hands the same value to every reader.
type Config struct {
	Flashlight Flashlight
	Hotkeys    Hotkeys
	// Aliases maps a name, which is typed into the flashlight, to what it is for.
	Aliases   map[string]Target
	StatusBar StatusBar
	Plugins   Plugins
	// Plugin holds the [plugin.<id>] tables that the file has. Use For, which
	// also answers for a plugin that has none.
	Plugin  map[string]Plugin
	Logs    Logs
	History History
	// Pointer is the [pointer] table as JSON, {} when absent. The pointer
	// worker is a process of its own with its own rules, so it reads this.
	Pointer []byte

	pointer  map[string]any
	mentions []mention
}

// Flashlight is how the panel looks and behaves.
type Flashlight struct {
	Rows             int    `toml:"rows"`      // rows shown at once
	Width            int    `toml:"width"`     // points
	Position         string `toml:"position"`  // "top" or "center"
	Theme            string `toml:"theme"`     // "auto", a built-in one, or the name or path of a file
	Font             string `toml:"font"`      // family, "" the platform's own
	FontSize         int    `toml:"font_size"` // points
	CloseOnFocusLoss bool   `toml:"close_on_focus_loss"`
}

// Hotkeys are global shortcuts, written like "alt+space". An empty Open binds none.
type Hotkeys struct {
	Open string
	// Bind maps a chord to what it does.
	Bind map[string]Target
}

// Target is what a hot key or an alias stands for: exactly one of the three.
type Target struct {
	Query   string // the text that the flashlight opens with
	Row     string // the id of a row, which is taken as by Enter
	Command string // a command or a bang, which is run
}

// StatusBar is the bar. Off, it observes no segment and so starts no monitor.
type StatusBar struct {
	Enabled  bool   `toml:"enabled"`
	Template string `toml:"template"`
	Position string `toml:"position"` // "top" or "bottom"
	Height   int    `toml:"height"`   // points
	Menu     bool   `toml:"menu"`     // macOS: while the bar is off, an item of its own holds Flash's menu
}

// Plugins says which plugins there are and may run.
type Plugins struct {
	Enabled        []string // when not empty, only these
	Disabled       []string // wins over Enabled
	Dirs           []string // further directories to look in, absolute
	StartupTimeout time.Duration
}

// Plugin is one [plugin.<id>] table.
type Plugin struct {
	Enabled   bool
	Sandbox   bool
	MemoryMiB int      // 0 the host's default
	FetchURLs []string // added to the manifest's fetch_urls
	ExecPaths []string // programs added to the sandbox's exec list, absolute
	Read      []string // paths added to the sandbox's read list, absolute
	Network   bool     // lets the sandbox reach the network
	// UnixSockets are sockets, or directories of sockets, that the plugin may
	// connect to besides its manifest's, absolute.
	UnixSockets []string
	// Table is the whole table as compact JSON, which the plugin is handed: its own
	// settings beside the keys above. Never nil.
	Table []byte

	settings map[string]any // what is the plugin's own
}

// Logs is what is written to the log file, and how much of it is kept.
type Logs struct {
	Level  string `toml:"level"`   // "debug", "info", "warn" or "error"
	MaxMiB int    `toml:"max_mib"` // size at which the file is turned over
	Keep   int    `toml:"keep"`    // old files kept
}

// History is what Flash learns from use.
type History struct {
	Learning bool `toml:"learning"`
}

// Bounds of the numbers in the file.
const (
	minRows, maxRows         = 1, 50
	minWidth, maxWidth       = 200, 4000
	minFont, maxFont         = 6, 96
	minBar, maxBar           = 12, 200
	minMemory, maxMemory     = 16, 65536 // MiB; below 16 no Go or Python child starts
	minLogMiB, maxLogMiB     = 1, 1024
	minLogKeep, maxLogKeep   = 0, 100
	minStartup, maxStartup   = 100 * time.Millisecond, time.Minute
	defaultStartup           = 5 * time.Second
	defaultLogMiB            = 10
	defaultLogKeep           = 3
	defaultTemplate          = "#{flash.plugin.cpu.summary} #{flash.plugin.memory.summary} #{flash.plugin.network.summary} #{flash.plugin.power.summary}"
	maxTemplate              = 16384
	maxList                  = 1024
	maxText, maxAlias        = 4096, 64 // bytes of a target's text and of an alias
	maxFile                  = 1 << 20
	emptyObject              = "{}"
	openOnLinux, openOnOther = "super+space", "alt+space"
)

// Defaults is the configuration of an absent or empty file.
func Defaults() Config { return defaultsFor(platform) }

func defaultsFor(goos string) Config {
	open := openOnOther
	if goos == "linux" {
		// Window managers commonly keep alt+space for their window menu.
		open = openOnLinux
	}
	return Config{
		Flashlight: Flashlight{Rows: 9, Width: 680, Position: "top", Theme: "auto", FontSize: 15, CloseOnFocusLoss: true},
		Hotkeys:    Hotkeys{Open: open},
		StatusBar:  StatusBar{Template: defaultTemplate, Position: "top", Height: 26, Menu: true},
		Plugins:    Plugins{StartupTimeout: defaultStartup},
		Logs:       Logs{Level: "info", MaxMiB: defaultLogMiB, Keep: defaultLogKeep},
		History:    History{Learning: true},
		Pointer:    []byte(emptyObject),
	}
}

func defaultPlugin() Plugin {
	return Plugin{Enabled: true, Sandbox: true, Table: []byte(emptyObject)}
}

// For returns the table of a plugin, or the defaults where the file has none.
func (c Config) For(id string) Plugin {
	if p, ok := c.Plugin[id]; ok {
		return p
	}
	return defaultPlugin()
}

// Enabled reports whether the plugin may run at all.
func (c Config) Enabled(id string) bool {
	if slices.Contains(c.Plugins.Disabled, id) {
		return false
	}
	if len(c.Plugins.Enabled) > 0 && !slices.Contains(c.Plugins.Enabled, id) {
		return false
	}
	return c.For(id).Enabled
}

// mention is a place where the file names a plugin.
type mention struct {
	id  string
	key string
	pos position
}

// UnknownPlugins returns a fault for every plugin that the file names and that
// is not among known. Which plugins exist is not known while the file is read,
// and one that is merely not installed on this machine is no reason to refuse
// a configuration shared between machines: treat these as warnings.
func (c Config) UnknownPlugins(known []string) []Fault {
	var out []Fault
	for _, m := range c.mentions {
		if slices.Contains(known, m.id) {
			continue
		}
		remedy := "see `flash plugins` for the ids"
		if s := nearest(m.id, known); s != "" {
			remedy = "did you mean " + quote(s) + "?"
		}
		out = append(out, Fault{Line: m.pos.line, Column: m.pos.column, Key: m.key, Problem: "no plugin is called " + quote(m.id), Remedy: remedy})
	}
	return out
}

// PluginIDs returns the ids that have a [plugin.<id>] table, sorted.
func (c Config) PluginIDs() []string { return slices.Sorted(maps.Keys(c.Plugin)) }
