package control_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

// TestMain lets the binary stand in for another resident process.
func TestMain(m *testing.M) {
	if path := os.Getenv("CONTROL_TEST_HOLD"); path != "" {
		l, err := control.Listen(path, "held")
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println("holding")
		_ = control.NewServer("held", slog.New(slog.DiscardHandler)).Serve(context.Background(), l)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func socketPath(t *testing.T) string {
	t.Helper()
	// Not t.TempDir: its name may pass the 108 bytes that a socket path has.
	dir, err := os.MkdirTemp("", "fl")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "run", "flash.sock")
}

func serve(t *testing.T, path string, register func(*control.Server)) {
	t.Helper()
	l, err := control.Listen(path, "1.2.3")
	require.NoError(t, err)
	s := control.NewServer("1.2.3", slog.New(slog.DiscardHandler))
	if register != nil {
		register(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done)
		// The listener is closed by Serve already; Close still takes the files.
		_ = l.Close()
	})
}

func dial(t *testing.T, path string) *control.Client {
	t.Helper()
	c, err := control.Dial(t.Context(), path, "1.2.3")
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// hold starts another process that holds the socket, and returns it.
func hold(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CONTROL_TEST_HOLD="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "holding\n", line)
	return cmd
}

func TestARequestIsAnsweredByItsHandler(t *testing.T) {
	path := socketPath(t)
	serve(t, path, func(s *control.Server) {
		s.Handle("echo", func(_ context.Context, r control.Request) (any, error) {
			var p struct{ Text string }
			if err := r.Bind(&p); err != nil {
				return nil, err
			}
			return p, nil
		})
	})
	c := dial(t, path)
	assert.Equal(t, "1.2.3", c.Server.Version)
	assert.Equal(t, os.Getpid(), c.Server.PID)
	var got struct{ Text string }
	require.NoError(t, c.Call(t.Context(), "echo", map[string]string{"Text": "héllo\n名前"}, &got, nil))
	assert.Equal(t, "héllo\n名前", got.Text)
}

func TestUnknownMethodsAndParamsAreNamed(t *testing.T) {
	path := socketPath(t)
	serve(t, path, func(s *control.Server) {
		s.Handle("echo", func(_ context.Context, r control.Request) (any, error) {
			var p struct{ Text string }
			return nil, r.Bind(&p)
		})
	})
	c := dial(t, path)
	var e *control.Error
	require.ErrorAs(t, c.Call(t.Context(), "nosuch", nil, nil, nil), &e)
	assert.Equal(t, control.CodeUnknownMethod, e.Code)
	assert.Contains(t, e.Message, `"nosuch"`)
	require.ErrorAs(t, c.Call(t.Context(), "echo", map[string]int{"Txt": 1}, nil, nil), &e)
	assert.Equal(t, control.CodeInvalid, e.Code)
	assert.Contains(t, e.Message, "Txt")
}

func TestEventsComeInOrderBeforeTheResult(t *testing.T) {
	path := socketPath(t)
	serve(t, path, func(s *control.Server) {
		s.Handle("count", func(_ context.Context, r control.Request) (any, error) {
			for i := range 100 {
				if err := r.Emit(i); err != nil {
					return nil, err
				}
			}
			return "end", nil
		})
	})
	var got []string
	var end string
	require.NoError(t, dial(t, path).Call(t.Context(), "count", nil, &end, func(ev json.RawMessage) { got = append(got, string(ev)) }))
	assert.Len(t, got, 100)
	assert.Equal(t, "99", got[99])
	assert.Equal(t, "end", end)
}

func TestAClientThatDiesCancelsItsRequestAndFreesItsState(t *testing.T) {
	path := socketPath(t)
	started, cancelled, closed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	serve(t, path, func(s *control.Server) {
		s.Handle("hang", func(ctx context.Context, r control.Request) (any, error) {
			r.Conn.Set("session", 1, func() { close(closed) })
			close(started)
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		})
	})
	c := dial(t, path)
	errs := make(chan error, 1)
	go func() { errs <- c.Call(context.Background(), "hang", nil, nil, nil) }()
	<-started
	c.Close()
	<-cancelled
	<-closed
	assert.ErrorIs(t, <-errs, control.ErrGone)
}

func TestAPanickingHandlerEndsOnlyItsOwnRequest(t *testing.T) {
	path := socketPath(t)
	serve(t, path, func(s *control.Server) {
		s.Handle("boom", func(context.Context, control.Request) (any, error) { panic("boom") })
		s.Handle("ok", func(context.Context, control.Request) (any, error) { return true, nil })
	})
	c := dial(t, path)
	var e *control.Error
	require.ErrorAs(t, c.Call(t.Context(), "boom", nil, nil, nil), &e)
	assert.Equal(t, control.CodeFailed, e.Code)
	require.NoError(t, c.Call(t.Context(), "ok", nil, nil, nil))
}

func TestASecondResidentLeavesTheLiveSocketAlone(t *testing.T) {
	path := socketPath(t)
	cmd := hold(t, path)
	_, err := control.Listen(path, "second")
	var running *control.RunningError
	require.ErrorAs(t, err, &running)
	assert.Equal(t, cmd.Process.Pid, running.PID)
	assert.Contains(t, err.Error(), "already running")
	assert.Equal(t, "held", dial(t, path).Server.Version)

	// Also when somebody removed the lock file under the live resident.
	require.NoError(t, os.Remove(path+".lock"))
	_, err = control.Listen(path, "second")
	require.ErrorAs(t, err, &running)
	assert.Equal(t, "held", dial(t, path).Server.Version)
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := socketPath(t)
	cmd := hold(t, path)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, err := os.Lstat(path)
	require.NoError(t, err, "kill -9 leaves the socket file")
	_, alive := control.Holder(path)
	assert.False(t, alive)
	serve(t, path, nil)
	assert.Equal(t, "1.2.3", dial(t, path).Server.Version)
}

func TestALockThatNamesAnUnrelatedProcessIsNotTakenForTheResident(t *testing.T) {
	path := socketPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	lock := fmt.Sprintf(`{"schema":1,"pid":%d,"start":1,"version":"x"}`, os.Getpid())
	require.NoError(t, os.WriteFile(path+".lock", []byte(lock), 0o600))
	_, alive := control.Holder(path)
	assert.False(t, alive, "the pid lives but its start time is another's")
	serve(t, path, nil)
	owner, alive := control.Holder(path)
	assert.True(t, alive)
	assert.Equal(t, os.Getpid(), owner.PID)
}

func TestAFileOfAnotherKindIsNotRemoved(t *testing.T) {
	path := socketPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	_, err := control.Listen(path, "x")
	require.ErrorContains(t, err, path)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(data))
}

func TestAFolderThatOthersMayWriteIsRefused(t *testing.T) {
	path := socketPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
	_, err := control.Listen(path, "x")
	require.ErrorContains(t, err, "chmod 700")
}

func TestTheSocketIsForTheOwnerAlone(t *testing.T) {
	path := socketPath(t)
	serve(t, path, nil)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// raw sends bytes and returns all that the server answers.
func raw(t *testing.T, path string, lines ...string) string {
	t.Helper()
	c, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	for _, l := range lines {
		if _, err := io.WriteString(c, l); err != nil {
			break
		}
	}
	out, _ := io.ReadAll(c)
	return string(out)
}

func TestMalformedClientsAreToldAndDropped(t *testing.T) {
	path := socketPath(t)
	serve(t, path, nil)
	const hello = `{"hello":{"protocol":1,"version":"x"}}` + "\n"
	assert.Contains(t, raw(t, path, "{}\n"), "begins with a hello")
	assert.Contains(t, raw(t, path, "nonsense\n"), "begins with a hello")
	assert.Contains(t, raw(t, path, hello, "nonsense\n"), string(control.CodeInvalid))
	assert.Contains(t, raw(t, path, hello, `{"id":"one","method":"x"}`+"\n"), string(control.CodeInvalid))
	assert.Contains(t, raw(t, path, hello, `{"method":"x"}`+"\n"), "needs id and method")
	assert.Contains(t, raw(t, path, hello, strings.Repeat("x", 1<<20+64<<10)), "too long")
}

func TestAnotherControlProtocolIsToldBothVersions(t *testing.T) {
	path := socketPath(t)
	serve(t, path, nil)
	out := raw(t, path, `{"hello":{"protocol":99,"version":"9.9.9"}}`+"\n")
	assert.Contains(t, out, string(control.CodeVersion))
	assert.Contains(t, out, "1.2.3")
	assert.Contains(t, out, "9.9.9")
}

func TestDialWithoutAResidentSaysHowToStartOne(t *testing.T) {
	_, err := control.Dial(t.Context(), socketPath(t), "x")
	require.ErrorIs(t, err, control.ErrNotRunning)
	assert.Contains(t, err.Error(), "flash start")
}

func TestManyClientsAtOnceAreEachAnswered(t *testing.T) {
	path := socketPath(t)
	serve(t, path, func(s *control.Server) {
		s.Handle("id", func(_ context.Context, r control.Request) (any, error) { return r.Params, nil })
	})
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			c, err := control.Dial(context.Background(), path, "x")
			if !assert.NoError(t, err) {
				return
			}
			defer c.Close()
			var calls sync.WaitGroup
			for j := range 8 {
				calls.Go(func() {
					var got int
					if assert.NoError(t, c.Call(context.Background(), "id", i*100+j, &got, nil)) {
						assert.Equal(t, i*100+j, got)
					}
				})
			}
			calls.Wait()
		})
	}
	wg.Wait()
}

func TestServeEndsItsConnectionsWhenItsContextEnds(t *testing.T) {
	path := socketPath(t)
	l, err := control.Listen(path, "x")
	require.NoError(t, err)
	s := control.NewServer("x", slog.New(slog.DiscardHandler))
	started := make(chan struct{})
	s.Handle("hang", func(ctx context.Context, _ control.Request) (any, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	c := dial(t, path)
	errs := make(chan error, 1)
	go func() { errs <- c.Call(context.Background(), "hang", nil, nil, nil) }()
	<-started
	cancel()
	require.NoError(t, <-done)
	require.Error(t, <-errs)
	require.NoError(t, errors.Join(closeListener(l)))
	_, err = os.Lstat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// closeListener closes a listener that Serve has closed before.
func closeListener(l *control.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
