package transport_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func (c *child) complain(text string) {
	c.t.Helper()
	_, err := io.WriteString(c.stderr, text)
	require.NoError(c.t, err)
}

func TestALongStderrLineNeverBlocksTheChildAndIsCut(t *testing.T) {
	for _, n := range []int{65535, 65536, 65537, 3_000_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := begin(t)
			c.complain(strings.Repeat("x", n) + "\n")
			c.say(publication("after"))
			receive(t, c.published)
			eventually(t, "the line is logged", func() bool { return c.log.count("plugin stderr") == 1 })
			require.Contains(t, c.log.String(), strings.Repeat("x", protocol.StderrLine)+" …[cut]")
			require.NotContains(t, c.log.String(), strings.Repeat("x", protocol.StderrLine+1))
			require.Zero(t, c.log.count("level=WARN"))
		})
	}
}

func TestTenMebibytesOfStderrBeforeTheFirstReplyAreDrained(t *testing.T) {
	c := begin(t)
	c.complain(strings.Repeat(strings.Repeat("e", 1023)+"\n", 10<<10))
	settled := c.ask("initialize", protocol.DeadlineStartup)
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true}}`+"\n", c.hear().ID))
	require.NoError(t, receive(t, settled).err)
}

func TestTheLast64KiBOfStderrAreKept(t *testing.T) {
	c := begin(t)
	c.complain(strings.Repeat("old ", 30_000))
	c.complain("the end")
	eventually(t, "the tail is there", func() bool { return strings.HasSuffix(c.conn.StderrTail(), "the end") })
	require.Len(t, c.conn.StderrTail(), protocol.StderrTail)
}

func TestPipesHeldOpenByAGrandchildDoNotHoldTheEnd(t *testing.T) {
	c := begin(t)
	done := make(chan struct{})
	go func() {
		c.conn.Finish(drain, "gone")
		close(done)
	}()
	c.time.AwaitTimer(drain)
	nothing(t, done)
	c.time.Advance(drain)
	receive(t, done)
}

const drain = protocol.KillGrace
