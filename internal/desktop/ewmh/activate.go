package ewmh

import (
	"context"
	"fmt"
	"slices"

	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/procid"
)

// now is the server's time, which a window manager compares with when the user
// last typed elsewhere. An own property is touched for it: its event has it.
func (s *session) now(ctx context.Context) (xproto.Timestamp, error) {
	came := make(chan xproto.Timestamp, 1)
	var problem error
	err := s.ask(ctx, func() {
		if problem = s.makeStamper(); problem != nil {
			return
		}
		s.stamps = append(s.stamps, came)
		xproto.ChangeProperty(s.loop.Conn.Conn, xproto.PropModeAppend, s.stamper, s.atoms.stamp, xproto.AtomInteger, 32, 0, nil)
	})
	if err == nil {
		err = problem
	}
	if err != nil {
		return 0, err
	}
	select {
	case t := <-came:
		return t, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.gone:
		return 0, errLost
	}
}

func (s *session) makeStamper() error {
	if s.stamper != 0 {
		return nil
	}
	id, err := xproto.NewWindowId(s.loop.Conn.Conn)
	if err != nil {
		return err
	}
	err = xproto.CreateWindowChecked(s.loop.Conn.Conn, 0, id, s.loop.Root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	s.stamper = id
	return nil
}

// fromPager is the source of a request that the user made, and not the window's
// own program: window managers follow it without second thoughts.
const fromPager = 2

func (s *session) activate(pid int, id int64, now xproto.Timestamp) error {
	if _, ok := s.manager(); !ok {
		return ErrNoManager
	}
	supported := words(s.get(s.loop.Root, s.atoms.supported))
	if !slices.Contains(supported, uint32(s.atoms.active)) {
		return fmt.Errorf("the window manager lets nobody else move the focus: %w", ErrNoManager)
	}
	target, err := s.target(pid, id)
	if err != nil {
		return err
	}
	// Some window managers, openbox among them, do not follow a window to another
	// workspace.
	there, here := words(s.get(xproto.Window(target), s.atoms.desktop)), words(s.get(s.loop.Root, s.atoms.current))
	if len(there) > 0 && len(here) > 0 && there[0] != allWorkspaces && there[0] != here[0] && slices.Contains(supported, uint32(s.atoms.current)) {
		if err := s.request(s.loop.Root, s.atoms.current, there[0], uint32(now)); err != nil {
			return err
		}
	}
	return s.request(xproto.Window(target), s.atoms.active, fromPager, uint32(now))
}

// request asks the window manager for something.
func (s *session) request(w xproto.Window, what xproto.Atom, values ...uint32) error {
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: what,
		Data: xproto.ClientMessageDataUnionData32New(append(values, make([]uint32, 5-len(values))...)),
	}
	return xproto.SendEventChecked(s.loop.Conn.Conn, false, s.loop.Root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(ev.Bytes())).Check()
}

// target picks the window that is meant.
func (s *session) target(pid int, id int64) (int64, error) {
	list, err := s.list()
	if err != nil {
		return 0, err
	}
	if id == 0 {
		// A program that a script starts has the script for its root.
		for _, near := range []func(int) bool{func(p int) bool { return p == pid }, func(p int) bool { return p != 0 && procid.Descends(p, pid, procid.Parent) }} {
			for _, w := range list {
				if near(w.PID) {
					return w.ID, nil
				}
			}
		}
		return 0, fmt.Errorf("process %d has no window: %w", pid, ErrGone)
	}
	c := s.shown[id]
	if c == nil {
		return 0, fmt.Errorf("window %d: %w", id, ErrGone)
	}
	if pid != 0 && c.PID != 0 && c.PID != pid && !procid.Descends(c.PID, pid, procid.Parent) {
		return 0, fmt.Errorf("window %d is of another process now: %w", id, ErrGone)
	}
	return id, nil
}
