package procid

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestALookSaysWhereAProcessStands(t *testing.T) {
	sleep := t.TempDir() + "/a (b) c" // must not shift the fields
	require.NoError(t, os.Symlink("/bin/sleep", sleep))
	cmd := exec.Command(sleep, "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	p, err := Look(pid)
	require.NoError(t, err)
	assert.Equal(t, Process{PID: pid, Parent: os.Getpid(), Group: pid, Session: pid}, p)

	require.NoError(t, cmd.Process.Kill())
	require.NoError(t, unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	p, err = Look(pid)
	require.NoError(t, err)
	assert.True(t, p.Dead)
	_ = cmd.Wait()
	_, err = Look(pid)
	assert.Error(t, err)
}
