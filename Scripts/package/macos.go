package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/flash-launcher/flash/internal/login"
)

const (
	bundleID   = login.Label
	minimumOS  = "14.0"
	agentLabel = login.Label
	appsFolder = "/Applications/Flash.app"
)

// infoPlist says what the bundle is and why macOS should let it do what it asks
// for. Accessibility has no text of its own: System Settings shows the name.
func infoPlist(version string) string {
	return login.PropertyList([]login.Entry{
		{"CFBundleIdentifier", bundleID},
		{"CFBundleName", "Flash"},
		{"CFBundleDisplayName", "Flash"},
		{"CFBundleExecutable", "flash"},
		{"CFBundleIconFile", "flash"},
		{"CFBundleInfoDictionaryVersion", "6.0"},
		{"CFBundlePackageType", "APPL"},
		{"CFBundleShortVersionString", version},
		{"CFBundleVersion", version},
		{"LSMinimumSystemVersion", minimumOS},
		{"LSUIElement", true},
		{"NSHighResolutionCapable", true},
		{"NSSupportsAutomaticTermination", false},
		{"NSSupportsSuddenTermination", false},
		{"NSAppleEventsUsageDescription", "Flash asks browsers for their tabs and other applications to show what you chose."},
		// The key of macOS; the ones that name when or how often are those of iOS.
		{"NSLocationUsageDescription", "macOS tells the name of the wireless network only to applications that may know the location. Flash shows that name in the menu bar."},
		{"NSDesktopFolderUsageDescription", searchesFolder},
		{"NSDocumentsFolderUsageDescription", searchesFolder},
		{"NSDownloadsFolderUsageDescription", searchesFolder},
	})
}

const searchesFolder = "Flash looks here for files by their names when you search for files."

// entitlements are what the hardened runtime has to be told: without them macOS
// refuses Apple events and the location without asking the user. They count for
// the programs that Flash starts as well, such as osascript, for whom it answers.
func entitlements() string {
	return login.PropertyList([]login.Entry{
		{"com.apple.security.automation.apple-events", true},
		{"com.apple.security.personal-information.location", true},
	})
}

// adHoc is the identity of nobody.
const adHoc = "-"

// codesign is how a program or the bundle is signed. Notarization takes a
// signature with Apple's time in it, which only an identity gets.
func codesign(identity, rights, path string) []string {
	argv := []string{"codesign", "--force", "--options", "runtime", "--timestamp"}
	if identity == adHoc {
		argv[len(argv)-1] += "=none"
	}
	if rights != "" {
		argv = append(argv, "--entitlements", rights)
	}
	return append(argv, "--sign", identity, path)
}

// launchAgent is what `flash autostart enable` writes for the bundle where it
// usually is, for those who put it in place by other means.
func launchAgent() string { return login.LaunchAgent(appsFolder + "/Contents/MacOS/flash") }

func cask(version, sum string) string {
	return fmt.Sprintf(`cask "flash" do
  version "%s"
  sha256 "%s"

  url "%s/releases/download/v#{version}/Flash-#{version}.zip"
  name "Flash"
  desc "%s"
  homepage "%s"

  depends_on macos: ">= :sonoma"

  app "Flash.app"
  binary "#{appdir}/Flash.app/Contents/MacOS/flash"

  uninstall quit:      "%s",
            launchctl: "%s"

  zap trash: [
    "~/Library/Application Support/Flash",
    "~/Library/Logs/Flash",
  ]
end
`, version, sum, homeURL, summary, homeURL, bundleID, agentLabel)
}

func packageMacOS(out, identity string) error {
	if runtime.GOOS != "darwin" {
		return errors.New("the bundle is built on macOS: its programs link AppKit, and lipo and codesign are part of the Xcode command line tools")
	}
	stage, err := os.MkdirTemp("", "flash-package-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	for _, arch := range []string{"arm64", "amd64"} {
		if err := build(filepath.Join(stage, arch), "darwin", arch, true); err != nil {
			return err
		}
	}
	app := filepath.Join(stage, "Flash.app")
	bin := filepath.Join(app, "Contents/MacOS")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, p := range programs {
		if err := tool("lipo", "-create", "-output", filepath.Join(bin, p), filepath.Join(stage, "arm64", p), filepath.Join(stage, "amd64", p)); err != nil {
			return err
		}
	}
	version, err := versionOf(filepath.Join(bin, "flash"))
	if err != nil {
		return err
	}
	if err := stageMacOS(app, version); err != nil {
		return err
	}
	rights := filepath.Join(stage, "flash.entitlements")
	if err := write(rights, strings.NewReader(entitlements()), 0o644); err != nil {
		return err
	}
	// Inside out: the bundle's own signature is that of its main program, and seals
	// that of the other one.
	for _, argv := range [][]string{
		codesign(identity, "", filepath.Join(bin, "flash-plugin")), codesign(identity, rights, app),
		{"codesign", "--verify", "--strict", "--deep", app},
	} {
		if err := tool(argv[0], argv[1:]...); err != nil {
			return err
		}
	}
	archive := filepath.Join(out, "Flash-"+version+".zip")
	sum, err := zipTree(archive, stage, "Flash.app")
	if err != nil {
		return err
	}
	if err := write(filepath.Join(out, "flash.rb"), strings.NewReader(cask(version, sum)), 0o644); err != nil {
		return err
	}
	fmt.Println(archive)
	return nil
}

// stageMacOS lays the bundle out around the programs that are in it.
func stageMacOS(app, version string) error {
	in := func(path string) string { return filepath.Join(app, "Contents", path) }
	if err := putPlugins(in("Resources/plugins"), in("MacOS")); err != nil {
		return err
	}
	icon, err := icns()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		to   string
		from io.Reader
		mode os.FileMode
	}{
		{"Info.plist", strings.NewReader(infoPlist(version)), 0o644},
		{"PkgInfo", strings.NewReader("APPL????"), 0o644},
		{"Resources/flash.icns", bytes.NewReader(icon), 0o644},
		{"Resources/" + agentLabel + ".plist", strings.NewReader(launchAgent()), 0o644},
	} {
		if err := write(in(f.to), f.from, f.mode); err != nil {
			return err
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if err := put(name, in("Resources/"+name), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// zipTree packs a folder of dir, links as links, and returns the archive's
// SHA-256.
func zipTree(archive, dir, name string) (sum string, err error) {
	f, err := os.Create(archive)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	z := zip.NewWriter(io.MultiWriter(f, hash))
	files, err := contents(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	for _, rel := range files {
		if err := zipOne(z, filepath.Join(dir, name, rel), name+"/"+filepath.ToSlash(rel)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(z.Close(), f.Close())
}

func zipOne(z *zip.Writer, path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	h, err := zip.FileInfoHeader(info)
	if err != nil {
		return err
	}
	h.Name, h.Method = name, zip.Deflate
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, to)
		return err
	}
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = io.Copy(w, src)
	return err
}
