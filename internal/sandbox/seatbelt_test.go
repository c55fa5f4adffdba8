package sandbox

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const macRoot = seatbelttest.Bundle + "/Plugins/demo"

// macInput is a plugin on the made-up Mac that declares nothing.
func macInput(t testing.TB) (PolicyInput, *seatbelttest.Mac) {
	t.Helper()
	files := seatbelttest.NewMac(t)
	program, data := seatbelttest.Bundle+"/MacOS/flash-plugin", seatbelttest.DataDirs+"/plugins/demo"
	files.Add(program, macRoot+"/manifest.json", data+"/storage.json")
	return PolicyInput{
		PluginID: "demo", GOOS: "darwin", Files: files, Home: seatbelttest.Home, LoginPath: "/usr/bin:/bin:" + seatbelttest.Brew,
		Root: macRoot, DataDir: data, Argv: []string{program},
		PluginsData: seatbelttest.DataDirs, ControlSocket: seatbelttest.Support + "/run/flash.sock",
		ExtraSecrets: []string{seatbelttest.Support + "/state", seatbelttest.Home + "/Library/Logs/Flash"},
		Getenv:       func(string) string { return "" },
	}, files
}

// readProfile is the policy's text, read by the evaluator.
func readProfile(t testing.TB, p *Policy) *seatbelttest.Profile {
	t.Helper()
	text, err := p.Seatbelt()
	require.NoError(t, err)
	profile, err := seatbelttest.Parse(text)
	require.NoError(t, err, text)
	return profile
}

func allowedOnMac(t testing.TB, p *Policy, operation, arg string) bool {
	t.Helper()
	allowed, err := readProfile(t, p).Allowed(operation, arg)
	require.NoError(t, err)
	return allowed
}

func TestSeatbeltProfiles(t *testing.T) {
	for name, change := range map[string]func(*PolicyInput, *seatbelttest.Mac){
		"nothing-declared": func(*PolicyInput, *seatbelttest.Mac) {},
		"everything-declared": func(in *PolicyInput, m *seatbelttest.Mac) {
			m.Add(seatbelttest.Home+`/odd "name" \ here`, "/tmp/shared/", "/var/run/app.sock", seatbelttest.Brew+"/git")
			in.Read = []string{"~", "~/.ssh/config", `~/odd "name" \ here`, "/tmp/shared"}
			in.ConfigWrite = []string{"/tmp/shared"}
			in.Exec = []string{"git"}
			in.UnixSockets = []string{"/var/run/app.sock"}
			in.Capabilities = []string{"network"}
			in.AppleEvents = true
			in.Mach = []string{"com.example.service"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, files := macInput(t)
			change(&in, files)
			p, notes, err := PolicyFor(in)
			require.NoError(t, err)
			require.Empty(t, notes)
			readProfile(t, p)
			got, err := p.Seatbelt()
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".sb")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

func TestASeatbeltPathIsQuotedOrRefused(t *testing.T) {
	got, err := quote(`a"b\c`)
	require.NoError(t, err)
	require.Equal(t, `"a\"b\\c"`, got)
	for _, bad := range []string{"a\nb", "a\x00b", "a\xffb"} {
		_, err := quote(bad)
		require.Error(t, err)
		_, err = (&Policy{Root: "/" + bad}).Seatbelt()
		require.ErrorContains(t, err, "cannot express")
	}
}

// A grant inside a secret is carved out within the deny, not allowed later.
func TestSeatbeltDeniesSecretsLastAndCarvesInside(t *testing.T) {
	p := &Policy{GOOS: "darwin", Read: []string{"/Users/u", "/Users/u/.ssh/config"}, DenyRead: []string{"/Users/u/.aws", "/Users/u/.ssh"}}
	text, err := p.Seatbelt()
	require.NoError(t, err)
	tail := text[strings.LastIndex(text, "(allow"):]
	require.Contains(t, tail, `(deny file-read* file-read-metadata file-test-existence file-write* (subpath "/Users/u/.aws"))`)
	require.Contains(t, tail, `(deny file-read* file-read-metadata file-test-existence (require-all (subpath "/Users/u/.ssh") (require-not (subpath "/Users/u/.ssh/config")) (require-not (literal "/Users/u/.ssh"))))`)
	require.Contains(t, tail, `(deny file-write* (subpath "/Users/u/.ssh"))`)
	require.True(t, allowedOnMac(t, p, "file-read-data", "/Users/u/.ssh/config"))
	require.True(t, allowedOnMac(t, p, "file-read-metadata", "/Users/u/.ssh"), "the way to what is granted may be looked at")
	require.False(t, allowedOnMac(t, p, "file-read-data", "/Users/u/.ssh"), "and not listed")
	require.False(t, allowedOnMac(t, p, "file-read-metadata", "/Users/u/.aws"))
	require.False(t, allowedOnMac(t, p, "file-read-metadata", "/Users/u/.ssh/id_rsa"))
}

// The right to read one file among secrets is not the right to write it, though
// a wider grant writes all around.
func TestASecretThatMayBeReadMayNotBeWritten(t *testing.T) {
	p := &Policy{GOOS: "darwin", Read: []string{"/Users/u/.ssh/config"}, Write: []string{"/Users/u"}, DenyRead: []string{"/Users/u/.ssh"}}
	require.True(t, allowedOnMac(t, p, "file-read-data", "/Users/u/.ssh/config"))
	require.False(t, allowedOnMac(t, p, "file-write-data", "/Users/u/.ssh/config"))
	require.False(t, allowedOnMac(t, p, "file-write-unlink", "/Users/u/.ssh/config"))
}

// Rules are about names. What holds a secret, and what the next policy
// resolves, keeps its name.
func TestNothingThatHoldsASecretOrIsGrantedCanBeMoved(t *testing.T) {
	p := &Policy{
		GOOS: "darwin", DataDir: "/data/mine", Write: []string{"/Users/u", "/w/file"}, Read: []string{"/Users/u/notes/public"},
		DenyRead: []string{"/Users/u/.config/gh", "/Users/u/.ssh", "/elsewhere/secret"},
	}
	for _, fixed := range []string{"/data/mine", "/w/file", "/Users/u", "/Users/u/.config", "/Users/u/.config/gh", "/Users/u/.ssh", "/Users/u/notes", "/Users/u/notes/public"} {
		require.False(t, allowedOnMac(t, p, "file-write-unlink", fixed), fixed)
		require.False(t, allowedOnMac(t, p, "file-write-create", fixed), fixed)
	}
	for _, free := range []string{"/data/mine/x", "/Users/u/.config/app", "/Users/u/notes/x", "/Users/u/notes/public/x"} {
		require.True(t, allowedOnMac(t, p, "file-write-unlink", free), free)
		require.True(t, allowedOnMac(t, p, "file-write-create", free), free)
	}
	require.True(t, allowedOnMac(t, p, "file-write-data", "/w/file"))
}

func TestPathsOfAProfileAreCanonical(t *testing.T) {
	in, files := macInput(t)
	files.Add("/tmp/shared/", "/var/run/app.sock", "/Volumes/Disk/u/.ssh/id_ed25519", "/Volumes/Disk/u/docs/")
	files.Link("/Volumes/Disk/u", "/Users/moved")
	in.Home = "/Users/moved"
	in.Read, in.UnixSockets, in.ConfigWrite = []string{"~"}, []string{"/var/run/app.sock"}, []string{"/tmp/shared"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	// Parsing refuses a path below /tmp, /var or /etc.
	for path, want := range map[string]bool{
		"/Volumes/Disk/u/docs/x": true, "/Users/moved/docs/x": false, "/private/tmp/shared/x": true,
		"/Volumes/Disk/u/.ssh/id_ed25519": false, "/Volumes/Disk/u/.aws/credentials": false,
	} {
		require.Equal(t, want, allowedOnMac(t, p, "file-read-data", path), path)
	}
	require.True(t, allowedOnMac(t, p, "network-outbound", "/private/var/run/app.sock"))
}

// sh(1) of macOS executes the shell that a link chooses.
func TestTheShellMayBecomeTheOneThatTheMachineHasChosen(t *testing.T) {
	in, files := macInput(t)
	in.Exec = []string{"sh"}
	p, _, err := PolicyFor(in)
	require.NoError(t, err)
	require.Equal(t, []string{"/bin/sh"}, p.Exec)
	files.Add("/bin/bash")
	files.Link("/bin/bash", "/private/var/select/sh")
	p, _, err = PolicyFor(in)
	require.NoError(t, err)
	require.True(t, allowedOnMac(t, p, "process-exec", "/bin/bash"))
	require.True(t, allowedOnMac(t, p, "file-read-data", "/private/var/select/sh"))
	require.False(t, allowedOnMac(t, p, "process-exec", "/bin/zsh"))
}

func TestAProfileThatIsSwitchedOffSaysSo(t *testing.T) {
	text, err := (&Policy{GOOS: "darwin", Disabled: true, DenyRead: []string{"/x"}}).Seatbelt()
	require.NoError(t, err)
	require.Equal(t, "(version 1)\n(allow default)\n", text)
}

// An operation that no grant is about stays denied under every grant.
func TestOperationsThatNoGrantIsAboutStayDenied(t *testing.T) {
	in, _ := macInput(t)
	p, _, err := PolicyFor(everyFeature(in))
	require.NoError(t, err)
	profile := readProfile(t, p)
	for _, op := range []string{
		"authorization-right-obtain", "device-camera", "device-microphone", "distributed-notification-post", "generic-issue-extension",
		"hid-control", "iokit-open", "iokit-set-properties", "ipc-posix-sem", "ipc-sysv-msg", "ipc-sysv-sem", "ipc-sysv-shm",
		"job-creation", "lsopen", "mach-priv-host-port", "nvram-set", "pseudo-tty", "system-acct", "system-audit",
		"system-kext-load", "system-privilege", "system-reboot", "system-set-time", "system-swap", "user-preference-read",
		"user-preference-write",
	} {
		allowed, err := profile.Allowed(op, "")
		require.NoError(t, err, op)
		require.False(t, allowed, op)
	}
	for _, op := range []string{"file-chroot", "file-clone", "file-link", "file-mknod", "file-mount", "file-revoke", "file-unmount"} {
		allowed, err := profile.Allowed(op, p.DataDir+"/x")
		require.NoError(t, err, op)
		require.False(t, allowed, op)
	}
}

func TestExitsAreExplained(t *testing.T) {
	p := &Policy{PluginID: "p", GOOS: "darwin", MemoryBytes: 256 << 20, FileBytes: 1 << 20}
	require.Contains(t, ExplainExit(p, Exit{Code: 65}, ""), "profile")
	require.Contains(t, ExplainExit(p, Exit{Code: 71}, ""), "denied executing")
	require.Contains(t, ExplainExit(p, Exit{Code: 71}, "sandbox-exec: execvp() of '/p' failed: Operation not permitted"), "denied executing")
	require.Empty(t, ExplainExit(p, Exit{Code: 65}, "bad data in feed.xml"), "the plugin's own code")
	require.Empty(t, ExplainExit(p, Exit{Code: 2}, "fatal error: runtime: out of memory"), "memory has no cap on macOS")
	require.Contains(t, ExplainExit(p, Exit{Code: -1, Signal: 25}, ""), "plugin p")
	require.Empty(t, ExplainExit(p, Exit{Code: 1}, "oops"))
	p.GOOS = "linux"
	require.Contains(t, ExplainExit(p, Exit{Code: 2}, "fatal error: runtime: out of memory"), "256 MiB")
	require.Empty(t, ExplainExit(p, Exit{Code: 65}, ""))
	require.Equal(t, "exit status 3", Exit{Code: 3}.String())
	require.Equal(t, "signal: killed", Exit{Code: -1, Signal: 9}.String())
}

func FuzzQuoteStaysInsideItsQuotes(f *testing.F) {
	for _, s := range []string{``, `/a`, `"`, `\`, `\"`, `a)(allow default)("`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := quote(s)
		if err != nil {
			return
		}
		body := q[1 : len(q)-1]
		for i := 0; i < len(body); i++ {
			if body[i] == '\\' {
				i++
				require.Less(t, i, len(body))
				continue
			}
			require.NotEqual(t, byte('"'), body[i])
		}
	})
}
