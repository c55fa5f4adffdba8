package desktop

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// FindProgram is where a program lies for the session that env describes, ""
// where it is not installed.
func FindProgram(env []string, name string) string { return environ(env).lookPath(name) }

// toolGrace is how long a tool that was killed may keep its caller: what it left
// behind may hold its output.
const toolGrace = 100 * time.Millisecond

// Tool is a program of the session that serves the host: in a group of its own,
// with the session's environment and none of the host's descriptors. The group
// is killed when ctx is done.
func Tool(ctx context.Context, env []string, argv ...string) (*exec.Cmd, error) {
	path := FindProgram(env, argv[0])
	if path == "" {
		return nil, fmt.Errorf("%s is not in PATH; install it", argv[0])
	}
	closeOnExec()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = childEnv(env), "/", toolGrace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd, nil
}
