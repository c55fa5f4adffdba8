package wlipc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/flash-launcher/flash/internal/environ"
)

// A message is the magic, the length of what follows, its type, and JSON; the
// numbers are in the machine's order. An event has the top bit of its type set.
const (
	swayMagic  = "i3-ipc"
	swayHeader = len(swayMagic) + 8
	swayEvent  = 1 << 31

	swayRun       = 0
	swaySubscribe = 2
	swayOutputs   = 3
	swayTree      = 4
	swayVersion   = 7

	swayWorkspaceEvent = swayEvent
	swayOutputEvent    = swayEvent | 1
	swayWindowEvent    = swayEvent | 3
)

// maxMessage is what a message may be: a window takes about 1.5 KB of the tree.
const maxMessage = 16 << 20

var errWire = errors.New("what answers on the compositor's socket does not speak its protocol")

// readMessage takes one message. Memory is taken as bytes come, not as the
// length says.
func readMessage(r io.Reader) (kind uint32, body []byte, err error) {
	var head [swayHeader]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.NativeEndian.Uint32(head[len(swayMagic):])
	if string(head[:len(swayMagic)]) != swayMagic || n > maxMessage {
		return 0, nil, errWire
	}
	body, err = io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(body) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	return binary.NativeEndian.Uint32(head[len(swayMagic)+4:]), body, err
}

func appendMessage(dst []byte, kind uint32, body string) []byte {
	dst = append(dst, swayMagic...)
	dst = binary.NativeEndian.AppendUint32(dst, uint32(len(body)))
	dst = binary.NativeEndian.AppendUint32(dst, kind)
	return append(dst, body...)
}

// sway is a session of sway or i3.
type sway struct{ env []string }

// sockets are where it may listen. One that was started anew listens elsewhere
// than the environment says, and a host that was started outside the session has
// no word of it: the process behind the Wayland display tells then.
func (s sway) sockets() []func() string {
	named := func(name string) func() string { return func() string { return environ.Lookup(s.env, name) } }
	return []func() string{named("SWAYSOCK"), named("I3SOCK"), func() string {
		pid, uid := displayOwner(s.env)
		if pid == 0 {
			return ""
		}
		return filepath.Join(environ.Lookup(s.env, "XDG_RUNTIME_DIR"), "sway-ipc."+strconv.Itoa(uid)+"."+strconv.Itoa(pid)+".sock")
	}}
}

func (s sway) dial(ctx context.Context) (net.Conn, error) {
	err := errors.New("neither SWAYSOCK nor I3SOCK is set")
	for _, socket := range s.sockets() {
		path := socket()
		if path == "" {
			continue
		}
		c, problem := dial(ctx, path)
		if problem == nil {
			return c, nil
		}
		err = problem
	}
	return nil, err
}

// dial connects, with the deadline of ctx.
func dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if due, ok := ctx.Deadline(); ok {
		err = c.SetDeadline(due)
	}
	return c, err
}

// ask sends questions and takes the answers, on one connection.
func (s sway) ask(ctx context.Context, take func(kind uint32, body []byte) error, questions ...question) error {
	c, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	var b []byte
	for _, q := range questions {
		b = appendMessage(b, q.kind, q.body)
	}
	if _, err := c.Write(b); err != nil {
		return err
	}
	for _, q := range questions {
		kind, body, err := readMessage(c)
		if err != nil {
			return err
		}
		if kind != q.kind {
			return fmt.Errorf("%w: an answer of type %#x to a question of type %#x", errWire, kind, q.kind)
		}
		if err := take(kind, body); err != nil {
			return err
		}
	}
	return nil
}

type question struct {
	kind uint32
	body string
}
