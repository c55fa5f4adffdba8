package x11

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stream is a connection that only reads, in pieces of its reader's choice.
type stream struct {
	net.Conn
	r io.Reader
}

func (s stream) Read(p []byte) (int, error) { return s.r.Read(p) }

func newFilter(r io.Reader, onEvent func([]byte)) *filter {
	return &filter{Conn: stream{r: r}, on: Handlers{Event: onEvent}}
}

func setup(words int) []byte {
	b := make([]byte, 8+4*words)
	b[0] = 1
	le.PutUint16(b[6:], uint16(words))
	return b
}

func message(kind byte, words int, seq uint16) []byte {
	b := make([]byte, 32+4*words)
	b[0] = kind
	le.PutUint16(b[2:], seq)
	if kind == kindReply || kind == genericEvent {
		le.PutUint32(b[4:], uint32(words))
	}
	for i := 32; i < len(b); i++ {
		b[i] = byte(seq)
	}
	return b
}

func TestEventsAreTakenOutOfTheStreamAndTheRestGoesOn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		in := setup(r.IntN(5))
		rest := bytes.Clone(in)
		var events [][]byte
		for seq := range uint16(30) {
			var m []byte
			switch r.IntN(4) {
			case 0:
				m = message(kindReply, r.IntN(9000), seq)
				rest = append(rest, m...)
			case 1:
				m = message(kindError, 0, seq)
				rest = append(rest, m...)
			case 2:
				m = message(genericEvent, r.IntN(60), seq)
				events = append(events, m)
			case 3:
				m = message(4, 0, seq)
				events = append(events, m)
			}
			in = append(in, m...)
		}
		var source io.Reader = bytes.NewReader(in)
		switch r.IntN(3) {
		case 0:
			source = iotest.OneByteReader(source)
		case 1:
			source = iotest.HalfReader(source)
		}
		var got [][]byte
		out, err := io.ReadAll(newFilter(source, func(ev []byte) { got = append(got, bytes.Clone(ev)) }))
		require.NoError(t, err)
		require.True(t, bytes.Equal(rest, out))
		require.Equal(t, events, got)
	}
}

func TestAnEventLongerThanTheBufferEndsTheConnection(t *testing.T) {
	in := append(setup(0), message(genericEvent, 1, 1)...)
	le.PutUint32(in[8+4:], 1<<20)
	closed := 0
	f := newFilter(bytes.NewReader(in), func([]byte) {})
	f.on.Closed = func() { closed++ }
	_, err := io.ReadAll(f)
	require.ErrorIs(t, err, errLongEvent)
	_, _ = f.Read(make([]byte, 1))
	assert.Equal(t, 1, closed)
}

func TestAnEventIsHandedOnWithoutAllocation(t *testing.T) {
	ev := message(genericEvent, 26, 1)
	many := bytes.Repeat(ev, 5000)
	n := 0
	f := newFilter(bytes.NewReader(append(setup(0), many...)), func([]byte) { n++ })
	p := make([]byte, 32)
	_, err := io.ReadFull(f, p[:8])
	require.NoError(t, err)
	assert.LessOrEqual(t, testing.AllocsPerRun(1, func() { _, _ = f.Read(p) }), 0.0)
	assert.Equal(t, 5000, n)
}

func TestTheCookieOfTheDisplayIsFound(t *testing.T) {
	entry := func(family uint16, fields ...string) []byte {
		b := binary.BigEndian.AppendUint16(nil, family)
		for _, f := range fields {
			b = binary.BigEndian.AppendUint16(b, uint16(len(f)))
			b = append(b, f...)
		}
		return b
	}
	file := bytes.Join([][]byte{
		entry(familyLocal, "here", "0", magicCookie, "zero"),
		entry(familyLocal, "there", "1", magicCookie, "other machine"),
		entry(familyLocal, "here", "1", "XDM-AUTHORIZATION-1", "other kind"),
		entry(familyLocal, "here", "1", magicCookie, "one"),
		entry(familyWild, "", "", magicCookie, "any"),
	}, nil)
	for number, want := range map[string]string{"0": "zero", "1": "one", "7": "any"} {
		_, data := findCookie(file, "here", number)
		assert.Equal(t, want, string(data), number)
	}
	_, data := findCookie(file[:len(file)-20], "here", "7")
	assert.Nil(t, data, "a file that is cut short has no entry there")
}

func TestADisplayOfAnotherMachineOrNoneIsRefused(t *testing.T) {
	for _, d := range []string{"host:0", ":x", "0"} {
		_, err := Dial(d, Handlers{})
		require.ErrorIs(t, err, ErrNoDisplay, d)
	}
	t.Setenv("DISPLAY", "")
	_, err := Dial("", Handlers{})
	require.ErrorIs(t, err, ErrNoDisplay)
}

func FuzzParsersNeverPanic(f *testing.F) {
	f.Add(message(genericEvent, 26, 7))
	f.Add(message(genericEvent, 2, 7))
	f.Fuzz(func(t *testing.T, data []byte) {
		findCookie(data, "h", "0")
		_, _ = parseDevices(data)
		if len(data) < 32 {
			return
		}
		var e DeviceEvent
		ParseDevice(data, &e)
		ParseRaw(data, &e)
		ParseHierarchy(data, func(HierarchyChange) {})
		_, _ = io.ReadAll(newFilter(bytes.NewReader(data), func([]byte) {}))
	})
}
