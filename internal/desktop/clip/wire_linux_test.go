package clip

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pair is a connection and its other end.
func pair(t testing.TB) (*wire, *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	conn := func(fd int) *net.UnixConn {
		f := os.NewFile(uintptr(fd), "pair")
		defer func() { _ = f.Close() }()
		c, err := net.FileConn(f)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c.(*net.UnixConn)
	}
	return &wire{conn: conn(fds[0]), last: objectDisplay}, conn(fds[1])
}

func TestMessagesAreReadAsTheyWereSentInAnyPieces(t *testing.T) {
	w, other := pair(t)
	back := &wire{conn: other}
	r, out, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		_ = back.send(newRequest(7, 3).word(42).text("grüße").text(""), out)
		_ = out.Close()
		whole := newRequest(8, 1).text("in pieces")
		whole.b[6] = byte(len(whole.b))
		for _, b := range whole.b {
			_, _ = other.Write([]byte{b})
		}
		_ = other.Close()
	}()
	var got []any
	err = w.read(func(m *message, p *passed) error {
		got = append(got, m.object, m.opcode)
		if m.object == 7 {
			got = append(got, m.word(), m.text(), m.text())
			fd, ok := p.take()
			require.True(t, ok)
			f := os.NewFile(uintptr(fd), "passed")
			_, _ = io.WriteString(f, "through")
			_ = f.Close()
		} else {
			got = append(got, m.text())
		}
		return nil
	})
	require.Error(t, err, "the end of the connection")
	assert.Equal(t, []any{uint32(7), uint16(3), uint32(42), "grüße", "", uint32(8), uint16(1), "in pieces"}, got)
	through, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "through", string(through))
	_ = r.Close()
}

func TestDescriptorsThatNobodyTakesAreClosed(t *testing.T) {
	w, other := pair(t)
	back := &wire{conn: other}
	r, out, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, back.send(newRequest(7, 3), out))
	require.NoError(t, out.Close())
	stop := errors.New("stop")
	require.ErrorIs(t, w.read(func(*message, *passed) error { return stop }), stop)
	_, err = io.ReadAll(r)
	require.NoError(t, err, "the last writing end is closed")
	_ = r.Close()
}

func TestWhatIsNoMessageEndsTheConnection(t *testing.T) {
	for _, b := range [][]byte{{1, 0, 0, 0, 0, 0, 4, 0}, {1, 0, 0, 0, 0, 0, 9, 0, 0}, newRequest(9, 0).word(400).b} {
		w, other := pair(t)
		if len(b) == 12 {
			b[6] = 12
		}
		_, err := other.Write(b)
		require.NoError(t, err)
		require.ErrorIs(t, w.read(func(m *message, _ *passed) error { _ = m.text(); return nil }), errWire)
	}
}

func FuzzACompositorsMessages(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 8, 0})
	f.Add(newRequest(2, 0).word(1).text("wl_seat").word(1).b)
	f.Fuzz(func(t *testing.T, b []byte) {
		w, other := pair(t)
		c := newControl(w, NewWayland(""))
		c.registry, c.device = 2, 3
		c.sources[5] = "text"
		go func() {
			_, _ = other.Write(b)
			_ = other.CloseWrite()
			_, _ = io.Copy(io.Discard, other)
		}()
		_ = c.read(c.event)
		_ = w.conn.Close()
	})
}
