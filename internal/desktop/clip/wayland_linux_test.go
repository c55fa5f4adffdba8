package clip

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

// compositor is a sway that shows nothing, as another user where this one is
// root, which it refuses.
type compositor struct {
	t     *testing.T
	env   []string
	way   *Wayland
	kill  func()
	watch *Watch
	told  chan string
}

func newCompositor(t *testing.T) *compositor {
	t.Helper()
	leaktest.Check(t)
	desktoptest.Need(t, "sway", "wl-copy", "wl-paste")
	dir, err := os.MkdirTemp("", "flash-sway-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte("xwayland disable\n"), 0o644))
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	cmd := exec.Command("sway", "--config", filepath.Join(dir, "config"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir,
		"WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_HEADLESS_OUTPUTS=1",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		require.NoError(t, os.Chown(dir, nobody, nobody))
	}
	require.NoError(t, cmd.Start())
	kill := sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	c := &compositor{t: t, kill: kill, told: make(chan string, 64)}
	require.Eventually(t, func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "wayland-?"))
		if len(found) == 0 {
			return false
		}
		if NewWayland(found[0]).Probe() != nil {
			return false
		}
		c.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=" + found[0]}
		return true
	}, patience, 10*time.Millisecond, "sway does not start")
	c.way = NewWayland(lookupSocket(c.env))
	c.watch = NewWatch(c.way, event.System(), func(text string) { c.told <- text })
	t.Cleanup(c.way.Close)
	return c
}

// copy copies with wl-copy, which stays until another copy.
func (c *compositor) copy(text string, args ...string) {
	c.t.Helper()
	cmd := exec.Command("wl-copy", args...)
	cmd.Env, cmd.Stdin = c.env, strings.NewReader(text)
	require.NoError(c.t, cmd.Run())
}

func (c *compositor) next() string {
	c.t.Helper()
	select {
	case text := <-c.told:
		return text
	case <-time.After(patience):
		require.Fail(c.t, "no copy was told")
		return ""
	}
}

func lookupSocket(env []string) string {
	return strings.TrimPrefix(env[len(env)-1], "WAYLAND_DISPLAY=")
}

func (c *compositor) paste(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("wl-paste", args...)
	cmd.Env = c.env
	out, err := cmd.Output()
	require.NoError(c.t, err)
	return string(out)
}

func TestCopiesOfACompositorAreTold(t *testing.T) {
	c := newCompositor(t)
	c.copy("before")
	require.NoError(t, c.watch.Want(true))
	for _, text := range []string{"first", "é🚀\n", strings.Repeat("a line of text\n", 8000), strings.Repeat("x", MaxText)} {
		c.copy(text)
		require.Equal(t, text, c.next())
	}
	c.copy("a primary selection", "--primary")
	c.copy(strings.Repeat("x", MaxText+1))
	c.copy("image", "--type", "image/png")
	c.copy("secret", "--type", "x-kde-passwordManagerHint")
	c.copy("after")
	require.Equal(t, "after", c.next())
	c.watch.Pause(0)
	c.copy("hidden")
	c.watch.Resume()
	c.copy("shown")
	require.Equal(t, "shown", c.next())
	assert.Empty(t, c.told)
}

func TestAMarkedCopyOfACompositorIsNeverAskedForItsText(t *testing.T) {
	c := newCompositor(t)
	require.NoError(t, c.watch.Want(true))
	other := newOfferer(t, c)
	for _, mark := range concealed {
		other.offer(t, "secret", mark, "text/plain;charset=utf-8", "UTF8_STRING")
		c.copy("after " + mark)
		require.Equal(t, "after "+mark, c.next())
	}
	require.Zero(t, other.asked.Load())
	other.offer(t, "free", "UTF8_STRING")
	require.Equal(t, "free", c.next())
	require.Equal(t, int32(1), other.asked.Load())
}

// offerer is a program that offers what a test wants, and counts who asks.
type offerer struct {
	*control
	asked atomic.Int32
	ids   sync.Map
}

func newOfferer(t *testing.T, c *compositor) *offerer {
	t.Helper()
	conn, err := dialWire(lookupSocket(c.env))
	require.NoError(t, err)
	o := &offerer{control: newControl(conn, NewWayland(""))}
	ready, ended := make(chan error, 1), make(chan struct{})
	o.begin(func(err error) { ready <- err })
	go func() {
		defer close(ended)
		_ = o.read(func(m *message, p *passed) error {
			if _, ours := o.ids.Load(m.object); ours && m.opcode == sourceSend {
				o.asked.Add(1)
			}
			return o.event(m, p)
		})
	}()
	t.Cleanup(func() {
		_ = conn.conn.Close()
		<-ended
		o.w.running.Wait()
	})
	require.NoError(t, <-ready)
	return o
}

func (o *offerer) offer(t *testing.T, text string, kinds ...string) {
	t.Helper()
	id := o.newID()
	o.ids.Store(id, true)
	o.mu.Lock()
	o.sources[id] = text
	o.mu.Unlock()
	require.NoError(t, o.send(newRequest(o.manager, 0).word(id), nil))
	for _, k := range kinds {
		require.NoError(t, o.send(newRequest(id, 0).text(k), nil))
	}
	require.NoError(t, o.send(newRequest(o.device, 0).word(id), nil))
	taken := make(chan struct{})
	o.sync(func() { close(taken) })
	<-taken
}

func TestWhatTheHostWritesACompositorHas(t *testing.T) {
	c := newCompositor(t)
	require.NoError(t, c.watch.Want(true))
	for _, text := range []string{"short", "é🚀\n", strings.Repeat("long é🚀\n", 100000)} {
		require.NoError(t, c.way.WriteText(t.Context(), text))
		require.Equal(t, text, c.paste("--no-newline"))
		require.Equal(t, text, c.paste("--no-newline", "--type", "UTF8_STRING"))
	}
	c.copy("other")
	require.Equal(t, "other", c.next())
	require.Equal(t, "other", c.paste("--no-newline"))
	assert.Empty(t, c.told, "the host's own copies are not told")
}

func (c *compositor) connected() bool {
	c.way.mu.Lock()
	defer c.way.mu.Unlock()
	return c.way.control != nil
}

func TestNoCompositorIsConnectedWhileNobodyNeedsIt(t *testing.T) {
	c := newCompositor(t)
	require.NoError(t, c.way.Probe())
	require.False(t, c.connected())
	require.NoError(t, c.watch.Want(true))
	require.NoError(t, c.way.WriteText(t.Context(), "held"))
	require.NoError(t, c.watch.Want(false))
	require.True(t, c.connected())
	require.Equal(t, "held", c.paste("--no-newline"))
	c.copy("taken")
	require.Eventually(t, func() bool { return !c.connected() }, patience, time.Millisecond)
}

func TestACompositorThatGoesEndsTheWatchAndSaysSo(t *testing.T) {
	c := newCompositor(t)
	require.NoError(t, c.watch.Want(true))
	c.kill()
	require.Eventually(t, func() bool { return !c.watch.State().Watching }, patience, time.Millisecond)
	require.Error(t, c.watch.State().Err)
	require.Error(t, c.way.WriteText(t.Context(), "x"))
	require.Error(t, c.way.Probe())
}
