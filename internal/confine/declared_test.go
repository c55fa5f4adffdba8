package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
	"github.com/flash-launcher/flash/protocol"
)

const temporary = "/var/folders/zz/T"

// expand knows what manifests use; getenv is the same to the policy.
func expand(path string) string {
	path = strings.TrimSuffix(strings.ReplaceAll(path+"/", "$UID/", strconv.Itoa(os.Getuid())+"/"), "/")
	for name, place := range map[string]string{
		"~": seatbelttest.Home, "$TMPDIR": temporary, "$XDG_CONFIG_HOME": seatbelttest.Home + "/.config",
		"$XDG_DATA_HOME": seatbelttest.Home + "/.local/share", "$XDG_STATE_HOME": seatbelttest.Home + "/.local/state",
		"$XDG_CACHE_HOME": seatbelttest.Home + "/.cache",
	} {
		if path == name || strings.HasPrefix(path, name+"/") {
			return filepath.Join(place, strings.TrimPrefix(path, name))
		}
	}
	return path
}

func getenv(key string) string {
	if key == "TMPDIR" {
		return temporary
	}
	return ""
}

// declared is what a manifest and a configuration say, in canonical paths: the
// model that a profile is held to, made without the policy.
type declared struct {
	id                           string
	root, data, program          string
	reads, programs, sockets     []string
	mach                         []string
	network, fork, signal, event bool
	mac                          *seatbelttest.Mac
	secrets                      []string
}

func declare(t *testing.T, m *protocol.Manifest, cfg config.Plugin, place Place) *declared {
	mac := seatbelttest.NewMac(t)
	d := &declared{
		id: m.ID, mac: mac, root: seatbelttest.Bundle + "/Plugins/" + m.ID, data: seatbelttest.DataDirs + "/plugins/" + m.ID,
		program: seatbelttest.Bundle + "/MacOS/flash-plugin",
		network: m.HasCapability("network") || cfg.Network,
		fork:    m.HasCapability("subprocess"),
		signal:  m.Sandbox.Signal, event: m.Sandbox.AppleEvents, mach: m.Sandbox.Mach,
	}
	mac.Add(d.program, d.root+"/manifest.json", d.data+"/storage.json", temporary+"/", "/Volumes/Work/shared/file",
		seatbelttest.Home+"/granted.sock", seatbelttest.Home+"/sockets/a", seatbelttest.Support+"/run/free.sock")
	mac.Link("flash-plugin", d.program+"-"+m.ID)
	mac.Link("/Volumes/Work/shared", d.data+"/out")
	// Everything that is declared is there, but for what no Mac has.
	for _, path := range slices.Concat(m.Sandbox.Read, cfg.Read) {
		if path = expand(path); filepath.IsAbs(path) && !strings.HasPrefix(path, "/proc/") {
			if filepath.Ext(path) == "" {
				mac.Add(path + "/")
			} else {
				mac.Add(path)
			}
			d.reads = append(d.reads, mac.Canonical(path))
		}
	}
	for _, name := range slices.Concat(m.Sandbox.Exec, cfg.ExecPaths) {
		switch name = expand(name); {
		case filepath.IsAbs(name):
		case strings.Contains(name, "/"):
			name = filepath.Join(d.root, name)
		case name == "sh":
			name = "/bin/sh"
		case slices.Contains([]string{"osascript", "mdfind", "open"}, name):
			name = "/usr/bin/" + name
		default:
			name = seatbelttest.Brew + "/" + name
		}
		mac.Add(name)
		d.programs = append(d.programs, mac.Canonical(name))
		d.fork = true
	}
	for _, path := range slices.Concat(m.Sandbox.UnixSockets, cfg.UnixSockets) {
		if dir := strings.HasSuffix(path, "/"); filepath.IsAbs(expand(path)) {
			require.NotContains(t, path, "*", "teach this test what a pattern finds")
			path = expand(path)
			if dir {
				mac.Add(path + "/")
			} else {
				mac.Add(path)
			}
			d.sockets = append(d.sockets, mac.Canonical(path))
		}
	}
	for _, path := range slices.Concat(sandbox.Secrets("darwin", expand), place.Secrets, []string{place.PluginsData, place.ControlSocket}) {
		if path = mac.Canonical(path); !slices.Contains(d.reads, path) {
			d.secrets = append(d.secrets, path)
		}
	}
	return d
}

func inside(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// covered says whether one of the paths holds it, without a secret between.
func (d *declared) covered(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(granted string) bool {
		return inside(path, granted) && !slices.ContainsFunc(d.secrets, func(secret string) bool {
			return inside(path, secret) && inside(secret, granted) && secret != granted
		})
	})
}

// opens says whether what is declared opens an attempt that is not everybody's.
func (d *declared) opens(a seatbelttest.Attempt, deed seatbelttest.Deed, args []string) bool {
	if a.Always {
		return true
	}
	var features []seatbelttest.Feature
	for f, on := range map[seatbelttest.Feature]bool{
		seatbelttest.Network: d.network, seatbelttest.Signal: d.signal, seatbelttest.AppleEvents: d.event, seatbelttest.Subprocess: d.fork,
	} {
		if on {
			features = append(features, f)
		}
	}
	for _, ask := range deed.Asks {
		arg := ask.Arg
		for i, value := range args {
			arg = strings.ReplaceAll(arg, "{"+strconv.Itoa(i)+"}", value)
		}
		open := a.Opened(features)
		switch {
		case ask.Operation == "file-read-data":
			open = d.covered(arg, append([]string{d.root, d.data}, d.reads...)) || slices.Contains(d.programs, arg) || slices.Contains(d.sockets, arg)
		case ask.Operation == "file-write-create" || ask.Operation == "file-write-unlink":
			open = strings.HasPrefix(arg, d.data+"/")
		case ask.Operation == "process-exec":
			open = slices.Contains(d.programs, arg) || arg == d.program
		case ask.Operation == "process-fork":
			open = d.fork
		case ask.Operation == "network-outbound" && filepath.IsAbs(arg):
			open = open || d.covered(arg, d.sockets)
		case ask.Operation == "mach-lookup":
			open = open || slices.Contains(d.mach, arg)
		}
		if !open {
			return false
		}
	}
	return true
}

func (d *declared) places() seatbelttest.Places {
	home, support := seatbelttest.Home, seatbelttest.Support
	return seatbelttest.Places{
		"home": home, "root": d.root, "data": d.data, "outside": "/Volumes/Work/shared",
		"otherdata": seatbelttest.DataDirs + "/plugins/other", "state": support + "/state/rank",
		"run": support + "/run", "control": support + "/run/flash.sock", "granted": home + "/granted.sock", "sockets": home + "/sockets",
		"history": home + "/.zsh_history", "systemsecret": "/private/etc/master.passwd", "passwd": "/private/etc/passwd",
		"keychain": home + "/Library/Keychains/login.keychain-db", "browser": home + "/Library/Safari/History.db",
		"null": "/dev/null", "tcp": "127.0.0.1:9", "udp": "127.0.0.1:9",
		"program": "/usr/bin/true", "otherprogram": "/usr/bin/id", "shell": "/bin/sh",
		"host": "others", "other": "others", "self": "self",
	}
}
