package clip

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// toolTime bounds one look at the clipboard: what it asks is another program.
	toolTime = 3 * time.Second
	// maxOffer bounds the list of kinds.
	maxOffer = 64 << 10
)

// Wayland follows the clipboard of a compositor by wl-paste. It is told that
// something was copied, looks at the kinds, and only then reads.
type Wayland struct {
	// command makes a program of the session, see desktop.Tool.
	command func(ctx context.Context, argv ...string) (*exec.Cmd, error)

	mu      sync.Mutex
	stop    context.CancelFunc
	running sync.WaitGroup
}

// NewWayland follows with programs that command makes.
func NewWayland(command func(ctx context.Context, argv ...string) (*exec.Cmd, error)) *Wayland {
	return &Wayland{command: command}
}

// The state of the clipboard, where wl-paste is new enough to say it.
const (
	stateData      = "data"
	stateSensitive = "sensitive"
)

// Start follows the clipboard.
func (w *Wayland) Start(changed func(text string), lost func(error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	// wl-paste begins with what is there now, which is no copy.
	kinds, _ := w.kinds(ctx)
	cmd, err := w.command(ctx, "wl-paste", "--watch", "sh", "-c", `echo "${CLIPBOARD_STATE-`+stateData+`}"`)
	if err != nil {
		cancel()
		return fmt.Errorf("clipboard: %w", err)
	}
	// It ends with the host, however that ends.
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return fmt.Errorf("clipboard: %w", err)
	}
	var said tail
	cmd.Stderr = &said
	started := make(chan error)
	w.running.Go(func() {
		defer cancel()
		// The kernel ends it with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		w.follow(ctx, out, len(kinds) > 0, changed)
		_ = cmd.Wait()
		if ctx.Err() == nil {
			why := strings.TrimSpace(said.String())
			go lost(fmt.Errorf("wl-paste ended: %s", why))
		}
	})
	if err := <-started; err != nil {
		cancel()
		return fmt.Errorf("clipboard: %w", err)
	}
	w.stop = cancel
	return nil
}

// Stop ends it.
func (w *Wayland) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	w.running.Wait()
}

func (w *Wayland) follow(ctx context.Context, out io.Reader, skip bool, changed func(text string)) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		state := strings.TrimSpace(line)
		if skip && (state == stateData || state == stateSensitive) {
			skip = false
			continue
		}
		if state != stateData || lines.Buffered() > 0 { // a newer one is there already
			continue
		}
		if text, ok := w.read(ctx); ok {
			changed(text)
		}
	}
}

// kinds are what the present copy is offered in.
func (w *Wayland) kinds(ctx context.Context) ([]string, error) {
	out, err := w.take(ctx, maxOffer, "wl-paste", "--list-types")
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

func (w *Wayland) read(ctx context.Context) (string, bool) {
	offered, err := w.kinds(ctx)
	if err != nil {
		return "", false
	}
	kind, ok := pick(offered)
	if !ok {
		return "", false
	}
	text, err := w.take(ctx, MaxText, "wl-paste", "--no-newline", "--type", kind)
	if err != nil {
		return "", false
	}
	// On Wayland STRING is UTF-8 as well.
	return clean(text, false), true
}

var errTooLong = errors.New("longer than is read")

// take runs a program and gives what it prints, up to most bytes; a program that
// prints more is ended.
func (w *Wayland) take(ctx context.Context, most int, argv ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	cmd, err := w.command(ctx, argv...)
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	_, err = io.Copy(&buf, io.LimitReader(out, int64(most)+1))
	long := buf.Len() > most
	if long || err != nil {
		cancel()
	}
	if end := cmd.Wait(); err == nil {
		err = end
	}
	if long {
		return nil, errTooLong
	}
	return buf.Bytes(), err
}

// tail keeps the end of what a program says.
type tail struct{ buf []byte }

const maxTail = 512

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	t.buf = t.buf[max(0, len(t.buf)-maxTail):]
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf) }
