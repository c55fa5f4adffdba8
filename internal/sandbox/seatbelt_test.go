package sandbox

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// mac is a made-up macOS file system: /var, /tmp and /etc are symlinks into
// /private, and only what is listed exists.
type mac map[string]bool

func (m mac) Resolve(path string) (string, error) {
	for _, dir := range []string{"/var", "/tmp", "/etc"} {
		if within(path, dir) {
			path = "/private" + path
		}
	}
	if path == "/" || m[path] {
		return path, nil
	}
	for known := range m {
		if within(known, path) {
			return path, nil
		}
	}
	return "", &fs.PathError{Op: "lstat", Path: path, Err: fs.ErrNotExist}
}

func (m mac) Readlink(string) (string, error) { return "", errors.New("no link") }
func (m mac) Glob(string) []string            { return nil }
func (m mac) IsDir(path string) bool          { return strings.HasSuffix(path, ".d") }
func (m mac) MakeDir(string) error            { return nil }

func (m mac) Open(path string) (*os.File, error) {
	if _, err := m.Resolve(path); err != nil {
		return nil, err
	}
	// Any Mach-O looks alike to the policy: not a script, not an ELF file.
	return os.Open(filepath.Join("testdata", "macho"))
}

func macInput() PolicyInput {
	files := mac{}
	for _, path := range []string{
		"/usr/lib", "/System/Library", "/dev/null", "/private/etc/ssl", "/usr/bin/git",
		"/Users/u/.ssh/config", "/Users/u/Library/Application Support/Notes", "/private/var/run/app.sock",
		`/Users/u/odd "name" \ here`,
		"/Applications/Flash.app/Contents/MacOS/flash-plugin", "/Applications/Flash.app/Contents/Plugins/demo",
		"/Users/u/Library/Application Support/Flash/data/demo", "/private/tmp/shared",
	} {
		files[path] = true
	}
	return PolicyInput{
		PluginID: "demo", GOOS: "darwin", Files: files, Home: "/Users/u", LoginPath: "/usr/bin",
		Root: "/Applications/Flash.app/Contents/Plugins/demo", DataDir: "/Users/u/Library/Application Support/Flash/data/demo",
		Argv:        []string{"/Applications/Flash.app/Contents/MacOS/flash-plugin"},
		PluginsData: "/Users/u/Library/Application Support/Flash/data",
		Getenv:      func(string) string { return "" },
	}
}

func TestSeatbeltProfiles(t *testing.T) {
	for name, change := range map[string]func(*PolicyInput){
		"nothing-declared": func(*PolicyInput) {},
		"everything-declared": func(in *PolicyInput) {
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
			in := macInput()
			change(&in)
			p, notes, err := PolicyFor(in)
			require.NoError(t, err)
			require.Empty(t, notes)
			got, err := p.Seatbelt()
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".sb")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			require.Equal(t, strings.Count(got, "("), strings.Count(got, ")"))
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
	require.Contains(t, tail, `(deny file-read* file-write* (subpath "/Users/u/.aws"))`)
	require.Contains(t, tail, `(deny file-read* file-write* (require-all (subpath "/Users/u/.ssh") (require-not (subpath "/Users/u/.ssh/config"))))`)
}

func TestExitsAreExplained(t *testing.T) {
	p := &Policy{PluginID: "p", GOOS: "darwin", MemoryBytes: 256 << 20, FileBytes: 1 << 20}
	require.Contains(t, ExplainExit(p, Exit{Code: 65}, ""), "profile")
	require.Contains(t, ExplainExit(p, Exit{Code: 71}, ""), "denied executing")
	require.Contains(t, ExplainExit(p, Exit{Code: 2}, "fatal error: runtime: out of memory"), "256 MiB")
	require.Contains(t, ExplainExit(p, Exit{Code: -1, Signal: 25}, ""), "plugin p")
	require.Empty(t, ExplainExit(p, Exit{Code: 1}, "oops"))
	p.GOOS = "linux"
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
