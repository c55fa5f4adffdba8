package transport

import (
	"bytes"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

func newRawLane() *rawLane {
	l := &rawLane{}
	l.init()
	return l
}

func TestTheRawLaneDoesNotAllocateForAFrame(t *testing.T) {
	l := newRawLane()
	frame := []byte(`{"id":1,"result":{"ok":true}}` + "\n")
	p := make([]byte, 64)
	l.push(frame)
	_, _ = l.Read(p)
	allocs := testing.AllocsPerRun(100, func() {
		l.push(frame)
		_, _ = l.Read(p)
	})
	require.Zero(t, allocs)
}

func TestTheRawLaneCountsSmallReadsTogetherAndLargeOnesAlone(t *testing.T) {
	l := newRawLane()
	for range 100 * protocol.HostInboundFrames {
		require.True(t, l.push([]byte("x")))
	}
	l = newRawLane()
	large := make([]byte, burstRead)
	for range protocol.HostInboundFrames {
		require.True(t, l.push(large))
	}
	p := make([]byte, burstRead)
	_, err := l.Read(p)
	require.NoError(t, err)
	require.True(t, l.push(large), "what is read makes room")
	require.False(t, l.push(large))
	l.discard()
	require.False(t, l.wait())
	_, err = l.Read(p)
	require.ErrorIs(t, err, io.EOF, "nothing of a flood is decoded any more")
}

func TestTheRawLaneKeepsNoMemoryOfABurst(t *testing.T) {
	l := newRawLane()
	for range 20 {
		l.push(make([]byte, burstRead))
	}
	p := make([]byte, 1<<20)
	for l.head != len(l.buf) {
		_, _ = l.Read(p)
	}
	require.LessOrEqual(t, cap(l.buf), keepRaw)
}

func FuzzTheRawLaneHandsOnEveryByteInOrder(f *testing.F) {
	f.Add([]byte("hello\nworld"), uint8(3), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, in, out uint8) {
		l := newRawLane()
		var got []byte
		p := make([]byte, int(out)+1)
		for rest := data; len(rest) > 0; {
			n := min(int(in)+1, len(rest))
			require.True(t, l.push(rest[:n]))
			rest = rest[n:]
			if len(rest)%2 == 0 {
				m, _ := l.Read(p)
				got = append(got, p[:m]...)
			}
		}
		l.close()
		tail, err := io.ReadAll(l)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, append(got, tail...)))
	})
}

func TestStderrLinesAreLoggedTwentyAWindowAndTheRestCounted(t *testing.T) {
	var log bytes.Buffer
	time := eventtest.New()
	var s stderrLog
	s.init(slog.New(slog.NewTextHandler(&log, nil)), time)
	s.take(bytes.Repeat([]byte("line\n"), 100))
	s.take([]byte("\n\r\n"))
	require.Equal(t, protocol.StderrBurst, bytes.Count(log.Bytes(), []byte("line=line")))
	time.Advance(protocol.StderrWindow)
	s.take([]byte("again\n"))
	require.Contains(t, log.String(), "line=again unlogged_before=80")
	s.take(bytes.Repeat([]byte("line\n"), 100))
	s.end()
	require.Contains(t, log.String(), "lines=81")
}

func FuzzStderrIsNeitherLostNorKeptBeyondItsBounds(f *testing.F) {
	f.Add([]byte("a\nb\r\n\xff"), uint16(2))
	f.Add(bytes.Repeat([]byte("y"), 5000), uint16(4096))
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		var s stderrLog
		s.init(slog.New(slog.DiscardHandler), eventtest.New())
		for rest := data; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			s.take(rest[:n])
			require.LessOrEqual(t, len(s.line), protocol.StderrLine)
			rest = rest[n:]
		}
		s.end()
		require.Equal(t, string(data[max(0, len(data)-protocol.StderrTail):]), s.text())
	})
}
