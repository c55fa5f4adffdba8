package config

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
)

const platform = runtime.GOOS

// Paths is where Flash keeps things. Every directory is the user's alone (0700).
type Paths struct {
	ConfigFile string // config.toml
	ConfigDir  string // where it is; plugins of the user are in ConfigDir/plugins
	State      string // frecency, pid files
	Cache      string // what may be deleted at any time
	Data       string // plugins' own data
	Logs       string
	Runtime    string // the control socket
}

// LogFile is the log that the resident writes.
func (p Paths) LogFile() string { return filepath.Join(p.Logs, "flash.log") }

// Socket is the control socket.
func (p Paths) Socket() string { return filepath.Join(p.Runtime, "flash.sock") }

// PluginData is the data directory of one plugin.
func (p Paths) PluginData(id string) string { return filepath.Join(p.Data, "plugins", id) }

// longestSocket is what a Unix socket address holds on every platform, its
// final NUL apart (macOS has the smaller one).
const longestSocket = 103

// Environment is what the paths depend on; tests give their own.
type Environment struct {
	Getenv func(string) string
	GOOS   string
	Home   string
	UID    int
}

// CurrentEnvironment is that of this process.
func CurrentEnvironment() Environment {
	return Environment{Getenv: os.Getenv, GOOS: platform, Home: homeDir(), UID: os.Getuid()}
}

func homeDir() string {
	if h := os.Getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

// DefaultPaths is the Paths of this process.
func DefaultPaths() (Paths, error) { return ResolvePaths(CurrentEnvironment()) }

// ResolvePaths answers by the XDG base directories on Linux and ~/Library on
// macOS. XDG_CONFIG_HOME counts on both: people who set it mean it. A relative
// XDG value is ignored, as its specification says. It touches no file.
func ResolvePaths(e Environment) (Paths, error) {
	if e.Home == "" {
		return Paths{}, errors.New("the home directory is not known; set HOME to an absolute path")
	}
	xdg := func(name, fallback string) string {
		if v := e.Getenv(name); filepath.IsAbs(v) {
			return filepath.Join(v, "flash")
		}
		return filepath.Join(e.Home, fallback, "flash")
	}
	var p Paths
	if e.GOOS == "darwin" {
		support := filepath.Join(e.Home, "Library", "Application Support", "Flash")
		p = Paths{
			ConfigDir: support,
			State:     filepath.Join(support, "state"),
			Data:      filepath.Join(support, "data"),
			Cache:     filepath.Join(e.Home, "Library", "Caches", "Flash"),
			Logs:      filepath.Join(e.Home, "Library", "Logs", "Flash"),
			Runtime:   filepath.Join(support, "run"),
		}
		if v := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(v) {
			p.ConfigDir = filepath.Join(v, "flash")
		}
	} else {
		state := xdg("XDG_STATE_HOME", ".local/state")
		p = Paths{
			ConfigDir: xdg("XDG_CONFIG_HOME", ".config"),
			State:     state,
			Data:      xdg("XDG_DATA_HOME", ".local/share"),
			Cache:     xdg("XDG_CACHE_HOME", ".cache"),
			Logs:      filepath.Join(state, "logs"),
			Runtime:   runtimeDir(e),
		}
	}
	p.ConfigFile = filepath.Join(p.ConfigDir, "config.toml")
	if v := e.Getenv("FLASH_CONFIG"); v != "" {
		if !filepath.IsAbs(v) {
			return Paths{}, fmt.Errorf("FLASH_CONFIG is %q; set it to an absolute path, since the resident and the command line start in different directories", v)
		}
		p.ConfigFile = filepath.Clean(v)
		p.ConfigDir = filepath.Dir(p.ConfigFile)
	}
	if n := len(p.Socket()); n > longestSocket {
		return Paths{}, fmt.Errorf("the control socket's path %q has %d bytes and the system allows %d; set XDG_RUNTIME_DIR to a shorter directory", p.Socket(), n, longestSocket)
	}
	return p, nil
}

// runtimeDir falls back to a directory under the temporary one where there is
// no login session (ssh, cron, containers). Its name is fixed, so that the
// resident and the command line meet; Ensure judges who made it.
func runtimeDir(e Environment) string {
	if v := e.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) {
		return filepath.Join(v, "flash")
	}
	tmp := e.Getenv("TMPDIR")
	if !filepath.IsAbs(tmp) {
		tmp = "/tmp"
	}
	return filepath.Join(tmp, fmt.Sprintf("flash-%d", e.UID))
}
