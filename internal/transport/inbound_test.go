package transport_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

const goodLog = `{"method":"log","params":{"level":"info","message":"good"}}` + "\n"

func publication(title string) string {
	return `{"method":"publish","params":{"rows":[{"source":"s","title":"` + title + `"}]}}` + "\n"
}

func TestEachBadLineIsLoggedOnceWithItsSizeAndTheNextLineWorks(t *testing.T) {
	for name, line := range map[string]string{
		"banner":         "banner v1",
		"truncated":      `{"id":1`,
		"array":          `[1]`,
		"deep":           `{"id":1,"result":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
		"NaN":            `{"id":1,"result":{"ok":NaN}}`,
		"lone surrogate": `{"method":"log","params":{"level":"info","message":"\ud800"}}`,
		"bool id":        `{"id":true,"result":{"ok":true}}`,
		"both":           `{"id":1,"method":"x","result":{}}`,
		"invalid UTF-8":  "{\"method\":\"l\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			c := begin(t)
			c.say(line + "\n" + publication("next"))
			require.Equal(t, "next", receive(t, c.published)[0].Title)
			require.Equal(t, 1, c.log.count("bad line dropped"), c.log)
			require.Contains(t, c.log.String(), fmt.Sprintf("bytes=%d", len(line)))
			require.Contains(t, c.log.String(), "plugin=test")
			require.NotContains(t, c.log.String(), line)
			nothing(t, c.down)
		})
	}
}

func TestAHundredBadLinesInARowEndTheChildOnce(t *testing.T) {
	c := begin(t)
	for range protocol.MaxBadLines - 1 {
		c.say("noise\n")
	}
	c.say(goodLog)
	for range protocol.MaxBadLines - 1 {
		c.say("noise\n")
	}
	c.say(goodLog)
	c.sync()
	nothing(t, c.down)
	for range protocol.MaxBadLines {
		c.say("noise\n")
	}
	require.Equal(t, "sent 100 bad lines in a row", receive(t, c.down))
	nothing(t, c.down)
}

func TestAnOversizedLineFailsWithItsSizeAndTheNextWorks(t *testing.T) {
	c := begin(t)
	c.say(strings.Repeat("x", protocol.MaxFrame+1) + "\n" + publication("next"))
	require.Equal(t, "next", receive(t, c.published)[0].Title)
	require.Contains(t, c.log.String(), fmt.Sprintf("bytes=%d", protocol.MaxFrame+1))
}

func TestACharacterMayBeSplitOverReads(t *testing.T) {
	c := begin(t)
	text := publication("≤🚀")
	for i := range len(text) {
		c.say(text[i : i+1])
		if text[i] >= 0x80 {
			// Wait until the byte has been read on its own.
			eventually(t, "the pipe is drained", func() bool { quiet, _ := c.conn.Quiet(c.time.Now()); return quiet == 0 })
		}
	}
	require.Equal(t, "≤🚀", receive(t, c.published)[0].Title)
}

func TestCRLFAndBlankLinesAreNoFault(t *testing.T) {
	c := begin(t)
	c.say("\r\n\n" + strings.TrimSuffix(publication("a"), "\n") + "\r\n")
	require.Equal(t, "a", receive(t, c.published)[0].Title)
	require.Zero(t, c.log.count("bad line"))
}

func TestAnUnfinishedLineAtTheEndIsDiscarded(t *testing.T) {
	c := begin(t)
	c.say(`{"method":"publish"`)
	require.NoError(t, c.stdout.Close())
	c.time.AwaitTimer(protocol.ShutdownGrace)
	require.Equal(t, 1, c.log.count("unfinished line"))
	nothing(t, c.down)
	c.time.Advance(protocol.ShutdownGrace)
	require.Equal(t, "closed its standard output", receive(t, c.down))
}

func TestAnInvalidPublicationIsRefusedWholeAndCostsNothingElse(t *testing.T) {
	c := begin(t)
	c.say(`{"method":"publish","params":{"rows":[{"source":"s","title":"ok"},{"source":"undeclared","title":"secret"}]}}` + "\n")
	c.say(`{"method":"status","params":{"segments":{"a":7}}}` + "\n")
	c.say(`{"method":"what"}` + "\n")
	c.sync()
	nothing(t, c.published)
	nothing(t, c.status)
	require.Equal(t, 1, c.log.count("publish refused"))
	require.Equal(t, 1, c.log.count("status refused"))
	require.Equal(t, 1, c.log.count("unknown notification"))
	require.NotContains(t, c.log.String(), "secret")
}

func TestWhatADyingChildSaidLastIsDelivered(t *testing.T) {
	c := begin(t)
	c.say(publication("last words"))
	c.end()
	require.Equal(t, "last words", receive(t, c.published)[0].Title)
}

// storing makes the first publication be stored until the returned function is
// called, and returns once it is.
func storing(t *testing.T) (c *child, stored func()) {
	c = play(t)
	entered, goOn := make(chan struct{}, 1), make(chan struct{})
	c.onPublish = func() {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-goOn
	}
	c.conn.Begin()
	c.say(publication("first"))
	stored = sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(stored)
	receive(t, entered)
	return c, stored
}

func TestRepliesOvertakeASinkThatTakesItsTime(t *testing.T) {
	c, stored := storing(t)
	settled := c.ask("ping", time.Minute)
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true}}`+"\n", c.hear().ID))
	require.NoError(t, receive(t, settled).err)
	stored()
	receive(t, c.published)
}

func TestOnlyASlowPublicationIsLogged(t *testing.T) {
	c, stored := storing(t)
	c.time.Advance(protocol.SlowPublication)
	stored()
	receive(t, c.published)
	c.say(publication("quick"))
	receive(t, c.published)
	c.sync()
	require.Equal(t, 1, c.log.count("slow publication"))
	require.Contains(t, c.log.String(), "store_ms=50")
}

func TestABurstIsNoFloodWhileTheSinksMoveOn(t *testing.T) {
	c, stored := storing(t)
	for range protocol.HostDecodedFrames + 1 {
		c.say(publication("row"))
	}
	c.time.AwaitTimer(time.Second) // the decoder waits for room
	stored()
	for range protocol.HostDecodedFrames + 2 {
		receive(t, c.published)
	}
	nothing(t, c.down)
}

func TestSinksThatStandStillEndTheGenerationInsteadOfBlockingIt(t *testing.T) {
	c, _ := storing(t)
	for range protocol.HostDecodedFrames + 1 {
		c.say(publication("row"))
	}
	c.time.AwaitTimer(time.Second)
	c.time.Advance(time.Second)
	require.Equal(t, "sent more than the host can apply", receive(t, c.down))
}

func TestAFloodThatOutrunsTheDecoderEndsTheGenerationOnce(t *testing.T) {
	c := begin(t)
	stuck := make(chan struct{})
	c.conn.Go(transport.Request{Method: "x", Timeout: time.Hour}, func([]byte, error) { <-stuck })
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true}}`+"\n", c.hear().ID))
	block := strings.Repeat(goodLog, 1000)
	for {
		if _, err := io.WriteString(c.stdout, block); err != nil {
			break // the host stopped listening
		}
	}
	require.Contains(t, receive(t, c.down), "faster than it can be decoded")
	nothing(t, c.down)
	close(stuck)
}

func TestAnIdleConnDoesNotTouchItsTimers(t *testing.T) {
	c := begin(t)
	c.sync()
	require.Zero(t, c.time.Armed())
}
