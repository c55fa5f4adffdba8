package desktop

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// home is a session of its own on disk: a home, data directories, a PATH.
type home struct {
	t   *testing.T
	dir string
	env environ
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h := &home{t: t, dir: dir}
	for _, d := range []string{"data", "sys", "bin", "run", "config"} {
		require.NoError(t, os.MkdirAll(h.path(d), 0o700))
	}
	h.env = environ{
		"HOME=" + dir, "XDG_DATA_HOME=" + h.path("data"), "XDG_DATA_DIRS=" + h.path("sys") + ":relative:" + h.path("late"),
		"XDG_CONFIG_HOME=" + h.path("config"), "XDG_CONFIG_DIRS=" + h.path("etc"), "XDG_RUNTIME_DIR=" + h.path("run"),
		"PATH=" + h.path("bin") + ":/usr/bin:/bin", "LANG=de_DE.UTF-8",
	}
	return h
}

func (h *home) path(p string) string { return filepath.Join(h.dir, p) }

func (h *home) write(p, text string) string {
	h.t.Helper()
	require.NoError(h.t, os.MkdirAll(filepath.Dir(h.path(p)), 0o700))
	require.NoError(h.t, os.WriteFile(h.path(p), []byte(text), 0o600))
	return h.path(p)
}

// entry writes an application entry that starts exec.
func (h *home) entry(p, name, exec string, more ...string) {
	h.t.Helper()
	h.write(p, "[Desktop Entry]\nType=Application\nName="+name+"\nExec="+exec+"\n"+strings.Join(more, "\n")+"\n")
}

// program writes an executable script into the session's PATH.
func (h *home) program(name, body string) string {
	h.t.Helper()
	p := h.write("bin/"+name, "#!/bin/sh\n"+body+"\n")
	require.NoError(h.t, os.Chmod(p, 0o700))
	return p
}

func (h *home) facets() *Facets {
	ctx, cancel := context.WithCancel(context.Background())
	h.t.Cleanup(cancel)
	return New(ctx, h.env)
}

func (h *home) list() map[string]App {
	h.t.Helper()
	apps, err := h.facets().Apps.List(context.Background())
	require.NoError(h.t, err)
	out := map[string]App{}
	last := ""
	for _, a := range apps {
		require.Less(h.t, last, a.ID, "the list is not ordered")
		last = a.ID
		out[a.ID] = a
	}
	return out
}

func names(apps map[string]App) map[string]string {
	out := map[string]string{}
	for id, a := range apps {
		out[id] = a.Name
	}
	return out
}

func TestTheMostImportantFileOfAnIDWins(t *testing.T) {
	h := newHome(t)
	h.entry("data/applications/a.desktop", "Mine", "true")
	h.entry("sys/applications/a.desktop", "System", "true")
	h.entry("sys/applications/vendor/sub/b.desktop", "Nested", "true")
	h.entry("sys/applications/kept.desktop", "Kept", "true")
	h.write("data/applications/deleted.desktop", "[Desktop Entry]\nHidden=true\n")
	h.entry("sys/applications/deleted.desktop", "Deleted", "true")
	h.write("data/applications/broken.desktop", "nonsense")
	h.entry("sys/applications/broken.desktop", "Below a broken one", "true")
	h.entry("relative/applications/r.desktop", "Relative", "true")
	assert.Equal(t, map[string]string{"a": "Mine", "vendor-sub-b": "Nested", "kept": "Kept", "broken": "Below a broken one"}, names(h.list()))
}

func TestOnlyWhatTheSessionCanStartIsListed(t *testing.T) {
	h := newHome(t)
	h.env = append(h.env, "XDG_CURRENT_DESKTOP=ubuntu:GNOME")
	h.program("there", "")
	h.entry("sys/applications/plain.desktop", "Plain", "there")
	h.entry("sys/applications/nodisplay.desktop", "x", "there", "NoDisplay=true")
	h.entry("sys/applications/only-kde.desktop", "x", "there", "OnlyShowIn=KDE;")
	h.entry("sys/applications/only-gnome.desktop", "Ours", "there", "OnlyShowIn=KDE;GNOME;")
	h.entry("sys/applications/not-ubuntu.desktop", "x", "there", "NotShowIn=ubuntu;", "OnlyShowIn=GNOME;")
	h.entry("sys/applications/try.desktop", "x", "there", "TryExec=missing")
	h.entry("sys/applications/tried.desktop", "Tried", "there", "TryExec="+h.path("bin/there"))
	h.entry("sys/applications/gone.desktop", "x", "missing --x")
	h.entry("sys/applications/badexec.desktop", "x", "there %z")
	h.write("sys/applications/link.desktop", "[Desktop Entry]\nType=Link\nName=x\nURL=https://x.test\n")
	h.write("sys/applications/notes.txt", "x")
	h.write("sys/applications/bus.desktop", "[Desktop Entry]\nType=Application\nName=Bus\nDBusActivatable=true\n")
	assert.Equal(t, map[string]string{"plain": "Plain", "only-gnome": "Ours", "tried": "Tried", "bus": "Bus"}, names(h.list()))
}

func TestNamesComeInTheUsersLanguageWithTheirOthers(t *testing.T) {
	h := newHome(t)
	h.program("files", "")
	h.entry("sys/applications/org.example.Files.desktop", "Files", "env A=b files --new %U", "Name[de]=Dateien", "GenericName=File Manager",
		"GenericName[de]=Dateiverwaltung", "Keywords=folder;disk;", "Keywords[de]=Ordner;", "Icon=ic", "Comment=Manage files", "Actions=win;", "[Desktop Action win]", "Name=New Window", "Exec=files")
	a := h.list()["org.example.Files"]
	assert.Equal(t, App{
		ID: "org.example.Files", Name: "Dateien", PlainName: "Files", GenericName: "Dateiverwaltung", PlainGenericName: "File Manager",
		Comment: "Manage files", Keywords: []string{"Ordner"}, Program: "files", Path: h.path("sys/applications/org.example.Files.desktop"), Icon: "ic",
		Actions: []Action{{"win", "New Window"}},
	}, a)
}

func TestASecondLookSeesWhatChangedAndNothingElse(t *testing.T) {
	h := newHome(t)
	h.entry("data/applications/a.desktop", "One", "true")
	h.entry("data/applications/b.desktop", "Two", "true")
	l := newLibrary(h.env)
	first := l.read()
	h.entry("data/applications/a.desktop", "Other", "true")
	require.NoError(t, os.Chtimes(h.path("data/applications/a.desktop"), time.Now(), time.Unix(1, 0)))
	second := l.read()
	assert.Equal(t, "Other", second.items["a"].Name)
	assert.Same(t, first.items["b"].Entry, second.items["b"].Entry, "an unchanged file was parsed again")
	require.NoError(t, os.Remove(h.path("data/applications/b.desktop")))
	assert.Equal(t, []string{"a"}, l.read().order)
	assert.Len(t, l.files, 1, "a deleted file is still remembered")
}

func TestALoopOfLinksAndAPipeDoNotHangTheReading(t *testing.T) {
	h := newHome(t)
	h.entry("sys/applications/a.desktop", "A", "true")
	require.NoError(t, os.Symlink("..", h.path("sys/applications/up")))
	require.NoError(t, os.Symlink("loop.desktop", h.path("sys/applications/loop.desktop")))
	require.NoError(t, mkfifo(h.path("sys/applications/pipe.desktop")))
	apps := h.list()
	assert.Contains(t, apps, "a")
	assert.NotContains(t, apps, "pipe")
}

func BenchmarkList(b *testing.B) {
	a := pick(environ{"HOME=" + b.TempDir(), "XDG_DATA_DIRS=" + manyApps(b, 300), "PATH=/usr/bin:/bin"}).Apps
	for b.Loop() {
		if list, err := a.List(context.Background()); err != nil || len(list) != 300 {
			b.Fatal(len(list), err)
		}
	}
}

func BenchmarkFirstList(b *testing.B) {
	env := environ{"HOME=" + b.TempDir(), "XDG_DATA_DIRS=" + manyApps(b, 300), "PATH=/usr/bin:/bin"}
	for b.Loop() {
		if _, err := pick(env).Apps.List(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func manyApps(b *testing.B, n int) string {
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "applications"), 0o700); err != nil {
		b.Fatal(err)
	}
	var langs strings.Builder
	for i := range 60 {
		langs.WriteString("Comment[l" + string(rune('a'+i%26)) + "]=what it is for in some other language\n")
	}
	for i := range n {
		text := "[Desktop Entry]\nType=Application\nName=App\nExec=true %U\n" + langs.String()
		if err := os.WriteFile(filepath.Join(dir, "applications", "app"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".desktop"), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}
