package host_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

// terminal is one window of a tmux of its own, in which a program runs.
type terminal struct {
	*instance
	socket string
	env    []string
}

// terminal starts a tmux server with an empty window that runs script, a piece
// of shell in which flash is the program under test. The window stays after it,
// so that what it left can be read.
func (i *instance) terminal(width, height int, script string, env ...string) *terminal {
	i.t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		i.t.Skip("no tmux to run a terminal in")
	}
	i.terminals++
	term := &terminal{instance: i, socket: filepath.Join(i.dir, fmt.Sprint("tm", i.terminals))}
	// cat holds the window until the server ends.
	cmd := exec.Command(tmux, "-S", term.socket, "-f", "/dev/null", "-u", "new-session", "-d",
		"-x", fmt.Sprint(width), "-y", fmt.Sprint(height), script+"\necho \"[exit $?]\"\nexec cat")
	term.env = append(append(append([]string{}, i.env...), "SHELL=/bin/sh", "PATH="+bin+":/usr/bin:/bin"), env...)
	cmd.Env = term.env
	out, err := cmd.CombinedOutput()
	require.NoError(i.t, err, "%s", out)
	i.t.Cleanup(func() { _ = exec.Command(tmux, "-S", term.socket, "kill-server").Run() })
	return term
}

func (t *terminal) tmux(args ...string) string {
	t.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.env // tmux takes the PATH of what it runs from its client
	out, err := cmd.CombinedOutput()
	require.NoError(t.t, err, "tmux %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// keys presses keys, by tmux's names for them.
func (t *terminal) keys(keys ...string) { t.tmux(append([]string{"send-keys"}, keys...)...) }

// text types text as it is.
func (t *terminal) text(text string) { t.tmux("send-keys", "-l", text) }

// pace types text at one key per that time, as fingers do.
func (t *terminal) pace(text string, each time.Duration) {
	tick := time.NewTicker(each)
	defer tick.Stop()
	for _, r := range text {
		t.text(string(r))
		<-tick.C
	}
}

// mouse sends a report of the SGR mouse protocol, columns and lines from 0.
func (t *terminal) mouse(button, x, y int) {
	t.text(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1))
	if button < 64 {
		t.text(fmt.Sprintf("\x1b[<%d;%d;%dm", button, x+1, y+1))
	}
}

// screen is the lines that show.
func (t *terminal) screen() []string {
	t.t.Helper()
	return strings.Split(strings.TrimRight(t.tmux("capture-pane", "-p"), "\n"), "\n")
}

func (t *terminal) shows(text string) bool {
	return strings.Contains(strings.Join(t.screen(), "\n"), text)
}

// await waits until the screen shows text.
func (t *terminal) await(text string) {
	t.t.Helper()
	t.until("the screen shows "+text, func([]string) bool { return t.shows(text) })
}

// until waits until the screen is as cond wants it, and shows it if it never is.
func (t *terminal) until(what string, cond func(screen []string) bool) {
	t.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		screen := t.screen()
		if cond(screen) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			require.Fail(t.t, what, "the screen is:\n%s", strings.Join(screen, "\n"))
		}
	}
}

// prompted waits until the prompt holds text and what shows is of that text:
// while more may come, an ellipsis ends its line.
func (t *terminal) prompted(text string) {
	t.t.Helper()
	t.until("the prompt holds "+text, func(s []string) bool {
		return promptOf(s) == text && !strings.HasSuffix(s[0], "…")
	})
}

// answered types a text until its answer shows: on a busy machine a plugin may
// miss the 50 ms that it has.
func (t *terminal) answered(text, answer string) {
	t.t.Helper()
	t.until("the answer shows", func([]string) bool {
		t.keys("C-u")
		t.keys("-l", text)
		t.prompted(text)
		return t.shows(answer)
	})
}

// promptOf is the text in the prompt.
func promptOf(screen []string) string {
	_, text, ok := strings.Cut(screen[0], "❯")
	if !ok {
		return "no prompt"
	}
	if at := strings.Index(text, "   "); at >= 0 {
		text = text[:at] // what stands at the end of the line
	}
	return strings.TrimSpace(text)
}

// ended waits until the program has ended with that code.
func (t *terminal) ended(code int) {
	t.t.Helper()
	t.until("the program ends", func([]string) bool { return t.shows("[exit ") })
	require.True(t.t, t.shows(fmt.Sprintf("[exit %d]", code)), "%s", strings.Join(t.screen(), "\n"))
}

// sessions is how many flashlights the resident holds open.
func (i *instance) sessions() int64 {
	i.t.Helper()
	var st control.Status
	i.json(&st, "status", "--json")
	return st.Sessions
}

// app installs an application that does nothing.
func (i *instance) app(id, name string) {
	i.t.Helper()
	i.write("share/applications/"+id+".desktop", "[Desktop Entry]\nType=Application\nName="+name+"\nExec=/bin/true %u\n", 0o644)
}

// answering is a plugin script that answers each request by the shell function
// answer, which knows $id and $query.
func answering(answer string) string {
	return `read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
answer() {
` + answer + `
}
while read -r line; do
	case $line in *'"method":"search"'*|*'"method":"evaluate"'*|*'"method":"perform"'*) ;; *) continue ;; esac
	id=${line#*'"id":'}; id=${id%%,*}
	query=${line#*'"query":"'}; query=${query%%'"'*}
	answer
done
`
}

// reply is shell that answers with one row.
const reply = `echo '{"id":'$id',"result":{"ok":true,"rows":[{"source":"slowly.found","title":"answer to '"$query"'"}]}}'`

func newTerminalTest(t *testing.T) *instance {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux to run a terminal in")
	}
	return newInstance(t)
}
