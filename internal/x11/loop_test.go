package x11_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

const patience = 20 * time.Second

func server(t *testing.T) *xvfb.Server {
	t.Helper()
	if missing := xvfb.Missing(); missing != "" {
		t.Skip("needs " + missing)
	}
	s, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

func TestALoopRunsEventsAndCallsOnOneGoroutineInOrder(t *testing.T) {
	s := server(t)
	l, err := x11.OpenLoop(s.Display, nil)
	require.NoError(t, err)
	defer l.Close()

	atom, err := xproto.InternAtom(l.Conn.Conn, false, 10, "FLASH_TEST").Reply()
	require.NoError(t, err)
	seen := make(chan int, 64)
	n := 0 // only touched on the loop
	require.True(t, l.Ask(func() {
		l.Handle(func(ev xgb.Event) {
			if p, ok := ev.(xproto.PropertyNotifyEvent); ok && p.Atom == atom.Atom {
				n++
				seen <- n
			}
		})
		xproto.ChangeWindowAttributes(l.Conn.Conn, l.Root, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	}))
	for range 20 {
		xproto.ChangeProperty(l.Conn.Conn, xproto.PropModeReplace, l.Root, atom.Atom, xproto.AtomCardinal, 32, 1, make([]byte, 4))
	}
	for i := range 20 {
		select {
		case got := <-seen:
			require.Equal(t, i+1, got)
		case <-time.After(patience):
			t.Fatal("no event")
		}
	}
	total := 0
	require.True(t, l.Ask(func() { total = n }))
	assert.Equal(t, 20, total)
}

func TestMovementThatWaitsGivesWayToTheNewest(t *testing.T) {
	s := server(t)
	l, err := x11.OpenLoop(s.Display, nil)
	require.NoError(t, err)
	defer l.Close()
	hand, err := s.Hand()
	require.NoError(t, err)
	defer hand.Close()

	var events atomic.Int64
	last := make(chan [2]int16, 512)
	require.True(t, l.Ask(func() {
		l.Handle(func(ev xgb.Event) {
			if m, ok := ev.(xproto.MotionNotifyEvent); ok {
				events.Add(1)
				last <- [2]int16{m.RootX, m.RootY}
			}
		})
		assert.NoError(t, xproto.ChangeWindowAttributesChecked(l.Conn.Conn, l.Root, xproto.CwEventMask, []uint32{xproto.EventMaskPointerMotion}).Check())
	}))
	hold := make(chan struct{})
	l.Do(func() { <-hold })
	for i := range 200 {
		hand.MoveTo(int16(100+i), 50)
	}
	require.NoError(t, hand.Sync())
	_, err = xproto.GetInputFocus(l.Conn.Conn).Reply() // behind every event in the stream
	require.NoError(t, err)
	close(hold)
	for deadline := time.After(patience); ; {
		select {
		case at := <-last:
			if at == [2]int16{299, 50} {
				assert.Equal(t, int64(1), events.Load(), "one event for all the movement")
				return
			}
		case <-deadline:
			t.Fatal("the last place did not come")
		}
	}
}

func TestALostServerIsToldOnceAndNobodyHangs(t *testing.T) {
	s := server(t)
	lost := make(chan struct{}, 2)
	l, err := x11.OpenLoop(s.Display, func() { lost <- struct{}{} })
	require.NoError(t, err)
	s.Kill()
	select {
	case <-lost:
	case <-time.After(patience):
		t.Fatal("the loss was not told")
	}
	l.Ask(func() {})
	l.Close()
	assert.False(t, l.Ask(func() {}), "an ended loop runs nothing")
	assert.Empty(t, lost)
}

func TestAnErrorOfAnExtensionReachesWhoWaits(t *testing.T) {
	s := server(t)
	l, err := x11.OpenLoop(s.Display, nil)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.UseExtension("RANDR", nil))
	_, err = randr.GetCrtcInfo(l.Conn.Conn, 0x7fffffff, 0).Reply()
	assert.Error(t, err)
	assert.ErrorContains(t, l.UseExtension("NO-SUCH", nil), "NO-SUCH")
}

func TestErrorsThatNobodyWaitsForDoNotStopTheConnection(t *testing.T) {
	s := server(t)
	c, err := x11.Dial(s.Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(t, err)
	defer c.Close()
	for range 12000 {
		xproto.MapWindow(c.Conn, 0x1fffffff)
	}
	_, err = xproto.GetInputFocus(c.Conn).Reply()
	assert.NoError(t, err)
}
