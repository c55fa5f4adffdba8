package tmux

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// maxLine bounds one line of control mode. Only the path of a pane is long.
	maxLine = 64 << 10
	// parting is how long a control client has to leave once its input ended.
	parting = 300 * time.Millisecond
)

var (
	errControlEnded = errors.New("the control client of tmux ended")
	errRefused      = errors.New("tmux refused to list its windows")
)

// control is one control-mode client: a tmux process that follows a server and
// carries questions to it. It sends nothing on its own.
type control struct {
	in      *os.File
	cmd     *exec.Cmd
	replies chan reply
	gone    chan struct{} // closed once the process is reaped and its output read

	changed func() // something may have changed; called by the reader

	asking sync.Mutex // one question at a time

	mu      sync.Mutex
	session string // that it shows
	closing bool
}

type reply struct {
	body    []byte
	refused bool
}

// controlArgs are the arguments after the socket. no-output keeps panes'
// contents away and ignore-size keeps windows as large as people's terminals;
// a server that does not know no-detach-on-destroy passes over it. -E leaves
// the session's environment alone.
func controlArgs(sessionID string) []string {
	return []string{"-C", "attach-session", "-E", "-f", "no-output,ignore-size,no-detach-on-destroy", "-t", sessionID}
}

// startControl starts a control client. ended is called once it is gone, unless
// close ended it.
func startControl(argv []string, changed func(), ended func(*control)) (*control, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, err
	}
	c := &control{in: in, replies: make(chan reply, 1), gone: make(chan struct{}), changed: changed}
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Env = environ()
	c.cmd.Stdin, c.cmd.Stdout = theirIn, theirOut
	err = c.cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		if c.read(out) != nil {
			_ = c.cmd.Process.Kill()
		}
	}()
	go func() {
		_ = c.cmd.Wait()
		// The server holds the other end too. It lets go as it notices.
		_ = out.SetReadDeadline(time.Now().Add(drain))
		<-read
		out.Close()
		c.mu.Lock()
		deliberate := c.closing
		c.mu.Unlock()
		close(c.gone)
		if !deliberate {
			ended(c)
		}
	}()
	return c, nil
}

// read takes lines until the output ends. An error means that what comes is no
// control mode.
func (c *control) read(out io.Reader) error {
	r := bufio.NewReaderSize(out, 4096)
	var d decoder
	var long []byte
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long)+len(part) > maxLine {
				return errReplySize
			}
			long = append(long, part...)
			continue
		case err != nil:
			return nil
		}
		line := part[:len(part)-1]
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		what, err := d.line(line)
		if err != nil {
			return err
		}
		if cap(long) > 4096 {
			long = nil
		}
		long = long[:0]
		c.take(what, &d)
	}
}

func (c *control) take(what notice, d *decoder) {
	switch what {
	case noticeReply:
		r := reply{append([]byte(nil), d.body...), d.refused}
		if cap(d.body) > maxLine {
			d.body = nil
		}
		select {
		case c.replies <- r:
		case <-time.After(patience): // nobody asked: a hook of the user's
		}
	case noticeSession:
		c.mu.Lock()
		c.session = d.session
		c.mu.Unlock()
		c.changed()
	case noticeChange:
		c.changed()
	}
}

// shows returns the id of the session that the client is in.
func (c *control) shows() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// ask sends commands and returns what each printed. After an error other than
// errRefused the client is of no use any more: the replies would be out of step.
func (c *control) ask(ctx context.Context, commands ...string) ([]byte, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	var text []byte
	for _, command := range commands {
		text = append(append(text, command...), '\n')
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	_ = c.in.SetWriteDeadline(time.Now().Add(patience))
	if _, err := c.in.Write(text); err != nil {
		return nil, errControlEnded
	}
	var all []byte
	refused := false
	for range commands {
		select {
		case r := <-c.replies:
			refused = refused || r.refused
			all = append(all, r.body...)
		case <-c.gone:
			return nil, errControlEnded
		case <-limit.C:
			return nil, errTimeout
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if refused {
		return nil, errRefused
	}
	return all, nil
}

// inventory reads the server through the client.
func (c *control) inventory(ctx context.Context) (inventory, error) {
	out, err := c.ask(ctx, "list-clients -F '"+clientFormat+"'", "list-windows -a -F '"+windowFormat+"'")
	if err != nil {
		return inventory{}, err
	}
	return parseInventory(out)
}

// move shows another session.
func (c *control) move(ctx context.Context, sessionID string) error {
	_, err := c.ask(ctx, "switch-client -E -t '"+sessionID+"'")
	return err
}

// close lets the client leave and returns once it is reaped.
func (c *control) close() {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.in.Close()
	limit := time.NewTimer(parting)
	defer limit.Stop()
	select {
	case <-c.gone:
		return
	case <-limit.C:
	}
	_ = c.cmd.Process.Kill()
	<-c.gone
}
