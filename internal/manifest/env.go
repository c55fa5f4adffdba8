package manifest

import (
	"encoding/json"
	"os"
	"strconv"
)

// inherited are the only variables of the host that a child sees: no tokens, no
// agent sockets, no session bus.
var inherited = []string{
	"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
}

// Go settings of official children. One P costs the least memory in a process
// that mostly waits; collecting early keeps its garbage small; the limit is a
// backstop against a leak, far above what any of them needs.
const (
	goMaxProcs = "1"
	goGC       = "25"
	goMemLimit = "64MiB"
)

// World is what the environment of a child is made of besides its definition.
type World struct {
	DataDir string
	// Lookup reads the host's own environment; nil is os.LookupEnv.
	Lookup func(key string) (string, bool)
	// LoginPath replaces the host's PATH, which a desktop session often starts
	// without the user's own directories; "" keeps it.
	LoginPath string
	ParentPID int // 0 is this process
}

// Environment returns the whole environment of def's child.
func Environment(def Definition, w World) []string {
	if w.Lookup == nil {
		w.Lookup = os.LookupEnv
	}
	if w.ParentPID == 0 {
		w.ParentPID = os.Getpid()
	}
	env := make([]string, 0, len(inherited)+8)
	for _, key := range inherited {
		value, ok := w.Lookup(key)
		if key == "PATH" && w.LoginPath != "" {
			value, ok = w.LoginPath, true
		}
		if ok {
			env = append(env, key+"="+value)
		}
	}
	env = append(env,
		"FLASH_PLUGIN_ID="+def.Manifest.ID,
		"FLASH_PLUGIN_VERSION="+def.Manifest.Version,
		"FLASH_PLUGIN_DATA_DIR="+w.DataDir,
		"FLASH_PLUGIN_PARENT_PID="+strconv.Itoa(w.ParentPID),
		"FLASH_PLUGIN_CONFIG="+configTable(def.Config.Table),
	)
	if def.Official {
		env = append(env, "GOMAXPROCS="+goMaxProcs, "GOGC="+goGC, "GOMEMLIMIT="+goMemLimit)
	}
	return env
}

// configTable degrades what is absent or no JSON object to an empty table, so
// that a child can rely on one.
func configTable(table []byte) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(table, &object) != nil || object == nil {
		return "{}"
	}
	return string(table)
}
