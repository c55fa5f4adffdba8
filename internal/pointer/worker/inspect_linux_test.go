package worker_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

// inspection is a running `flash pointer inspect`.
type inspection struct {
	r     *rig
	cmd   *exec.Cmd
	lines <-chan string
	said  bytes.Buffer
}

func (r *rig) inspect(args ...string) *inspection {
	r.t.Helper()
	i := &inspection{r: r, cmd: exec.Command(r.argv()[0], append([]string{"pointer", "inspect"}, args...)...)}
	i.cmd.Env, i.cmd.Stderr = r.env, &i.said
	out, err := i.cmd.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, i.cmd.Start())
	i.lines = xvfb.Lines(bufio.NewReader(out))
	r.t.Cleanup(func() { _ = i.cmd.Process.Kill(); _ = i.cmd.Wait() })
	// It listens once it shows a movement.
	deadline := time.Now().Add(patience)
	for heard := false; !heard; {
		require.True(r.t, time.Now().Before(deadline), "inspect shows nothing")
		r.hand.MoveTo(499, 400)
		r.hand.MoveTo(500, 400)
		require.NoError(r.t, r.hand.Sync())
		select {
		case _, heard = <-i.lines:
		case <-time.After(50 * time.Millisecond):
		}
	}
	return i
}

// until collects lines up to one that contains text.
func (i *inspection) until(text string) []string {
	i.r.t.Helper()
	var got []string
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-i.lines:
			require.True(i.r.t, ok, "inspect has ended")
			got = append(got, line)
			if strings.Contains(line, text) {
				return got
			}
		case <-deadline:
			i.r.t.Fatalf("no line with %q in %q", text, got)
		}
	}
}

// interrupt is what Ctrl-C does.
func (i *inspection) interrupt() {
	i.r.t.Helper()
	require.NoError(i.r.t, i.cmd.Process.Signal(os.Interrupt))
	for range i.lines {
	}
	err := i.cmd.Wait()
	require.NoError(i.r.t, err, i.said.String())
	if text := i.said.String(); text != "" {
		assert.Contains(i.r.t, text, "Ctrl-C ends it")
		assert.Equal(i.r.t, 1, strings.Count(text, "\n"))
	}
}

// hand makes one of everything.
func (r *rig) oneOfEverything() {
	r.hand.MoveTo(500, 400)
	r.hand.Press(xGesture)
	r.hand.MoveTo(490, 400)
	r.hand.MoveTo(200, 400)
	r.hand.Release(xGesture)
	r.hand.Click(xBack)
	r.hand.Click(4)
	r.hand.Click(1)
}

func TestInspectShowsEachEventWithItsDecisionAndReason(t *testing.T) {
	r := newRig(t, inverted)
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	i := r.inspect()
	r.oneOfEverything()
	out := strings.Join(i.until("up           btn 0"), "\n")
	for _, line := range []string{
		"down         btn 5 [MX Master: " + chosen + "]  → drop  taps move-on  (gesture button down",
		"move         dx -10 [MX Master: " + chosen + "]  → pass  (travelled -10, 0)",
		"move         dx -290 [MX Master: " + chosen + "]  → pass  action workspace_right  (fired at 300)",
		"up           btn 5 [MX Master: " + chosen + "]  → drop  taps move-off",
		"down         btn 3 [MX Master: " + chosen + "]  → drop  action back",
		"scroll       line 1 [MX Master: " + chosen + "]  → mod line -1 val -1",
		"down         btn 0 [MX Master: " + chosen + "]  → pass",
	} {
		assert.Contains(t, out, line)
	}
	i.interrupt()
	// It changed nothing and did nothing.
	assert.EqualValues(t, 1, win.Presses(xGesture))
	assert.EqualValues(t, 1, win.Presses(xBack))
	assert.EqualValues(t, 1, win.Presses(4))
	desktop, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP")
	assert.Zero(t, desktop)
}

func TestInspectBesideAWorkerShowsOneJSONObjectAnEvent(t *testing.T) {
	r := newRig(t, inverted)
	w := r.run()
	i := r.inspect("--json")
	r.oneOfEverything()
	kinds := map[string]string{}
	for _, line := range i.until("\"ev\":\"up\",\"btn\":0") {
		var o struct {
			Kind     string `json:"ev"`
			Dev      string `json:"dev"`
			Why      string `json:"why"`
			Decision struct {
				Verdict string `json:"d"`
				Action  string `json:"act"`
			} `json:"decision"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &o), line)
		assert.NotEmpty(t, o.Why)
		assert.NotEmpty(t, o.Decision.Verdict)
		assert.Contains(t, o.Dev, chosen)
		kinds[o.Kind] += o.Decision.Action
	}
	assert.Contains(t, kinds["move"], "workspace_right")
	assert.Contains(t, kinds["down"], "back")
	assert.Contains(t, kinds, "scroll")
	i.interrupt()
	w.stop()
}

func TestInspectShowsADeviceThatIsSwitchedOffAndOn(t *testing.T) {
	r := newRig(t, "")
	i := r.inspect()
	id := r.device(mouse)
	for _, value := range []byte{0, 1} {
		r.enable(id, value)
		got := i.until([]string{"dev_remove", "dev_add"}[value])
		assert.Contains(t, got[len(got)-1], mouse)
	}
	i.interrupt()
}
