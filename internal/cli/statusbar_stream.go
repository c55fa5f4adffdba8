package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/status/emit"
	"github.com/flash-launcher/flash/sdk/quiesce"
)

const (
	// lookAgain is how long a lost resident's return may go unnoticed where the
	// folder of its socket cannot be watched.
	lookAgain = 30 * time.Second
	// maxClick bounds a line of click events; the longest hold a few numbers.
	maxClick = 64 << 10
	// streamQuiet and streamHeadroom are the collector's: a line a second is
	// activity, and a stream of events that stay away is none.
	streamQuiet    = 5 * time.Second
	streamHeadroom = 4 << 20
)

// barStream feeds one bar.
type barStream struct {
	*app
	format emit.Format
	in     *os.File
	out    io.Writer
	errs   io.Writer
	params control.StatusBarParams
	clicks bool // the bar tells of clicks on in

	mu     sync.Mutex
	client *control.Client // while there is one
	last   string
	told   string // the faults that were shown last
	guard  *quiesce.Guard
}

func (s *barStream) once(ctx context.Context) error {
	s.params.Once = true
	var v control.StatusBarView
	if err := s.call(ctx, control.MethodStatusBar, s.params, &v); err != nil {
		return err
	}
	s.tell(v.Faults)
	_, err := io.WriteString(s.out, s.format.Line(v.Line))
	return err
}

func (s *barStream) tell(faults []string) {
	text := ""
	for _, f := range faults {
		text += "flash: " + f + "\n"
	}
	if text != s.told {
		s.told = text
		_, _ = io.WriteString(s.errs, text)
	}
}

// errBarGone ends a stream that nobody reads any more.
var errBarGone = errors.New("the bar is gone")

// write sends what differs from what was sent last.
func (s *barStream) write(text string) error {
	s.guard.Touch()
	if text == "" || text == s.last {
		return nil
	}
	s.last = text
	if _, err := io.WriteString(s.out, text); err != nil {
		return errBarGone
	}
	return nil
}

// run feeds the bar until it is gone.
func (s *barStream) run(ctx context.Context) error {
	// A bar that is gone shows as an error of the write, not as a death.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.guard = quiesce.New(streamQuiet, streamHeadroom)
	defer s.guard.Stop()
	s.watchOutput(cancel)
	s.watchInput(ctx, cancel)
	hidden := s.hidden()
	if err := s.write(s.format.Begin()); err != nil {
		return nil
	}
	for {
		err := s.follow(ctx, hidden)
		var c *control.Error
		switch {
		case ctx.Err() != nil || errors.Is(err, errBarGone):
			return nil
		case err == nil:
			continue // hidden and shown again
		case errors.As(err, &c) && c.Code != control.CodeBusy:
			return err
		}
		if s.write(s.format.Say("flash is not running")) != nil {
			return nil
		}
		if err := s.await(ctx); err != nil {
			return err
		}
	}
}

// follow shows the resident's lines until it goes, the bar does, or the bar is
// hidden and then shown again.
func (s *barStream) follow(ctx context.Context, hidden <-chan bool) error {
	client, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	s.setClient(client)
	defer s.setClient(nil)
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() {
		ended <- client.Call(call, control.MethodStatusBar, s.params, nil, func(raw json.RawMessage) {
			var v control.StatusBarView
			if json.Unmarshal(raw, &v) != nil || call.Err() != nil {
				return
			}
			s.tell(v.Faults)
			if err := s.write(s.format.Line(v.Line)); err != nil {
				cancel(err)
			}
		})
	}()
	for {
		select {
		case err := <-ended:
			return errors.Join(context.Cause(call), err)
		case hide := <-hidden:
			if !hide {
				continue
			}
		}
		// Without the connection nothing is observed for the bar.
		client.Close()
		<-ended
		for hide := true; hide; {
			select {
			case hide = <-hidden:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		s.last = ""
		return nil
	}
}

func (s *barStream) setClient(c *control.Client) {
	s.mu.Lock()
	s.client = c
	s.mu.Unlock()
}

// await returns when the resident may be back.
func (s *barStream) await(ctx context.Context) error {
	path, err := s.socketPath()
	if err != nil {
		return err
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	// The folder may not be there before the first start.
	for dir := filepath.Dir(path); w.Add(dir) != nil && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
	}
	for {
		// It may have come before the watch.
		if s.answers(ctx) {
			return nil
		}
		again := time.NewTimer(lookAgain)
		select {
		case <-ctx.Done():
		case <-w.Errors:
		case <-again.C:
		case <-w.Events:
			again.Reset(retryEvery) // a socket is there before it answers
			select {
			case <-ctx.Done():
			case <-again.C:
			}
		}
		again.Stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (s *barStream) answers(ctx context.Context) bool {
	c, err := s.dial(ctx)
	if err != nil {
		// Of another version: the next follow says so.
		return !errors.Is(err, control.ErrNotRunning)
	}
	c.Close()
	return true
}

// hidden tells when i3bar hides and shows its bar.
func (s *barStream) hidden() <-chan bool {
	if !s.clicks {
		return nil
	}
	signals, out := make(chan os.Signal, 4), make(chan bool)
	signal.Notify(signals, syscall.Signal(emit.StopSignal), syscall.Signal(emit.ContinueSignal))
	go func() {
		for sig := range signals {
			out <- sig == syscall.Signal(emit.StopSignal)
		}
	}()
	return out
}

// piped reports whether f has another end that can go away.
func piped(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// watchOutput calls gone when nobody reads standard output any more, which a
// program that has nothing to write would not notice.
func (s *barStream) watchOutput(gone func()) {
	f, ok := s.out.(*os.File)
	if !ok || !piped(f) {
		return
	}
	fd := int32(f.Fd())
	go func() {
		for {
			fds := []unix.PollFd{{Fd: fd}}
			n, err := unix.Poll(fds, -1)
			if err == unix.EINTR {
				continue
			}
			if err != nil || n > 0 {
				gone()
				return
			}
		}
	}()
}

// watchInput reads clicks, and calls gone when their pipe ends. A terminal or
// /dev/null says nothing about the bar, and a socket only to who sends clicks
// over it: tmux shuts its side of one at once.
func (s *barStream) watchInput(ctx context.Context, gone func()) {
	st, err := s.in.Stat()
	if err != nil || st.Mode()&os.ModeNamedPipe == 0 && !(s.clicks && st.Mode()&os.ModeSocket != 0) {
		return
	}
	go func() {
		defer gone()
		r := bufio.NewReaderSize(s.in, maxClick)
		for {
			line, err := r.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				for errors.Is(err, bufio.ErrBufferFull) {
					_, err = r.ReadSlice('\n')
				}
				line = nil
			}
			if err != nil {
				return
			}
			if c, ok := emit.ParseClick(line); ok && s.clicks {
				s.click(ctx, c)
			}
		}
	}()
}

// click does what a click says; what comes of it goes where errors go.
func (s *barStream) click(ctx context.Context, c emit.Click) {
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	if client == nil {
		return
	}
	go func() {
		var r control.PerformResult
		p := control.StatusBarClick{Template: s.params.Template, Name: c.Name, Button: c.Button}
		err := client.Call(ctx, control.MethodStatusBarClick, p, &r, nil)
		var known *control.Error
		switch {
		case errors.As(err, &known) && known.Code == control.CodeNotFound:
			// Most of a bar does nothing when it is clicked.
		case err != nil:
			fmt.Fprintf(s.errs, "flash: %v\n", err)
		case !r.OK && !r.Unhandled:
			fmt.Fprintf(s.errs, "flash: %s\n", r.Error)
		}
	}()
}
