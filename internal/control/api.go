package control

import "time"

// Methods of the control socket. Their params and results are the types below.
const (
	MethodStatus  = "status"  // none → Status
	MethodReady   = "ready"   // none → Status, once every resident plugin has settled
	MethodStop    = "stop"    // none → none; the resident ends after the reply
	MethodQuery   = "query"   // QueryParams → flashlight result
	MethodPerform = "perform" // PerformParams → PerformResult
	MethodPlugins = "plugins" // none → Plugins
	MethodPlugin  = "plugin"  // PluginParams → PluginInfo
	MethodDoctor  = "doctor"  // → Doctor
	MethodConfig  = "config"  // none → ConfigState
)

// Status is what `flash status --json` prints.
type Status struct {
	Version       string         `json:"version"`
	PID           int            `json:"pid"`
	UptimeSeconds int64          `json:"uptime_seconds"`
	Socket        string         `json:"socket"`
	Config        string         `json:"config"`
	ConfigFaults  []string       `json:"config_faults"`
	PluginDirs    []string       `json:"plugin_dirs"`
	PluginFaults  []string       `json:"plugin_faults"`
	StateFaults   []string       `json:"state_faults"` // of the files that Flash keeps, as it found them at its start
	Plugins       map[string]int `json:"plugins"`      // state → count
	Rows          int            `json:"rows"`
	Sessions      int64          `json:"sessions"` // open flashlights
	RSSKiB        int64          `json:"rss_kib"`
	Sandbox       []Check        `json:"sandbox"`
	Desktop       []Check        `json:"desktop"`
}

// Check is one thing that was looked at: whether it holds and, if not, what to do.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// QueryParams asks for what the flashlight shows for Text. Limit 0 means the default.
type QueryParams struct {
	Text  string `json:"text"`
	Limit int    `json:"limit"`
}

// PerformParams names a row by the id that a query gave, and an action; an
// empty action is the row's default one.
type PerformParams struct {
	Row    string `json:"row"`
	Action string `json:"action"`
}

// PerformResult tells what came of it.
type PerformResult struct {
	OK            bool   `json:"ok"`
	Unhandled     bool   `json:"unhandled,omitempty"`
	Message       string `json:"message,omitempty"`
	NavigationURL string `json:"navigation_url,omitempty"`
	TargetPID     int    `json:"target_pid,omitempty"`
	Error         string `json:"error,omitempty"`
}

// Plugins is what `flash plugins --json` prints.
type Plugins struct {
	Plugins []PluginInfo `json:"plugins"`
}

// PluginInfo is one plugin as the resident knows it.
type PluginInfo struct {
	ID           string  `json:"id"`
	Version      string  `json:"version"`
	State        string  `json:"state"`
	Activation   string  `json:"activation"`
	PID          int     `json:"pid"`
	Restarts     int     `json:"restarts"`
	LastError    string  `json:"last_error"`
	Rows         int     `json:"rows"`
	Generation   uint64  `json:"generation"`
	Sandbox      string  `json:"sandbox"`
	InitializeMS float64 `json:"initialize_ms"`
	RSSKiB       int64   `json:"rss_kib"`
	PSSKiB       int64   `json:"pss_kib"`
	Official     bool    `json:"official"`
	Root         string  `json:"root"`
	Why          string  `json:"why"`               // why it is off, or waits, in words
	Install      string  `json:"install,omitempty"` // the command of its install step
}

// Doctor is what `flash doctor` is told.
type Doctor struct {
	Status  Status         `json:"status"`
	Plugins []DoctorPlugin `json:"plugins"`
}

// DoctorPlugin is a plugin with what helps to find out what is wrong with it.
type DoctorPlugin struct {
	PluginInfo
	StateMS       int64    `json:"state_ms"` // how long it has been in its state
	Stderr        []string `json:"stderr"`   // the last lines of its newest child
	ManifestError string   `json:"manifest_error,omitempty"`
	Waits         bool     `json:"waits"`      // off until the user does something
	Unconfined    bool     `json:"unconfined"` // `sandbox = false`
}

// PluginOp is what PluginParams asks for.
type PluginOp string

// The operations on one plugin. Enable and disable are remembered in the state
// folder and win over the configuration file, which is the user's to write.
const (
	PluginReload  PluginOp = "reload"
	PluginEnable  PluginOp = "enable"
	PluginDisable PluginOp = "disable"
	// PluginInstall allows the install step that Command repeats, and runs it.
	PluginInstall PluginOp = "install"
)

// PluginParams names a plugin and what to do with it.
type PluginParams struct {
	ID string   `json:"id"`
	Op PluginOp `json:"op"`
	// Command is the install step as the user was shown it.
	Command string `json:"command,omitempty"`
}

// ConfigState is the configuration that the resident runs with.
type ConfigState struct {
	Path   string    `json:"path"`
	Loaded time.Time `json:"loaded"`
	Faults []string  `json:"faults"`
	TOML   string    `json:"toml"`
}
