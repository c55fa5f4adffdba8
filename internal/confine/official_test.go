package confine

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
	"github.com/flash-launcher/flash/protocol"
)

// repository is where the plugins of the repository are.
func repository() string { return cmp.Or(os.Getenv("FLASH_TEST_TREE"), filepath.Join("..", "..")) }

// A folder without a manifest is a fault that every user of a checkout would see.
func TestTheFolderOfPluginsHoldsNothingElse(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(repository(), "plugins"))
	if os.IsNotExist(err) && os.Getenv("FLASH_TEST_TREE") != "" {
		t.Skip("the tree has no plugins; run make first")
	}
	require.NoError(t, err)
	for _, f := range folders {
		require.FileExists(t, filepath.Join(repository(), "plugins", f.Name(), "manifest.json"))
	}
}

// officials reads the manifest of every plugin in the repository.
func officials(t *testing.T) []*protocol.Manifest {
	t.Helper()
	tree := repository()
	paths, err := filepath.Glob(filepath.Join(tree, "plugins", "*", "manifest.json"))
	require.NoError(t, err)
	if len(paths) == 0 && os.Getenv("FLASH_TEST_TREE") != "" {
		t.Skip("the tree has no plugins; run make first")
	}
	require.NotEmpty(t, paths)
	var list []*protocol.Manifest
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		m, err := protocol.DecodeManifest(raw)
		require.NoError(t, err, path)
		list = append(list, m)
	}
	return list
}

// grants are what a configuration can add, each in the words of config.toml.
var grants = map[string]string{
	"default":      "",
	"network":      "network = true",
	"read":         `read = ["/Users/u/docs"]`,
	"a secret":     `read = ["/Users/u/.ssh/config"]`,
	"a program":    `exec_paths = ["/usr/bin/true"]`,
	"a socket":     `unix_sockets = ["/Users/u/granted.sock"]`,
	"less memory":  "memory_mib = 64",
	"all of these": "network = true\nread = [\"/Users/u/docs\", \"/Users/u/.ssh/config\"]\nexec_paths = [\"/usr/bin/true\"]\nunix_sockets = [\"/Users/u/granted.sock\"]",
}

// profileOf is the profile that confine makes of the manifest, on the model's
// made-up Mac.
func (d *declared) profileOf(t *testing.T, m *protocol.Manifest, cfg config.Plugin, place Place) (*sandbox.Policy, *seatbelttest.Profile) {
	t.Helper()
	def := manifest.Definition{Manifest: m, Root: d.root, Official: true, Argv: []string{d.program + "-" + m.ID}}
	in := place.input(def, cfg, d.data)
	in.GOOS, in.Files, in.Home, in.Getenv = "darwin", d.mac, seatbelttest.Home, getenv
	in.LoginPath = "/usr/bin:/bin:" + seatbelttest.Brew
	p, _, err := sandbox.PolicyFor(in)
	require.NoError(t, err)
	text, err := p.Seatbelt()
	require.NoError(t, err)
	profile, err := seatbelttest.Parse(text)
	require.NoError(t, err, text)
	return p, profile
}

func macPlace(t *testing.T) Place {
	t.Helper()
	paths, err := config.ResolvePaths(config.Environment{Getenv: getenv, GOOS: "darwin", Home: seatbelttest.Home, UID: 501})
	require.NoError(t, err)
	place := PlaceOf(paths, paths.Socket())
	require.Equal(t, seatbelttest.DataDirs, place.PluginsData)
	require.Equal(t, seatbelttest.Support+"/run/flash.sock", place.ControlSocket)
	return place
}

func configured(t *testing.T, id, table string) config.Plugin {
	t.Helper()
	c, faults := config.Parse([]byte("[plugin." + id + "]\n" + table + "\n"))
	require.Empty(t, faults)
	return c.Plugin[id]
}

// Every official plugin, as it comes and with each thing that a configuration
// can add, gets on macOS what its manifest and the configuration declare, and
// nothing else.
func TestEveryOfficialPluginGetsWhatItDeclaresOnMacOSAndNothingElse(t *testing.T) {
	place := macPlace(t)
	for _, m := range officials(t) {
		for name, table := range grants {
			t.Run(m.ID+" with "+name, func(t *testing.T) {
				cfg := configured(t, m.ID, table)
				d := declare(t, m, cfg, place)
				_, profile := d.profileOf(t, m, cfg, place)
				require.Empty(t, d.missing(t, profile), "declared and denied")
				require.Empty(t, d.wrong(t, profile), "not as declared")
				require.Empty(t, d.unexplained(t, place, profile), "in the profile, declared nowhere")
			})
		}
	}
}

// The three looks at a profile find one that gives too much or too little.
func TestAProfileThatIsNotAsDeclaredIsFoundOut(t *testing.T) {
	place := macPlace(t)
	m, err := protocol.DecodeManifest([]byte(`{"id":"p","name":"P","version":"1","description":"x","exec":["flash-plugin-p"],
		"sandbox":{"exec":["tool"],"read":["~/Library/Application Support/App"],"unix_sockets":["$TMPDIR/app/"],"mach":["com.example.a"]}}`))
	require.NoError(t, err)
	cfg := configured(t, "p", "")
	d := declare(t, m, cfg, place)
	p, profile := d.profileOf(t, m, cfg, place)
	require.Empty(t, d.missing(t, profile))
	require.Empty(t, d.wrong(t, profile))
	require.Empty(t, d.unexplained(t, place, profile))
	for name, change := range map[string]func(*sandbox.Policy){
		"a read":           func(p *sandbox.Policy) { p.Read = append(slices.Clone(p.Read), seatbelttest.Home) },
		"a read elsewhere": func(p *sandbox.Policy) { p.Read = append(slices.Clone(p.Read), "/Volumes/Other") },
		"a write":          func(p *sandbox.Policy) { p.Write = []string{"/Volumes/Work/shared"} },
		"the network":      func(p *sandbox.Policy) { p.Network = true },
		"a signal":         func(p *sandbox.Policy) { p.Signal = true },
		"Apple events":     func(p *sandbox.Policy) { p.AppleEvents = true },
		"a service":        func(p *sandbox.Policy) { p.Mach = append(slices.Clone(p.Mach), "com.apple.tccd") },
		"a program":        func(p *sandbox.Policy) { p.Exec = append(slices.Clone(p.Exec), "/bin/sh") },
		"a socket": func(p *sandbox.Policy) {
			p.UnixSockets = append(slices.Clone(p.UnixSockets), "/private/var/run/usbmuxd")
		},
		"no secrets": func(p *sandbox.Policy) { p.DenyRead = nil },
		"one secret less": func(p *sandbox.Policy) {
			p.DenyRead = slices.DeleteFunc(slices.Clone(p.DenyRead), func(s string) bool { return strings.HasSuffix(s, "/.kube") })
		},
		"no read":     func(p *sandbox.Policy) { p.Read = nil },
		"no program":  func(p *sandbox.Policy) { p.Exec = nil },
		"no socket":   func(p *sandbox.Policy) { p.UnixSockets = nil },
		"no service":  func(p *sandbox.Policy) { p.Mach = nil },
		"no data dir": func(p *sandbox.Policy) { p.DataDir = "" },
	} {
		changed := *p
		change(&changed)
		text, err := changed.Seatbelt()
		require.NoError(t, err)
		profile, err := seatbelttest.Parse(text)
		require.NoError(t, err)
		require.NotEmpty(t, slices.Concat(d.missing(t, profile), d.wrong(t, profile), d.unexplained(t, place, profile)), name)
	}
}

func TestAPluginThatIsSwitchedOffHasNoProfile(t *testing.T) {
	place := macPlace(t)
	for _, m := range officials(t) {
		cfg := configured(t, m.ID, "sandbox = false")
		d := declare(t, m, cfg, place)
		p, profile := d.profileOf(t, m, cfg, place)
		require.True(t, p.Disabled)
		require.Empty(t, profile.Rules)
	}
}
