package procid

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAStartTimeStaysAndLaterProcessesHaveLaterOnes(t *testing.T) {
	mine, err := StartTime(os.Getpid())
	require.NoError(t, err)
	again, err := StartTime(os.Getpid())
	require.NoError(t, err)
	assert.Equal(t, mine, again)

	// A name with brackets and spaces must not shift the fields.
	sh := t.TempDir() + "/a (b) c"
	require.NoError(t, os.Symlink("/bin/sleep", sh))
	cmd := exec.Command(sh, "60")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	child, err := StartTime(cmd.Process.Pid)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, child, mine)
}

func TestAProcessThatIsGoneHasNoStartTime(t *testing.T) {
	cmd := exec.Command("/bin/true")
	require.NoError(t, cmd.Run())
	_, err := StartTime(cmd.Process.Pid)
	assert.Error(t, err)
}
