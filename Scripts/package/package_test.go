package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	// The packager works in the project's root, like every script.
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// developersOnly are words that no file of a package has in its name: what they
// belong to is for those who work on Flash.
var developersOnly = []string{"conformance", "probe", "measure", "benchmark", "pprof", "prof", "trace", "_test", "testdata", "darwin-check"}

func assertForUsers(t *testing.T, files []string) {
	t.Helper()
	for _, f := range files {
		// The tools for plugin authors are verbs of the one program; their pages come with it.
		if strings.Contains(f, "/man1/") {
			continue
		}
		for _, word := range developersOnly {
			assert.NotContains(t, strings.ToLower(f), word)
		}
	}
}

func ids(t *testing.T) []string {
	all, err := plugins()
	require.NoError(t, err)
	require.Contains(t, all, "calculator")
	return all
}

func TestTheDebianPackageIsInstalledAndItsResidentAnswers(t *testing.T) {
	for _, name := range []string{"dpkg-deb", "dpkg"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no " + name)
		}
	}
	out := t.TempDir()
	require.NoError(t, run([]string{"linux", "-out", out}))
	debs, err := filepath.Glob(filepath.Join(out, "flash-launcher_*.deb"))
	require.NoError(t, err)
	require.Len(t, debs, 1)
	root := t.TempDir()
	install := exec.Command("dpkg-deb", "-x", debs[0], root)
	if os.Geteuid() == 0 {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
		install = exec.Command("dpkg", "--root="+root, "--force-script-chrootless", "--install", debs[0])
	}
	text, err := install.CombinedOutput()
	require.NoError(t, err, string(text))
	require.NoError(t, os.RemoveAll(filepath.Join(root, "var")))

	files, err := contents(root)
	require.NoError(t, err)
	assertForUsers(t, files)
	want := []string{"usr/bin/flash", linuxBin + "/flash", linuxBin + "/flash-plugin", "usr/lib/systemd/user/flash.service",
		linuxDoc + "/copyright", "usr/share/man/man1/flash.1.gz", "usr/share/bash-completion/completions/flash"}
	for _, id := range ids(t) {
		want = append(want, linuxBin+"/flash-plugin-"+id, linuxPlugins+"/"+id+"/manifest.json")
	}
	assert.Subset(t, files, want)

	home := t.TempDir()
	flash := func(args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(root, "usr/bin/flash"), args...)
		cmd.Env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	said, err := flash("start")
	require.NoError(t, err, said)
	defer flash("stop")
	said, err = flash("query", "2+2")
	require.NoError(t, err, said)
	assert.Contains(t, said, "4")
	said, err = flash("plugins")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^calculator\s+running`, said)
	said, err = flash("stop")
	require.NoError(t, err, said)
}

func TestTheUserUnitHolds(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	// The unit names a program that is not installed here.
	unit := filepath.Join(t.TempDir(), "flash.service")
	require.NoError(t, os.WriteFile(unit, []byte(strings.Replace(userUnit(), "/usr/bin/flash", "/bin/true", 1)), 0o644))
	verify := exec.Command("systemd-analyze", "--user", "--man=no", "verify", unit)
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	text, err := verify.CombinedOutput()
	assert.NoError(t, err, string(text))
}

// bundle is one whose programs are empty.
func bundle(t *testing.T) string {
	app := filepath.Join(t.TempDir(), "Flash.app")
	for _, p := range programs {
		require.NoError(t, write(filepath.Join(app, "Contents/MacOS", p), strings.NewReader("program"), 0o755))
	}
	require.NoError(t, stageMacOS(app, "1.2.3"))
	return app
}

func TestTheBundleHoldsWhatItMustAndNoMore(t *testing.T) {
	files, err := contents(bundle(t))
	require.NoError(t, err)
	assertForUsers(t, files)
	want := []string{"Contents/Info.plist", "Contents/PkgInfo", "Contents/MacOS/flash", "Contents/MacOS/flash-plugin",
		"Contents/Resources/flash.icns", "Contents/Resources/LICENSE", "Contents/Resources/NOTICE", "Contents/Resources/" + agentLabel + ".plist"}
	for _, id := range ids(t) {
		want = append(want, "Contents/MacOS/flash-plugin-"+id, "Contents/Resources/plugins/"+id+"/manifest.json", "Contents/Resources/plugins/"+id+"/README.md")
	}
	assert.ElementsMatch(t, want, files)
}

// keysOf reads a property list's outer dictionary: its keys and, for strings,
// their values.
func keysOf(t *testing.T, text string) map[string]string {
	d := xml.NewDecoder(strings.NewReader(text))
	out, key, depth := map[string]string{}, "", 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		switch e := tok.(type) {
		case xml.StartElement:
			if e.Name.Local == "dict" || e.Name.Local == "array" {
				depth++
				continue
			}
			if depth != 1 {
				continue
			}
			var s string
			require.NoError(t, d.DecodeElement(&s, &e))
			if e.Name.Local == "key" {
				key = s
				out[key] = ""
			} else if out[key] = s; s == "" {
				out[key] = e.Name.Local
			}
		case xml.EndElement:
			if e.Name.Local == "dict" || e.Name.Local == "array" {
				depth--
			}
		}
	}
}

func TestThePropertyListsSayWhatMacOSAsks(t *testing.T) {
	info := keysOf(t, infoPlist("1.2.3"))
	assert.Equal(t, "flash", info["CFBundleExecutable"])
	assert.Equal(t, "1.2.3", info["CFBundleShortVersionString"])
	assert.Equal(t, "true", info["LSUIElement"])
	assert.Equal(t, minimumOS, info["LSMinimumSystemVersion"])
	usage := 0
	for key, value := range info {
		if strings.HasSuffix(key, "UsageDescription") {
			assert.Contains(t, value, "Flash", key)
			usage++
		}
	}
	assert.Equal(t, 5, usage)
	for _, key := range []string{"NSAppleEventsUsageDescription", "NSLocationUsageDescription"} {
		assert.Contains(t, info, key, "macOS asks nobody without it")
	}
	agent := keysOf(t, launchAgent())
	assert.Equal(t, agentLabel, agent["Label"])
	assert.Equal(t, "true", agent["RunAtLoad"])
	assert.Contains(t, launchAgent(), "<string>"+appsFolder+"/Contents/MacOS/flash</string>")
}

// What has a text that asks for it and no entitlement is refused unasked.
func TestTheProgramIsSignedForWhatItsTextsAskFor(t *testing.T) {
	assert.Equal(t, map[string]string{
		"com.apple.security.automation.apple-events": "true", "com.apple.security.personal-information.location": "true",
	}, keysOf(t, entitlements()))
	assert.Equal(t, []string{"codesign", "--force", "--options", "runtime", "--timestamp=none", "--entitlements", "/e", "--sign", "-", "/a"}, codesign(adHoc, "/e", "/a"))
	assert.Equal(t, []string{"codesign", "--force", "--options", "runtime", "--timestamp", "--sign", "Developer ID", "/a"}, codesign("Developer ID", "", "/a"))
}

func TestTheArchiveKeepsLinksAndModesAndTheCaskItsSum(t *testing.T) {
	app := bundle(t)
	archive := filepath.Join(t.TempDir(), "Flash.zip")
	sum, err := zipTree(archive, filepath.Dir(app), "Flash.app")
	require.NoError(t, err)
	z, err := zip.OpenReader(archive)
	require.NoError(t, err)
	defer z.Close()
	modes := map[string]os.FileMode{}
	for _, f := range z.File {
		modes[f.Name] = f.Mode()
	}
	assert.Equal(t, os.FileMode(0o755), modes["Flash.app/Contents/MacOS/flash"])
	assert.NotZero(t, modes["Flash.app/Contents/MacOS/flash-plugin-calculator"]&os.ModeSymlink)
	assert.Contains(t, cask("1.2.3", sum), `sha256 "`+sum+`"`)
	assert.Contains(t, cask("1.2.3", sum), "Flash-#{version}.zip")
}

func TestTheIconFileHoldsEachSize(t *testing.T) {
	data, err := icns()
	require.NoError(t, err)
	require.Equal(t, "icns", string(data[:4]))
	require.Equal(t, len(data), int(binary.BigEndian.Uint32(data[4:])))
	rest := data[8:]
	for _, k := range icnsKinds {
		require.Equal(t, k.kind, string(rest[:4]))
		n := binary.BigEndian.Uint32(rest[4:])
		img, err := png.Decode(bytes.NewReader(rest[8:n]))
		require.NoError(t, err)
		assert.Equal(t, k.side, img.Bounds().Dx())
		_, _, _, corner := img.At(0, 0).RGBA()
		_, _, _, middle := img.At(k.side/2, k.side/2).RGBA()
		assert.Zero(t, corner)
		assert.Equal(t, uint32(0xffff), middle)
		rest = rest[n:]
	}
	assert.Empty(t, rest)
}
