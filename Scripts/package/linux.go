package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/flash-launcher/flash/internal/login"
)

// The programs are in a folder of their own, with the plugins' names linked
// beside them; /usr/bin has a link to the one that people call.
const (
	linuxBin     = "usr/lib/flash/bin"
	linuxPlugins = "usr/lib/flash/plugins"
	linuxDoc     = "usr/share/doc/flash-launcher"
)

// userUnit starts the resident with the user's session, once the user has said
// so with `flash autostart enable`.
func userUnit() string { return login.UserUnit("/usr/bin/flash") }

func controlFile(version, arch string, kib int64) string {
	return fmt.Sprintf(`Package: flash-launcher
Version: %s
Architecture: %s
Maintainer: Flash <%s>
Installed-Size: %d
Section: utils
Priority: optional
Homepage: %s
Recommends: xdg-utils, dbus, at-spi2-core
Suggests: tmux, plocate, wl-clipboard
Description: %s
 A hotkey opens a typo-tolerant search over applications, windows, browser tabs,
 tmux windows, files and what plugins publish. Each plugin is a process of its
 own in its own sandbox.
`, version, arch, "flash-launcher@users.noreply.github.com", kib, homeURL, summary)
}

func packageLinux(out, arch string) error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return fmt.Errorf("dpkg-deb is not here: run this on Debian or Ubuntu, or install the package dpkg")
	}
	stage, err := os.MkdirTemp("", "flash-package-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	root := filepath.Join(stage, "root")
	if err := build(filepath.Join(root, linuxBin), "linux", arch, false); err != nil {
		return err
	}
	// What is not for this machine cannot be asked for its manual.
	native := filepath.Join(root, linuxBin)
	if arch != runtime.GOARCH {
		native = filepath.Join(stage, "native")
		if err := build(native, "linux", runtime.GOARCH, false); err != nil {
			return err
		}
	}
	version, err := versionOf(filepath.Join(native, "flash"))
	if err != nil {
		return err
	}
	if err := stageLinux(root, filepath.Join(native, "flash"), version, arch); err != nil {
		return err
	}
	deb := filepath.Join(out, fmt.Sprintf("flash-launcher_%s_%s.deb", version, arch))
	if err := tool("dpkg-deb", "--root-owner-group", "--build", root, deb); err != nil {
		return err
	}
	fmt.Println(deb)
	return nil
}

// stageLinux lays the package's tree out around the programs that are in it.
// flash is one that runs here.
func stageLinux(root, flash, version, arch string) error {
	if err := putPlugins(filepath.Join(root, linuxPlugins), filepath.Join(root, linuxBin)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, "usr/bin"), 0o755); err != nil {
		return err
	}
	if err := os.Symlink("../lib/flash/bin/flash", filepath.Join(root, "usr/bin/flash")); err != nil {
		return err
	}
	for to, text := range map[string]string{
		"usr/lib/systemd/user/" + login.Unit: userUnit(),
		linuxDoc + "/copyright":              "",
		linuxDoc + "/NOTICE":                 "",
		linuxDoc + "/CHANGELOG.md":           "",
	} {
		var from io.Reader = strings.NewReader(text)
		if text == "" {
			name := filepath.Base(to)
			if name == "copyright" {
				name = "LICENSE"
			}
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			from = f
		}
		if err := write(filepath.Join(root, to), from, 0o644); err != nil {
			return err
		}
	}
	if err := manuals(root, flash); err != nil {
		return err
	}
	for shell, to := range map[string]string{
		"bash": "usr/share/bash-completion/completions/flash",
		"zsh":  "usr/share/zsh/vendor-completions/_flash",
		"fish": "usr/share/fish/vendor_completions.d/flash.fish",
	} {
		text, err := exec.Command(flash, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("flash completion %s: %w", shell, err)
		}
		if err := write(filepath.Join(root, to), strings.NewReader(string(text)), 0o644); err != nil {
			return err
		}
	}
	var bytes int64
	files, err := contents(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		if info, err := os.Lstat(filepath.Join(root, f)); err == nil {
			bytes += info.Size()
		}
	}
	return write(filepath.Join(root, "DEBIAN/control"), strings.NewReader(controlFile(version, arch, bytes>>10)), 0o644)
}

// manuals writes the manual pages, compressed as Debian wants them.
func manuals(root, flash string) error {
	temp, err := os.MkdirTemp("", "flash-man-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := tool(flash, "man", "--dir", temp); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(temp, "*.1"))
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("flash man wrote no pages: %w", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		var b strings.Builder
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(text); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		to := filepath.Join(root, "usr/share/man/man1", filepath.Base(page)+".gz")
		if err := write(to, strings.NewReader(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
