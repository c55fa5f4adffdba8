package program

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const long = time.Minute

func shell(ctx context.Context, script string, limit time.Duration, most int) (string, error) {
	out, err := Run(ctx, []string{"/bin/sh", "-c", script}, nil, limit, most)
	return string(out), err
}

func TestWhatAProgramPrintsComesBack(t *testing.T) {
	out, err := shell(t.Context(), "echo yes; echo no >&2", long, 100)
	require.NoError(t, err)
	assert.Equal(t, "yes\n", out)
}

func TestAStatusKeepsTheComplaintsAndDoesNotSayThem(t *testing.T) {
	out, err := shell(t.Context(), "echo half; echo secret >&2; exit 3", long, 100)
	var status *StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, StatusError{3, "secret\n"}, *status)
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, "half\n", out)
}

func TestAProgramThatHangsIsKilledAndWhatItPrintedKept(t *testing.T) {
	out, err := shell(t.Context(), "echo half; exec sleep 600", 300*time.Millisecond, 100)
	require.ErrorIs(t, err, ErrTimeout)
	assert.Equal(t, "half\n", out)
}

func TestAProgramThatPrintsWithoutEndIsKilled(t *testing.T) {
	out, err := shell(t.Context(), "exec yes", long, 1000)
	require.ErrorIs(t, err, ErrTooMuch)
	assert.Len(t, out, 1000)
}

func TestAnEndedCallerEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := shell(ctx, "exec sleep 600", long, 10)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAProgramThatIsNotThereSaysSoWithoutItsPath(t *testing.T) {
	for _, path := range []string{"/no/such/program", "no-such-program"} {
		_, err := Run(t.Context(), []string{path}, nil, long, 10)
		require.ErrorIs(t, err, ErrMissing, path)
	}
	_, err := Run(t.Context(), []string{"/etc/passwd"}, nil, long, 10)
	require.EqualError(t, err, "permission denied")
}

func TestAnEnvironmentHasNothingOfThePlugins(t *testing.T) {
	t.Setenv("FLASH_PLUGIN_CONFIG", "{}")
	t.Setenv("TMUX_PANE", "%1")
	t.Setenv("KEPT", "1")
	env := Environment("TMUX")
	assert.Contains(t, env, "KEPT=1")
	for _, e := range env {
		assert.NotContains(t, e, "FLASH_")
		assert.NotContains(t, e, "TMUX_PANE")
	}
}
