package desktop

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProcessesAreMappedToTheirApplications(t *testing.T) {
	h := newHome(t)
	for _, p := range []string{"browser", "office", "tweaks", "code", "edit"} {
		h.program(p, "")
	}
	h.write("opt/chat/chat", "")
	h.write("opt/chat/chat-start", "")
	require.NoError(t, os.Chmod(h.path("opt/chat/chat-start"), 0o700))
	require.NoError(t, os.Symlink(h.path("opt/chat/chat-start"), h.path("bin/chatty")))
	h.entry("sys/applications/browser.desktop", "Browser", "browser %U")
	h.entry("sys/applications/writer.desktop", "Writer", "office --writer %U")
	h.entry("sys/applications/calc.desktop", "Calc", "office --calc %U")
	h.entry("sys/applications/office-start.desktop", "Office", "office %U")
	h.entry("sys/applications/office-mime.desktop", "Office", "office %U", "NoDisplay=true")
	h.entry("sys/applications/tweaks.desktop", "Tweaks", "tweaks")
	h.entry("sys/applications/code-url.desktop", "Code", "code --open-url %U", "NoDisplay=true")
	h.entry("sys/applications/code.desktop", "Code", "code %F")
	h.entry("sys/applications/chat.desktop", "Chat", "chatty")
	h.entry("sys/applications/edit.desktop", "Edit", "edit %F", "Terminal=true")
	h.entry("sys/applications/org.x.My-App.desktop", "My", "no-such")
	o := newOwners(newLibrary(h.env).read())
	for _, c := range []struct {
		p    proc
		want string
	}{
		{proc{exe: h.path("bin/browser")}, "browser"},
		{proc{exe: h.path("bin/office"), argv: []string{"office", "--calc", "/tmp/x"}}, "calc"},
		{proc{exe: h.path("bin/office"), argv: []string{"office"}}, "office-start"},
		{proc{exe: "/usr/bin/python3.11", argv: []string{"python3", h.path("bin/tweaks")}}, "tweaks"},
		{proc{exe: "/usr/bin/vim", argv: []string{"vim", h.path("bin/tweaks")}}, ""},
		{proc{exe: "/usr/share/code/code", argv: []string{"/usr/share/code/code", "--type=renderer"}}, "code"},
		{proc{exe: h.path("opt/chat/chat")}, "chat"},
		{proc{exe: h.path("bin/edit")}, ""},
		{proc{exe: "/usr/bin/other"}, ""},
		{proc{exe: "/x", unit: `app-gnome-org.x.My\x2dApp-1234.scope`}, "org.x.My-App"},
		{proc{exe: "/x", unit: "app-flatpak-browser-99.scope"}, "browser"},
		{proc{exe: "/x", unit: "app-browser@abc.service"}, "browser"},
		{proc{exe: "/x", unit: "app-unknown-1.scope"}, ""},
		{proc{exe: "/x", unit: "browser.service"}, ""},
	} {
		assert.Equal(t, c.want, o.find(c.p), "%+v", c.p)
	}

	procs := []proc{
		{pid: 10, ppid: 1, exe: h.path("bin/browser")},
		{pid: 11, ppid: 10, exe: h.path("bin/browser")},
		{pid: 12, ppid: 11, exe: "/bin/helper"},
		{pid: 13, ppid: 12, exe: h.path("bin/browser")},
		{pid: 9, ppid: 1, exe: h.path("bin/browser")},
		{pid: 20, ppid: 21, exe: h.path("bin/tweaks")},
		{pid: 21, ppid: 20, exe: "/bin/loop"},
	}
	got := o.running(procs)
	assert.Equal(t, []int{9, 10}, got["browser"], "only the roots of its trees")
}

func TestTheParentIsReadPastAStrangeProcessName(t *testing.T) {
	assert.Equal(t, 42, parentPID([]byte("7 (a) R 1 (x)) S 42 7 7 0")))
	assert.Equal(t, 0, parentPID([]byte("junk")))
	assert.Equal(t, 0, parentPID(nil))
}

func TestARunningApplicationIsFoundInTheRealProcessTable(t *testing.T) {
	h := newHome(t)
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	data, err := os.ReadFile(sleep)
	require.NoError(t, err)
	bin := h.write("bin/napper", string(data))
	require.NoError(t, os.Chmod(bin, 0o700))
	h.entry("data/applications/nap.desktop", "Nap", "napper 60", "Name[de]=Schlaf")
	f := h.facets()
	require.NoError(t, f.Apps.Launch(context.Background(), "nap", nil))
	apps, err := f.Apps.Running(context.Background())
	require.NoError(t, err)
	require.Len(t, apps, 1)
	assert.Equal(t, "nap", apps[0].BundleID)
	assert.Equal(t, "Schlaf", apps[0].LocalizedName)
	assert.Equal(t, []int{apps[0].PID}, h.list()["nap"].Running)
	require.NoError(t, syscall.Kill(apps[0].PID, syscall.SIGKILL))
	eventually(t, "it still shows", func() bool {
		apps, err := f.Apps.Running(context.Background())
		return err == nil && len(apps) == 0
	})
}

func FuzzUnitName(f *testing.F) {
	for _, s := range []string{`app-gnome-org.x.My\x2dApp-1.scope`, "app-a@b.service", `app-\x.scope`, "app--.scope", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		if id := unitApp(unit, func(id string) bool { return id == "browser" }); id != "" && id != "browser" {
			t.Fatalf("an id that is not known: %q", id)
		}
		parentPID([]byte(unit))
	})
}

func BenchmarkRunning(b *testing.B) {
	a := pick(environ{"HOME=" + b.TempDir(), "XDG_DATA_DIRS=" + manyApps(b, 300), "PATH=/usr/bin:/bin"}).Apps
	procs, err := readProcs("/proc")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(procs)), "processes")
	for b.Loop() {
		if _, err := a.Running(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestUnitNamesAreEscapedForTheirManager(t *testing.T) {
	assert.Equal(t, `My\x2dApp\x20x_1.2`, escapeUnit("My-App x_1.2"))
	assert.Equal(t, `\x2ehidden`, escapeUnit(".hidden"))
	assert.Equal(t, "browser", unitApp("app-flash-"+escapeUnit("browser")+"-"+strconv.Itoa(7)+".scope", func(id string) bool { return id == "browser" }))
}
