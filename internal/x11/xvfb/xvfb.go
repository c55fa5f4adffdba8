// Package xvfb owns a private X server with a window manager, and hands that
// post test input to it. Tests and measurements use it; no product code does.
package xvfb

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/flash-launcher/flash/internal/x11"
)

// Missing says which programs a server needs and this machine lacks, or "".
func Missing() string {
	var out []string
	for _, p := range [...]string{"Xvfb", "openbox"} {
		if _, err := exec.LookPath(p); err != nil {
			out = append(out, p)
		}
	}
	return strings.Join(out, " and ")
}

// Server is a running X server with openbox on it.
type Server struct {
	Display string
	options Options
	cmds    []*exec.Cmd
	home    string
}

// Options change how a server is started.
type Options struct {
	// Start starts a program in place of its own Start method.
	Start func(*exec.Cmd) error
	// Screen is the size and depth of the screen, "1000x800x24" if empty.
	Screen string
}

// patience bounds the start of a server on a loaded machine.
const patience = 30 * time.Second

// grace is how long a program may take to end by itself.
const grace = 2 * time.Second

// Start starts a server on a display of its own.
func Start() (*Server, error) { return StartWith(Options{}) }

// StartWith starts a server as the options say.
func StartWith(o Options) (*Server, error) {
	if o.Start == nil {
		o.Start = (*exec.Cmd).Start
	}
	if o.Screen == "" {
		o.Screen = "1000x800x24"
	}
	home, err := os.MkdirTemp("", "flash-xvfb-")
	if err != nil {
		return nil, err
	}
	s := &Server{home: home, options: o}
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", s.options.Screen, "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	err = s.options.Start(cmd)
	write.Close()
	if err != nil {
		return err
	}
	s.cmds = append(s.cmds, cmd)
	_ = read.SetReadDeadline(time.Now().Add(patience))
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the X server does not start: %w", err)
	}
	s.Display = ":" + strings.TrimSpace(number)
	wm := exec.Command("openbox", "--sm-disable")
	wm.Env = append(os.Environ(), "DISPLAY="+s.Display, "HOME="+s.home, "XDG_CONFIG_HOME="+s.home, "XDG_CACHE_HOME="+s.home, "XDG_DATA_HOME="+s.home)
	if err := s.options.Start(wm); err != nil {
		return err
	}
	s.cmds = append(s.cmds, wm)
	h, err := s.Hand()
	if err != nil {
		return err
	}
	defer h.Close()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if _, ok := h.Cardinal("_NET_CURRENT_DESKTOP"); ok {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("openbox does not manage display %s", s.Display)
		}
	}
}

// Kill ends the X server at once.
func (s *Server) Kill() { _ = s.cmds[0].Process.Kill() }

// Stop ends the server and what runs on it. The server is asked first, so that
// it removes its lock and its socket.
func (s *Server) Stop() {
	for i := len(s.cmds) - 1; i >= 0; i-- {
		p := s.cmds[i].Process
		kill := time.AfterFunc(grace, func() { _ = p.Kill() })
		_ = p.Signal(syscall.SIGTERM)
		_ = s.cmds[i].Wait()
		kill.Stop()
	}
	os.RemoveAll(s.home)
}

// Hand posts input.
type Hand struct{ *x11.Conn }

// Hand connects a hand.
func (s *Server) Hand() (*Hand, error) {
	c, err := x11.DialInput(s.Display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		return nil, err
	}
	return &Hand{c}, nil
}

// Press presses an X button.
func (h *Hand) Press(x byte) { h.fake(4, x, 0, 0) }

// Release releases an X button.
func (h *Hand) Release(x byte) { h.fake(5, x, 0, 0) }

// Click presses and releases an X button.
func (h *Hand) Click(x byte) { h.Press(x); h.Release(x) }

// MoveTo moves the pointer.
func (h *Hand) MoveTo(x, y int16) { h.fake(6, 0, x, y) }

// MoveBy moves the pointer by a distance, as a mouse does.
func (h *Hand) MoveBy(dx, dy int16) { h.fake(6, 1, dx, dy) }

func (h *Hand) fake(kind, detail byte, x, y int16) {
	root := h.Root
	if kind == 6 && detail == 1 {
		root = 0
	}
	xtest.FakeInput(h.Conn.Conn, kind, detail, 0, root, x, y, 0)
}

// Sync waits until the server has taken all that was posted.
func (h *Hand) Sync() error {
	_, err := xproto.GetInputFocus(h.Conn.Conn).Reply()
	return err
}

// Cardinal reads a number from a property of the root window.
func (h *Hand) Cardinal(name string) (uint32, bool) {
	a, err := xproto.InternAtom(h.Conn.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, false
	}
	r, err := xproto.GetProperty(h.Conn.Conn, false, h.Root, a.Atom, xproto.AtomCardinal, 0, 1).Reply()
	if err != nil || len(r.Value) < 4 {
		return 0, false
	}
	return uint32(r.Value[0]) | uint32(r.Value[1])<<8, true
}

// Window is a window that notes what it receives.
type Window struct {
	conn    *x11.Conn
	presses [256]atomic.Int64
	ups     [256]atomic.Int64
	keys    chan Key
}

// Key is a key that went down or up in a window.
type Key struct {
	Code byte
	Down bool
}

// Window opens one over the whole screen, out of the window manager's hands,
// with the keyboard's focus.
func (s *Server) Window() (*Window, error) {
	w := &Window{keys: make(chan Key, 64)}
	conn, err := x11.Dial(s.Display, x11.Handlers{Event: w.event})
	if err != nil {
		return nil, err
	}
	w.conn = conn
	id, err := xproto.NewWindowId(conn.Conn)
	if err != nil {
		return nil, err
	}
	mask := uint32(xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease | xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease)
	xproto.CreateWindow(conn.Conn, conn.Screen.RootDepth, id, conn.Root, 0, 0, conn.Screen.WidthInPixels, conn.Screen.HeightInPixels, 0,
		xproto.WindowClassInputOutput, conn.Screen.RootVisual, xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, mask})
	if err := xproto.MapWindowChecked(conn.Conn, id).Check(); err != nil {
		return nil, err
	}
	return w, xproto.SetInputFocusChecked(conn.Conn, xproto.InputFocusParent, id, xproto.TimeCurrentTime).Check()
}

func (w *Window) event(ev []byte) {
	switch ev[0] & 127 {
	case xproto.ButtonPress:
		w.presses[ev[1]].Add(1)
	case xproto.ButtonRelease:
		w.ups[ev[1]].Add(1)
	case xproto.KeyPress, xproto.KeyRelease:
		select {
		case w.keys <- Key{Code: ev[1], Down: ev[0]&127 == xproto.KeyPress}:
		default:
		}
	}
}

// Presses and Releases count what came of an X button.
func (w *Window) Presses(x byte) int64 { return w.presses[x].Load() }

// Releases counts its releases.
func (w *Window) Releases(x byte) int64 { return w.ups[x].Load() }

// Keys are the keys that came.
func (w *Window) Keys() <-chan Key { return w.keys }

// Close closes the window.
func (w *Window) Close() { w.conn.Close() }

// Lines copies what a program prints, line by line, to a channel.
func Lines(r io.Reader) <-chan string {
	out := make(chan string, 4096)
	go func() {
		defer close(out)
		in := bufio.NewScanner(r)
		for in.Scan() {
			out <- in.Text()
		}
	}()
	return out
}
