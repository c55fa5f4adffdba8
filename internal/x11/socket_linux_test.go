package x11

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func socketPair(t testing.TB) (*socket, net.Conn) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	c, err := dialUnix(path)
	require.NoError(t, err)
	peer, err := l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { peer.Close(); c.Close() })
	return c.(*socket), peer
}

func TestWhatArrivesWhileEventsGatherIsReadAtOnce(t *testing.T) {
	s, peer := socketPair(t)
	p := make([]byte, 100)
	for range 20 {
		_, err := peer.Write([]byte("a"))
		require.NoError(t, err)
		read := make(chan string)
		go func() {
			n, err := s.ReadAfter(p, 50*time.Millisecond)
			assert.NoError(t, err)
			read <- string(p[:n])
		}()
		for range 3 {
			_, err := peer.Write([]byte("b"))
			require.NoError(t, err)
		}
		require.Equal(t, "abbb", <-read)
	}
	// Nothing gathered: it waits for the first.
	read := make(chan string)
	go func() {
		n, err := s.ReadAfter(p, time.Millisecond)
		assert.NoError(t, err)
		read <- string(p[:n])
	}()
	select {
	case got := <-read:
		t.Fatalf("read %q", got)
	case <-time.After(20 * time.Millisecond):
	}
	_, err := peer.Write([]byte("c"))
	require.NoError(t, err)
	assert.Equal(t, "c", <-read)
}

func TestTheEndOfAConnectionWakesItsReader(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Millisecond, time.Hour} {
		for _, end := range []string{"peer", "own"} {
			if pause == time.Hour && end == "peer" {
				continue // who gathers hears of it afterwards
			}
			s, peer := socketPair(t)
			ended := make(chan error)
			go func() {
				_, err := s.ReadAfter(make([]byte, 1), pause)
				ended <- err
			}()
			if end == "peer" {
				require.NoError(t, peer.Close())
				require.ErrorIs(t, <-ended, io.EOF)
				continue
			}
			require.NoError(t, s.Close())
			require.Error(t, <-ended)
		}
	}
}

func TestMoreThanTheServerHasRoomForIsWrittenToTheEnd(t *testing.T) {
	s, peer := socketPair(t)
	sent := make([]byte, 8<<20)
	for i := range sent {
		sent[i] = byte(i * 7 >> 3)
	}
	got := make(chan []byte)
	go func() {
		data, err := io.ReadAll(peer)
		assert.NoError(t, err)
		got <- data
	}()
	n, err := s.Write(sent)
	require.NoError(t, err)
	require.Equal(t, len(sent), n)
	require.NoError(t, s.Close())
	require.True(t, bytes.Equal(sent, <-got))
	_, err = s.Write(sent)
	require.Error(t, err)
}

func TestReadingAllocatesNothingAndLeavesNoDescriptor(t *testing.T) {
	open := func() int {
		e, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(e)
	}
	before := open()
	s, peer := socketPair(t)
	p, one := make([]byte, 8), []byte("x")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = peer.Write(one)
		_, _ = s.ReadAfter(p, time.Microsecond)
		_, _ = peer.Write(one)
		_, _ = s.Read(p)
	}))
	peer.Close()
	_, err := s.Read(p)
	require.Error(t, err)
	s.Close()
	assert.Equal(t, before, open())
}

func BenchmarkReadOfOneEvent(b *testing.B) {
	s, peer := socketPair(b)
	p, one := make([]byte, 64), make([]byte, 32)
	for b.Loop() {
		_, _ = peer.Write(one)
		_, _ = s.Read(p)
	}
}
