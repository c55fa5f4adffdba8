package clip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// wire is a connection to a compositor: messages of words and strings, with
// descriptors beside them.
type wire struct {
	conn *net.UnixConn

	out  sync.Mutex
	last uint32 // the last object that this side made
}

const (
	objectDisplay = 1
	wireHeader    = 8
	// maxMessage is the longest that a message can be: its size has 16 bits.
	maxMessage = 1 << 16
	// maxPassed bounds the descriptors that come with one read.
	maxPassed = 28 // what libwayland sends at most
)

var errWire = errors.New("the compositor sent what is no message")

func dialWire(path string) (*wire, error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return &wire{conn: c, last: objectDisplay}, nil
}

// newID is the number of a new object.
func (w *wire) newID() uint32 {
	w.out.Lock()
	defer w.out.Unlock()
	w.last++
	return w.last
}

// request is a message on its way out.
type request struct{ b []byte }

func newRequest(object uint32, opcode uint16) *request {
	r := &request{binary.NativeEndian.AppendUint32(make([]byte, 0, 64), object)}
	r.b = binary.NativeEndian.AppendUint32(r.b, uint32(opcode))
	return r
}

func (r *request) word(v uint32) *request {
	r.b = binary.NativeEndian.AppendUint32(r.b, v)
	return r
}

func (r *request) text(s string) *request {
	r.word(uint32(len(s) + 1))
	r.b = append(append(r.b, s...), 0)
	for len(r.b)%4 != 0 {
		r.b = append(r.b, 0)
	}
	return r
}

// send sends a message, with a descriptor if passed is not nil.
func (w *wire) send(r *request, passed *os.File) error {
	opcode := binary.NativeEndian.Uint32(r.b[4:])
	binary.NativeEndian.PutUint32(r.b[4:], uint32(len(r.b))<<16|opcode)
	w.out.Lock()
	defer w.out.Unlock()
	if passed == nil {
		_, err := w.conn.Write(r.b)
		return err
	}
	raw, err := passed.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	if err := raw.Control(func(fd uintptr) { _, _, sent = w.conn.WriteMsgUnix(r.b, unix.UnixRights(int(fd)), nil) }); err != nil {
		return err
	}
	return sent
}

// message is one that came.
type message struct {
	object uint32
	opcode uint16
	args   []byte
	bad    bool // something was read past its end
}

func (m *message) word() uint32 {
	if len(m.args) < 4 {
		m.bad = true
		return 0
	}
	v := binary.NativeEndian.Uint32(m.args)
	m.args = m.args[4:]
	return v
}

func (m *message) text() string {
	n := int(m.word())
	padded := (n + 3) &^ 3
	if n < 1 || padded > len(m.args) {
		m.bad = true
		return ""
	}
	s := string(m.args[:n-1])
	m.args = m.args[padded:]
	return s
}

// read gives each message to do, with the descriptors that came so far and were
// not taken yet, until the connection ends or do says so. Descriptors that
// nobody took are closed.
func (w *wire) read(do func(m *message, passed *passed) error) error {
	var p passed
	defer p.close()
	buf, have := make([]byte, 2*maxMessage), 0
	oob := make([]byte, unix.CmsgSpace(maxPassed*4))
	for {
		n, oobn, _, _, err := w.conn.ReadMsgUnix(buf[have:], oob)
		p.add(oob[:oobn])
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the compositor ended the connection")
		}
		have += n
		b := buf[:have]
		for len(b) >= wireHeader {
			word := binary.NativeEndian.Uint32(b[4:])
			size := int(word >> 16)
			if size < wireHeader || size%4 != 0 {
				return errWire
			}
			if size > len(b) {
				break
			}
			m := message{object: binary.NativeEndian.Uint32(b), opcode: uint16(word), args: b[wireHeader:size]}
			if err := do(&m, &p); err != nil {
				return err
			}
			if m.bad {
				return fmt.Errorf("%w: object %d, event %d", errWire, m.object, m.opcode)
			}
			b = b[size:]
		}
		have = copy(buf, b)
	}
}

// passed are descriptors that came and wait to be taken, in order.
type passed struct{ fds []int }

func (p *passed) add(oob []byte) {
	if len(oob) == 0 {
		return
	}
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for i := range messages {
		if fds, err := syscall.ParseUnixRights(&messages[i]); err == nil {
			p.fds = append(p.fds, fds...)
		}
	}
}

func (p *passed) take() (int, bool) {
	if len(p.fds) == 0 {
		return -1, false
	}
	fd := p.fds[0]
	p.fds = p.fds[1:]
	return fd, true
}

func (p *passed) close() {
	for _, fd := range p.fds {
		_ = syscall.Close(fd)
	}
	p.fds = nil
}
