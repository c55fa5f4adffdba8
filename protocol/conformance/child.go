package conformance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// passedOn are the variables of the runner's own environment that a plugin
// sees; everything else, tokens and agent sockets above all, stays behind.
var passedOn = [...]string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"}

// standIn starts the plugin as a child of a shell that can be killed in the
// host's place. A background command of a shell reads /dev/null unless it is
// given its stdin, hence descriptor 3.
const standIn = `FLASH_PLUGIN_PARENT_PID=$$; export FLASH_PLUGIN_PARENT_PID
exec 3<&0; "$@" <&3 3<&- & exec 3<&- </dev/null >/dev/null 2>/dev/null; wait`

// stderrKept is how much of the end of stderr a failure shows.
const stderrKept = 4096

// child is one plugin process, the leader of its own process group.
type child struct {
	cmd     *exec.Cmd
	orphan  bool // started under a stand-in
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	exited  chan struct{}
	waitErr error

	errMu    sync.Mutex
	errBytes int
	errTail  []byte
	errEnd   bool
	errMore  chan struct{}
}

type childSpec struct {
	argv    []string
	dir     string
	env     []string
	standIn bool
}

func environment(o Options, s surfaces, dataDir string, config string, hasConfig bool, extra map[string]string) []string {
	var env []string
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	env = append(env,
		"FLASH_PLUGIN_ID="+s.ID,
		"FLASH_PLUGIN_VERSION="+s.Version,
		"FLASH_PLUGIN_DATA_DIR="+dataDir,
		fmt.Sprintf("FLASH_PLUGIN_PARENT_PID=%d", os.Getpid()),
	)
	if hasConfig {
		env = append(env, "FLASH_PLUGIN_CONFIG="+config)
	}
	for _, name := range sortedKeys(extra) {
		env = append(env, name+"="+extra[name])
	}
	return append(env, o.Env...)
}

func startChild(spec childSpec) (*child, error) {
	argv := spec.argv
	if spec.standIn {
		argv = append([]string{"/bin/sh", "-c", standIn, "sh"}, argv...)
	}
	var pipes [6]*os.File
	for i := 0; i < len(pipes); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(pipes[:])
			return nil, fmt.Errorf("pipe: %w", err)
		}
		pipes[i], pipes[i+1] = r, w
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = spec.dir, spec.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0], pipes[3], pipes[5]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	closeAll([]*os.File{pipes[0], pipes[3], pipes[5]})
	if err != nil {
		closeAll([]*os.File{pipes[1], pipes[2], pipes[4]})
		return nil, fmt.Errorf("start %s: %w", spec.argv[0], err)
	}
	c := &child{
		cmd: cmd, orphan: spec.standIn, stdin: pipes[1], stdout: pipes[2], stderr: pipes[4],
		exited: make(chan struct{}), errMore: make(chan struct{}),
	}
	go func() {
		c.waitErr = cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// drain reads stderr to its end, so that a plugin is never blocked on it.
func (c *child) drain() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.stderr.Read(buffer)
		c.errMu.Lock()
		c.errBytes += n
		c.errTail = append(c.errTail, buffer[:n]...)
		if over := len(c.errTail) - stderrKept; over > 0 {
			c.errTail = append(c.errTail[:0], c.errTail[over:]...)
		}
		c.errEnd = err != nil
		close(c.errMore)
		c.errMore = make(chan struct{})
		c.errMu.Unlock()
		if err != nil {
			return
		}
	}
}

// awaitStderr waits until stderr had n bytes, or for n < 0 until it ended.
func (c *child) awaitStderr(n int, within time.Duration) (int, bool) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		c.errMu.Lock()
		got, end, more := c.errBytes, c.errEnd, c.errMore
		c.errMu.Unlock()
		if n >= 0 && got >= n || n < 0 && end {
			return got, true
		}
		if end {
			return got, false
		}
		select {
		case <-more:
		case <-timer.C:
			return got, false
		}
	}
}

func (c *child) stderrTail() string {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	return strings.ToValidUTF8(string(c.errTail), "\uFFFD")
}

// write gives up after within: a plugin that no longer reads must not hang the run.
func (c *child) write(data []byte, within time.Duration) error {
	if err := c.stdin.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := c.stdin.Write(data)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the plugin did not read its stdin for %v", within)
	}
	return err
}

// wait reports whether the process was gone within the time. Of an orphan
// only its pipes tell: the end of stderr is the end of all that held it.
func (c *child) wait(within time.Duration) bool {
	if c.orphan {
		_, ended := c.awaitStderr(-1, within)
		return ended
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}

// exit describes how an exited child ended, code -1 when by a signal.
func (c *child) exit() (code int, text string) {
	state := c.cmd.ProcessState
	return state.ExitCode(), state.String()
}

// stragglers reports whether anything of the group outlives the leader; a
// dying grandchild gets the kill grace.
func (c *child) stragglers() bool {
	deadline := time.Now().Add(protocol.KillGrace)
	for {
		if err := syscall.Kill(-c.cmd.Process.Pid, 0); err != nil {
			return false
		}
		if time.Now().After(deadline) {
			return true
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// killParent does what the death of a host does: the process ends without a
// word and its ends of stdin and stdout go with it.
func (c *child) killParent() {
	_ = c.cmd.Process.Kill()
	<-c.exited
	c.stdin.Close()
	c.stdout.Close()
}

// destroy kills the whole group and reaps the leader.
func (c *child) destroy() {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	<-c.exited
	c.stdin.Close()
}
