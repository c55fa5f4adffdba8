package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// place is a made-up home for policies that are built, not enforced.
func place(t *testing.T) PolicyInput {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"home/.ssh", "home/docs", "plugin", "data/mine", "bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(base+"/plugin/run", []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(base+"/bin/tool", []byte("#!/bin/sh\n"), 0o755))
	return PolicyInput{
		PluginID: "p", Root: base + "/plugin", DataDir: base + "/data/mine", Argv: []string{base + "/plugin/run"},
		Home: base + "/home", LoginPath: base + "/bin:/usr/bin:/bin", PluginsData: base + "/data",
		Getenv: func(string) string { return "" },
	}
}

func TestAMissingReadPathIsSkippedWithANote(t *testing.T) {
	in := place(t)
	in.Read = []string{"~/docs", "~/nothing", "relative"}
	in.Exec = []string{"no-such-program"}
	in.UnixSockets = []string{"/nowhere/socket", "/nowhere/*"}
	p, notes, err := PolicyFor(in)
	require.NoError(t, err)
	require.Equal(t, []string{in.Home + "/docs"}, p.Read)
	require.Len(t, notes, 5)
	require.Equal(t, `sandbox.read "~/nothing": does not exist, skipped`, notes[1].String())
}

func TestAMissingWritePathIsAnError(t *testing.T) {
	in := place(t)
	in.ConfigWrite = []string{"~/nothing"}
	_, _, err := PolicyFor(in)
	require.ErrorContains(t, err, "plugin p")
	require.ErrorContains(t, err, "~/nothing")
	require.ErrorContains(t, err, "create it")
}

func TestAMissingExecutableRootOrDataDirectoryIsAnError(t *testing.T) {
	for what, change := range map[string]func(*PolicyInput){
		"executable":     func(in *PolicyInput) { in.Argv = []string{in.Root + "/gone"} },
		"no executable":  func(in *PolicyInput) { in.Argv = nil },
		"plugin root":    func(in *PolicyInput) { in.Root += "/gone" },
		"data directory": func(in *PolicyInput) { in.DataDir += "/gone" },
		"contains":       func(in *PolicyInput) { in.DataDir = filepath.Dir(in.Root) },
	} {
		in := place(t)
		change(&in)
		_, _, err := PolicyFor(in)
		require.ErrorContains(t, err, what)
	}
}

func TestSymlinksAreResolved(t *testing.T) {
	in := place(t)
	require.NoError(t, os.Symlink(in.Home+"/docs", in.Home+"/link"))
	require.NoError(t, os.Symlink(in.Home+"/.ssh", in.Home+"/innocent"))
	in.Read = []string{"~/link", "~/innocent"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	require.Equal(t, []string{in.Home + "/.ssh", in.Home + "/docs"}, p.Read)
}

// A home that is itself a symlink must not hide its secrets.
func TestSecretsAreComparedByTheirRealPlace(t *testing.T) {
	in := place(t)
	require.NoError(t, os.Symlink(in.Home, in.Home+"-link"))
	real := in.Home
	in.Home += "-link"
	in.Read = []string{"~"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	require.Contains(t, p.DenyRead, real+"/.ssh")
	require.Contains(t, p.DenyRead, real+"/.aws", "also before it exists")
	ok, why := p.Decide("read", in.Home+"/.ssh/id_rsa")
	require.False(t, ok, why)
}

func TestProgramsAreFoundOverTheLoginPathWithTheirInterpreters(t *testing.T) {
	in := place(t)
	in.Exec = []string{"tool"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	sh, err := filepath.EvalSymlinks("/bin/sh")
	require.NoError(t, err)
	require.Contains(t, p.Exec, filepath.Dir(filepath.Dir(in.Root+"/"))+"/bin/tool")
	require.Contains(t, p.Exec, sh)
	require.Contains(t, p.Start, sh)
	require.True(t, p.Forks())
	for _, path := range p.Exec {
		ok, _ := p.Decide("exec", path)
		require.True(t, ok)
	}
	ok, _ := p.Decide("exec", "/usr/bin/id")
	require.False(t, ok)
}

func TestAnInterpreterLoopIsAnError(t *testing.T) {
	in := place(t)
	script := in.Root + "/loop"
	require.NoError(t, os.WriteFile(script, []byte("#!"+script+"\n"), 0o755))
	in.Argv = []string{script}
	_, _, err := PolicyFor(in)
	require.ErrorContains(t, err, "interpreters")
}

func TestOnlyKnownVariablesAreExpanded(t *testing.T) {
	env := map[string]string{"XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/h"}
	get := func(k string) string { return env[k] }
	for in, want := range map[string]string{
		"~":                          "/h",
		"~/x":                        "/h/x",
		"~x/y":                       "~x/y",
		"$XDG_RUNTIME_DIR/bus":       "/run/user/7/bus",
		"$XDG_CONFIG_HOME/app":       "/h/.config/app",
		"$XDG_STATE_HOME":            "/h/.local/state",
		"$TMPDIR/x":                  "/tmp/x",
		"$HOME/x":                    "$HOME/x",
		"/a/../b":                    "/a/../b",
		"/a/~/b":                     "/a/~/b",
		"$XDG_DATA_HOME/../../.ssh":  "/h/.ssh",
		"$XDG_CACHE_HOME/fontconfig": "/h/.cache/fontconfig",
	} {
		require.Equal(t, want, expandPath(in, "/h", get), in)
	}
}

func TestCapabilitiesAndCapsComeThrough(t *testing.T) {
	in := place(t)
	none := int64(0)
	in.Capabilities = []string{"network", "subprocess", "open"}
	in.MemoryBytes = &none
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	require.True(t, p.Network)
	require.True(t, p.Forks())
	require.Zero(t, p.MemoryBytes)
	require.EqualValues(t, DefaultFileBytes, p.FileBytes)
}

func TestExplainNamesEveryGrantWithItsKeyAndEverySecret(t *testing.T) {
	in := place(t)
	in.Read = []string{"~/docs"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	var text string
	for _, line := range p.Explain() {
		text += line.String() + "\n"
	}
	require.Contains(t, text, "allow  read        "+in.Home+"/docs  (sandbox.read)")
	require.Contains(t, text, "allow  read, write "+in.DataDir+"  (data directory)")
	require.Contains(t, text, "deny   read        "+in.Home+"/.ssh  (secret)")
	require.Contains(t, text, "deny   network")
	require.Contains(t, text, "256 MiB")
	require.Equal(t, "deny   everything  else  (default)", p.Explain()[len(p.Explain())-1].String())
	p.Disabled = true
	require.Len(t, p.Explain(), 1)
}

func TestUnknownKindsAreDenied(t *testing.T) {
	ok, why := (&Policy{}).Decide("telepathy", "x")
	require.False(t, ok)
	require.Contains(t, why, "telepathy")
}

func TestPathsAreOrderedParentsFirst(t *testing.T) {
	got := merge([]rule{{"/a-b", rightRead}, {"/a/b", rightRead}, {"/a", rightRead}, {"/a/b", rightExec}, {"/", rightList}})
	require.Equal(t, []rule{{"/", rightList}, {"/a", rightRead}, {"/a/b", rightRead | rightExec}, {"/a-b", rightRead}}, got)
}

func TestTheMountPlanBindsGrantsAndMasksSecrets(t *testing.T) {
	p := &Policy{
		GOOS: "linux", Root: "/home/u/plugin", DataDir: "/home/u/data/mine", SystemRead: []string{"/usr"}, SystemWrite: []string{"/dev/null"},
		Start: []string{"/usr/bin/python3"}, Read: []string{"/home/u", "/home/u/.ssh/config", "/proc/stat"},
		DenyRead: []string{"/home/u/.ssh", "/home/u/data", "/root/.ssh"}, UnixSockets: []string{"/run/app/s"}, Links: []string{"/"},
	}
	require.Equal(t, []mount{
		{Kind: mountDir, Path: "/"},
		{Kind: mountBind, Path: "/dev/null", Write: true, Device: true},
		{Kind: mountBind, Path: "/home/u"},
		{Kind: mountMask, Path: "/home/u/.ssh"},
		{Kind: mountBind, Path: "/home/u/.ssh/config"},
		{Kind: mountMask, Path: "/home/u/data"},
		{Kind: mountBind, Path: "/home/u/data/mine", Write: true},
		{Kind: mountMask, Path: "/home/u/other.sock"},
		{Kind: mountBind, Path: "/run/app/s", Write: true},
		{Kind: mountBind, Path: "/usr"},
	}, p.mounts(nil, []string{"/run/app/s", "/run/other", "/home/u/other.sock"}))
}

func TestAGrantOfTheWholeMachineIsBoundPieceByPiece(t *testing.T) {
	p := &Policy{GOOS: "linux", Read: []string{"/"}, DataDir: "/var/data"}
	require.Equal(t, []mount{
		{Kind: mountBind, Path: "/etc"},
		{Kind: mountBind, Path: "/var"},
		{Kind: mountBind, Path: "/var/data", Write: true},
	}, p.mounts([]string{"/dev", "/etc", "/proc", "/var"}, nil))
}

func TestTheWatchdogKillsWhatIsLeft(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.WriteString("+100\n+200\n-100\nnoise\n+1\n+-5\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var killed []int
	watchGroups(r, func(group int) { killed = append(killed, group) })
	require.Equal(t, []int{200}, killed)
}

func TestADirectoryOfSocketsIsMadeOnlyWhenAskedAndOnlyForItsOwner(t *testing.T) {
	in := place(t)
	in.UnixSockets = []string{"~/run-$UID/"}
	made := filepath.Join(in.Home, "run-"+strconv.Itoa(os.Getuid()))
	p, notes, err := PolicyFor(in)
	require.NoError(t, err)
	require.Empty(t, p.UnixSockets)
	require.NotEmpty(t, notes)

	in.MakeSocketDirs = true
	p, _, err = PolicyFor(in)
	require.NoError(t, err)
	require.Equal(t, []string{made}, p.UnixSockets)
	require.Equal(t, []string{made}, p.SocketDirs)
	info, err := os.Stat(made)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	require.NoError(t, os.Remove(made))
	require.NoError(t, os.WriteFile(made, nil, 0o600))
	_, notes, err = PolicyFor(in)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(notes), "no directory of this user")
}
