package protocol

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chunks reads data in pieces of the given sizes, the last one repeated.
type chunks struct {
	data  []byte
	sizes []int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := min(max(c.sizes[0], 1), len(p), len(c.data))
	if len(c.sizes) > 1 {
		c.sizes = c.sizes[1:]
	}
	copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

// collect returns every line of r, an oversized one as "!", and the bytes pending at the end.
func collect(t testing.TB, c *Collector, r io.Reader) (lines []string, pending int) {
	t.Helper()
	for {
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			var over *OversizedError
			if errors.As(err, &over) {
				lines = append(lines, "!")
				continue
			}
			require.NoError(t, err)
			lines = append(lines, string(line))
		}
		if _, err := c.Fill(r); err != nil {
			require.ErrorIs(t, err, io.EOF)
			return lines, c.Pending()
		}
		require.LessOrEqual(t, cap(c.buf), max(c.max+2+readSize, 2*readSize))
	}
}

func TestALineSplitAtAnyByteArrivesWhole(t *testing.T) {
	line := `{"title":"≤ é 🚀 名前"}`
	stream := line + "\r\n" + line + "\n"
	for at := range len(stream) + 1 {
		r := &chunks{[]byte(stream), []int{at, len(stream)}}
		lines, pending := collect(t, NewCollector(MaxFrame), r)
		require.Equal(t, []string{line, line}, lines, at)
		require.Zero(t, pending)
	}
}

func TestARuneSplitAtAReadBoundaryArrivesWhole(t *testing.T) {
	for _, boundary := range []int{4096, readSize} {
		for _, r := range []string{"≤", "🚀"} {
			for before := 1; before < len(r); before++ {
				line := strings.Repeat("x", boundary-before) + r + "tail"
				lines, _ := collect(t, NewCollector(MaxFrame), &chunks{[]byte(line + "\n"), []int{boundary}})
				require.Equal(t, []string{line}, lines)
			}
		}
	}
}

func TestOnlyTheNewlineByteEndsALine(t *testing.T) {
	line := "a\u2028b\u2029c\u0085d\re\vf"
	lines, _ := collect(t, NewCollector(100), strings.NewReader(line+"\n"))
	require.Equal(t, []string{line}, lines)
}

func TestBlankLinesAreSkipped(t *testing.T) {
	lines, _ := collect(t, NewCollector(100), strings.NewReader("\n\r\n  \t\na\r\n\n\nb\n \n"))
	require.Equal(t, []string{"a", "b"}, lines)
}

func TestALineAtTheCapPassesAndOneOverDoesNot(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		for _, limit := range []int{10, readSize - 1, readSize, readSize + 1, 3*readSize + 7} {
			at, over := strings.Repeat("a", limit), strings.Repeat("b", limit+1)
			for _, chunk := range []int{1 << 20, 4096, limit, limit + 1, limit + 2} {
				lines, pending := collect(t, NewCollector(limit), &chunks{[]byte(at + end + over + end + at + end), []int{chunk}})
				require.Equal(t, []string{at, "!", at}, lines)
				require.Zero(t, pending)
			}
		}
	}
}

func TestAnOversizedLineSaysItsLength(t *testing.T) {
	c := NewCollector(10)
	r := strings.NewReader(strings.Repeat("x", 300000) + "\ngood\n")
	var lengths []int64
	for {
		line, ok, err := c.Next()
		var over *OversizedError
		if errors.As(err, &over) {
			require.True(t, ok)
			require.Nil(t, line)
			lengths = append(lengths, over.Bytes)
			require.ErrorContains(t, err, "300000 bytes")
		} else if ok {
			require.Equal(t, "good", string(line))
			break
		} else if _, err := c.Fill(r); err != nil {
			t.Fatal("the good line is lost")
		}
	}
	require.Equal(t, []int64{300000}, lengths)
}

// endless is n bytes of x, then a newline and a good line.
type endless struct {
	n    int
	tail string
}

var exes = bytes.Repeat([]byte{'x'}, readSize)

func (e *endless) Read(p []byte) (int, error) {
	if e.n > 0 {
		n := min(e.n, len(p), len(exes))
		e.n -= n
		return copy(p[:n], exes), nil
	}
	n := copy(p, e.tail)
	e.tail = e.tail[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestAGibibyteWithoutANewlineCostsNoMoreThanTheCap(t *testing.T) {
	c := NewCollector(MaxFrame)
	lines, pending := collect(t, c, &endless{1 << 30, "\ngood\n"}) // collect holds the buffer to its bound
	assert.Equal(t, []string{"!", "good"}, lines)
	assert.Zero(t, pending)
	assert.LessOrEqual(t, cap(c.buf), keepSize)
}

func TestALargeLineLeavesNoLargeBuffer(t *testing.T) {
	c := NewCollector(MaxFrame)
	long := strings.Repeat("x", 5<<20)
	lines, _ := collect(t, c, strings.NewReader(long+"\n"))
	require.Equal(t, []string{long}, lines)
	require.LessOrEqual(t, cap(c.buf), keepSize)
}

func TestARecordWithoutANewlineAtTheEndIsPending(t *testing.T) {
	lines, pending := collect(t, NewCollector(100), strings.NewReader("a\n{\"id\""))
	require.Equal(t, []string{"a"}, lines)
	require.Equal(t, 5, pending)
	lines, pending = collect(t, NewCollector(2), strings.NewReader("a\nabcdefgh"))
	require.Equal(t, []string{"a"}, lines)
	require.Equal(t, 8, pending)
}

func TestBytesThatComeWithAnErrorCount(t *testing.T) {
	c := NewCollector(100)
	n, err := c.Fill(dataErr{})
	require.Equal(t, 2, n)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	line, ok, err := c.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "a", string(line))
}

type dataErr struct{}

func (dataErr) Read(p []byte) (int, error) { return copy(p, "a\n"), io.ErrClosedPipe }

func TestLinesOfOneReadAreHandedOutWithoutCopies(t *testing.T) {
	c := NewCollector(100)
	_, err := c.Fill(strings.NewReader("one\ntwo\nthree\n"))
	require.NoError(t, err)
	one, _, _ := c.Next()
	two, _, _ := c.Next()
	require.Equal(t, "one", string(one), "valid until the next Fill")
	require.Equal(t, "two", string(two))
	require.Zero(t, testing.AllocsPerRun(1, func() { _, _, _ = c.Next() }))
}

// FuzzCollector holds the collector to the plain way of splitting a stream.
func FuzzCollector(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\n\xe2\x89\xa4\nlong line over the cap\nc"), 3, uint8(1))
	f.Add([]byte("\r\n\r\r\n12345678\r\n123456789\n"), 8, uint8(5))
	f.Fuzz(func(t *testing.T, stream []byte, limit int, chunk uint8) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		var want []string
		rest := stream
		for {
			line, after, found := bytes.Cut(rest, []byte("\n"))
			if !found {
				break
			}
			rest = after
			line = bytes.TrimSuffix(line, []byte("\r"))
			switch {
			case len(line) > limit:
				want = append(want, "!")
			case len(bytes.Trim(line, " \t\r")) > 0:
				want = append(want, string(line))
			}
		}
		got, pending := collect(t, NewCollector(limit), &chunks{bytes.Clone(stream), []int{int(chunk)}})
		require.Equal(t, want, got)
		require.Equal(t, len(rest), pending)
	})
}
