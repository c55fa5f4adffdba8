// Package x11 owns the connection to an X server. It adds to xgb what xgb lacks:
// the cookie of the right display, events that are longer than 32 bytes, the
// requests and events of XInput 2, and events that reach their reader without a
// queue or an allocation. It decides nothing.
package x11

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

var le = binary.LittleEndian

// ErrRefused is wrapped by errors that say that the server is there and does
// not let this user in.
var ErrRefused = errors.New("the X server refused the connection")

// ErrNoDisplay is wrapped by errors that say that there is no server to ask.
var ErrNoDisplay = errors.New("no X server answers")

// Conn is a connection. What XInput 2 and XTEST are needed for takes one of
// DialInput's.
type Conn struct {
	*xgb.Conn
	Display string
	Root    xproto.Window
	Screen  *xproto.ScreenInfo
	xinput  byte
	filter  *filter
	idle    chan struct{} // closed once nothing of the connection runs
}

// Handlers are called on the goroutine that reads the connection.
type Handlers struct {
	// Event gets every event. It must be quick, must not keep the slice, and
	// must make no request itself.
	Event func(ev []byte)
	// Closed, if set, is called once, when the connection has ended, for
	// whatever cause.
	Closed func()
	// Pause, if set, says before each read how long events may gather.
	Pause func() time.Duration
}

// quiet keeps xgb from writing to stderr what it cannot handle.
var quiet = sync.OnceFunc(func() { xgb.Logger = log.New(io.Discard, "", 0) })

// Dial connects to display ("" is $DISPLAY).
func Dial(display string, h Handlers) (*Conn, error) {
	if display == "" {
		display = os.Getenv("DISPLAY")
	}
	if display == "" {
		return nil, fmt.Errorf("DISPLAY is not set: %w; start this inside the X session", ErrNoDisplay)
	}
	sock, number, err := connect(display)
	if err != nil {
		return nil, fmt.Errorf("display %s: %w: %v; check DISPLAY", display, ErrNoDisplay, err)
	}
	quiet()
	f := &filter{Conn: sock, setup: setupRequest(number), on: h}
	x, err := xgb.NewConnNet(f)
	if err != nil {
		sock.Close()
		return nil, fmt.Errorf("display %s: %w: %v; check XAUTHORITY", display, ErrRefused, err)
	}
	c := &Conn{Conn: x, Display: display, filter: f, idle: make(chan struct{})}
	go c.drain()
	c.Screen = xproto.Setup(x).DefaultScreen(x)
	c.Root = c.Screen.Root
	return c, nil
}

// DialInput is Dial for those that read input devices and post input: it also
// takes up XInput 2 and XTEST, and refuses a server without them.
func DialInput(display string, h Handlers) (*Conn, error) {
	c, err := Dial(display, h)
	if err != nil {
		return nil, err
	}
	if err := c.extensions(); err != nil {
		c.Close()
		return nil, fmt.Errorf("display %s: %w", c.Display, err)
	}
	return c, nil
}

// Close ends the connection and waits until nothing of it runs.
func (c *Conn) Close() {
	c.Conn.Close()
	<-c.idle
}

// drain takes the errors of requests that nobody waits on. xgb queues them with
// the events, and would stop at a full queue.
func (c *Conn) drain() {
	defer close(c.idle)
	for {
		if ev, err := c.Conn.WaitForEvent(); ev == nil && err == nil {
			return
		}
	}
}

// Extension takes up an extension that a package of xgb knows, in place of that
// package's Init: xgb keeps what those register for all connections in maps
// without a lock. First is the number of the extension's first event, whose
// decoder the caller picks itself.
func (c *Conn) Extension(name string) (first byte, err error) {
	q, err := xproto.QueryExtension(c.Conn, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	if !q.Present {
		return 0, fmt.Errorf("the X server has no %s extension", name)
	}
	c.ExtLock.Lock()
	c.Extensions[name] = q.MajorOpcode
	c.ExtLock.Unlock()
	return q.FirstEvent, nil
}

func (c *Conn) extensions() error {
	q, err := xproto.QueryExtension(c.Conn, uint16(len("XInputExtension")), "XInputExtension").Reply()
	if err != nil {
		return err
	}
	if !q.Present {
		return errors.New("the X server has no XInput extension, without which devices cannot be told apart")
	}
	c.xinput = q.MajorOpcode
	if _, err := c.Extension("XTEST"); err != nil {
		return fmt.Errorf("nothing can be sent: %w", err)
	}
	// 2.2 is the first version whose raw events reach clients beside a grab.
	b := make([]byte, 8)
	b[0], b[1] = c.xinput, xiQueryVersion
	le.PutUint16(b[2:], 2)
	le.PutUint16(b[4:], 2)
	le.PutUint16(b[6:], 2)
	r, err := c.ask(b)
	if err != nil {
		return fmt.Errorf("XInput 2: %w", err)
	}
	if major, minor := le.Uint16(r[8:]), le.Uint16(r[10:]); major < 2 || major == 2 && minor < 2 {
		return fmt.Errorf("the X server has XInput %d.%d; 2.2 is needed", major, minor)
	}
	return nil
}

// ask makes a request that has a reply.
func (c *Conn) ask(b []byte) ([]byte, error) {
	r, _, err := c.request(b)()
	return r, err
}

// request makes a request whose reply is waited for later.
func (c *Conn) request(b []byte) func() (reply []byte, sequence uint16, err error) {
	cookie := c.NewCookie(true, true)
	c.NewRequest(b, cookie)
	return func() ([]byte, uint16, error) {
		r, err := cookie.Reply()
		if err == nil && r == nil {
			err = io.ErrClosedPipe
		}
		return r, cookie.Sequence, err
	}
}

// tell makes a request that has none and waits for the server to take it.
func (c *Conn) tell(b []byte) error {
	cookie := c.NewCookie(true, false)
	c.NewRequest(b, cookie)
	return cookie.Check()
}

// post makes a request that has no reply and waits for nothing.
func (c *Conn) post(b []byte) { c.NewRequest(b, c.NewCookie(false, false)) }

func connect(display string) (net.Conn, string, error) {
	host, number, ok := strings.Cut(display, ":")
	if !ok {
		return nil, "", errors.New("DISPLAY has no colon; it looks like :0")
	}
	number, _, _ = strings.Cut(number, ".")
	if _, err := strconv.ParseUint(number, 10, 16); err != nil {
		return nil, "", errors.New("DISPLAY has no display number; it looks like :0")
	}
	if host != "" && host != "unix" {
		return nil, "", errors.New("the display is of another machine, whose pointer this is not; use a local one")
	}
	c, err := dialUnix("/tmp/.X11-unix/X" + number)
	return c, number, err
}

// setupRequest is the first message of the protocol with the cookie for the
// display; xgb would look for one without regard to the display's number.
func setupRequest(number string) []byte {
	name, data := cookie(number)
	b := make([]byte, 12, 12+pad(len(name))+pad(len(data)))
	b[0] = 'l'
	le.PutUint16(b[2:], 11)
	le.PutUint16(b[6:], uint16(len(name)))
	le.PutUint16(b[8:], uint16(len(data)))
	b = append(b, name...)
	b = append(b, make([]byte, pad(len(name))-len(name))...)
	b = append(b, data...)
	return append(b, make([]byte, pad(len(data))-len(data))...)
}

func pad(n int) int { return (n + 3) &^ 3 }
