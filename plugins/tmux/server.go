package tmux

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/flash-launcher/flash/sdk"
)

const (
	// quiet and ceiling settle a burst of notifications into one reading.
	quiet   = 100 * time.Millisecond
	ceiling = time.Second

	// calm is how long after the end of a control client none is started. tmux, up
	// to 3.6 at least, crashes when a session or a window comes or goes in the
	// instant in which a control client connects: it tells one that it has not set
	// up yet. What ended the last one is seldom alone.
	calm = time.Second

	// maxStarts control clients of one server may start in startsWithin; the
	// next waits for a retry. One ends with its session in tmux before 3.4, and
	// leaves with the last person.
	maxStarts    = 20
	startsWithin = time.Minute
)

var (
	// errGone: nothing listens any more, which is an answer and no failure.
	errGone = errors.New("the tmux server is gone")
	// errStarting: a server without a session is one that just starts, or one
	// that the user told to stay.
	errStarting = errors.New("the tmux server has no session")
	errEnds     = errors.New("control clients of tmux keep ending")
	// errWaiting: the server is read but not followed until its retry.
	errWaiting = errors.New("the tmux server waits for its retry")
)

// server is one tmux server, on this machine or on another.
type server struct {
	p      *plugin
	name   string // in URLs and rows
	socket string // "" on another machine
	host   string // "" on this one
	settle *sdk.Settle
	resume *sdk.Settle // after calm

	// Guarded by p.mu.
	known    bool // inv is of a server that ran when it was last heard of
	inv      inventory
	ctl      *control
	running  bool
	next     chan struct{} // closed when the reading that is to begin has ended
	failures int           // steps of retry taken
	due      time.Time     // of the next retry, zero for none
	stray    bool          // what failed last was to follow the server, not to read it
	starts   []time.Time   // of the last control clients
	parted   bool          // one has just ended: see calm
	heard    time.Time     // last good reading, for servers elsewhere
}

func newServer(p *plugin, name, socket, host string) *server {
	s := &server{p: p, name: name, socket: socket, host: host}
	settled := func(ctx context.Context) {
		select {
		case <-s.read():
		case <-ctx.Done():
		}
	}
	s.settle = sdk.NewSettle(nil, quiet, ceiling, settled)
	s.resume = sdk.NewSettle(nil, calm, calm, func(ctx context.Context) {
		p.mu.Lock()
		s.parted = false
		p.mu.Unlock()
		settled(ctx)
	})
	return s
}

// stop ends what would read the server later.
func (s *server) stop() {
	s.settle.Stop()
	s.resume.Stop()
}

// read has the server read by a reading that begins after the call, and returns
// what is closed when it has ended. There is never more than one under way and
// one to come.
func (s *server) read() <-chan struct{} {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	done := s.next
	if !s.running {
		s.running = true
		if !s.p.spawnLocked(s.readings) {
			s.running, s.next = false, nil
			close(done)
		}
	}
	return done
}

func (s *server) readings() {
	for {
		s.p.mu.Lock()
		done := s.next
		s.next = nil
		if done == nil {
			s.running = false
			s.p.mu.Unlock()
			return
		}
		s.p.mu.Unlock()
		s.readOnce(s.p.ctx)
		close(done)
	}
}

func (s *server) readOnce(ctx context.Context) {
	began := time.Now()
	inv, err := s.inventory(ctx)
	if ctx.Err() != nil {
		return
	}
	p := s.p
	p.mu.Lock()
	if inv != nil {
		s.known, s.inv, s.heard = true, *inv, time.Now()
	}
	switch {
	case err == nil:
		s.failures, s.due = 0, time.Time{}
	case errors.Is(err, errGone):
		s.known, s.inv = false, inventory{}
		s.failures, s.due = 0, time.Time{}
	case s.host == "":
		s.failedLocked()
	}
	p.mu.Unlock()
	if err != nil && !errors.Is(err, errGone) && !errors.Is(err, errStarting) && !errors.Is(err, errWaiting) {
		p.complain("a tmux server cannot be read", "error", err, "remote", s.host != "")
	} else if took := time.Since(began); took >= time.Second && s.host == "" {
		p.complain("a tmux server is slow", "took", took)
	}
	p.publish()
	p.armRetry()
}

// failedLocked plans the retry of a reading that failed. Readings that other
// events cause in the meantime neither hasten nor delay it.
func (s *server) failedLocked() {
	if s.due.IsZero() && s.failures < len(retrySteps) {
		s.due = time.Now().Add(retrySteps[s.failures])
		s.failures++
	}
}

// inventory reads the server by the best way there is. With an error the
// inventory, if any, is good all the same: the server cannot be followed.
func (s *server) inventory(ctx context.Context) (*inventory, error) {
	if c := s.control(); c != nil {
		inv, err := c.inventory(ctx)
		if err == nil {
			if keep := s.steer(ctx, c, &inv); keep {
				return &inv, nil
			}
			// Somebody may have come while the client left.
		} else if ctx.Err() == nil {
			s.unfollow(c)
		}
	}
	if s.host == "" {
		switch is, err := probe(s.socket); is {
		case dead:
			return nil, errGone
		case unknown:
			return nil, err
		}
	}
	inv, err := s.list(ctx)
	if err != nil {
		if s.host == "" && ctx.Err() == nil {
			if is, _ := probe(s.socket); is == dead {
				return nil, errGone
			}
		}
		return nil, err
	}
	if len(inv.windows) == 0 {
		return &inv, errStarting
	}
	return s.follow(ctx, &inv)
}

// steer keeps the control client where people are, so that no session outlives
// its last person through it. It reports false once the client has left because
// there is nobody.
func (s *server) steer(ctx context.Context, c *control, inv *inventory) bool {
	people := inv.people()
	if len(people) == 0 {
		s.unfollow(c)
		return false
	}
	if at := c.shows(); !slices.ContainsFunc(people, func(p client) bool { return p.sessionID == at }) {
		if err := c.move(ctx, people[0].sessionID); err != nil && ctx.Err() == nil && !errors.Is(err, errRefused) {
			s.unfollow(c)
			return false
		}
	}
	return true
}

// follow starts a control client if somebody is attached, and reads once more
// through it: what changed before it listened would be missed.
func (s *server) follow(ctx context.Context, inv *inventory) (*inventory, error) {
	people := inv.people()
	if len(people) == 0 || s.host != "" {
		return inv, nil
	}
	if v, err := s.p.version(ctx); err != nil || v.before(oldest) {
		return inv, nil
	}
	s.p.mu.Lock()
	waiting, parted := s.stray && !s.due.IsZero(), s.parted
	s.p.mu.Unlock()
	if parted {
		return inv, nil
	}
	if waiting {
		return inv, errWaiting
	}
	again, err := s.followNow(ctx, people[0].sessionID)
	s.p.mu.Lock()
	s.stray = err != nil
	s.p.mu.Unlock()
	if again == nil {
		return inv, err
	}
	return again, nil
}

// followNow starts a control client in a session and reads through it.
func (s *server) followNow(ctx context.Context, sessionID string) (*inventory, error) {
	if !s.countStart(time.Now()) {
		return nil, errEnds
	}
	c, err := startControl(s.argv(ctx, controlArgs(sessionID)...), s.settle.Trigger, s.ended)
	if err != nil {
		return nil, withoutPath(err)
	}
	s.p.mu.Lock()
	s.ctl = c
	s.p.mu.Unlock()
	again, err := c.inventory(ctx)
	if err == nil {
		return &again, nil
	}
	s.unfollow(c)
	if errors.Is(err, errControlEnded) {
		// Its session went as it came. What is there now is read in a moment.
		s.part()
		err = nil
	}
	return nil, err
}

// countStart reports whether another control client may start now.
func (s *server) countStart(now time.Time) bool {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.starts = slices.DeleteFunc(s.starts, func(at time.Time) bool { return now.Sub(at) > startsWithin })
	if len(s.starts) >= maxStarts {
		return false
	}
	s.starts = append(s.starts, now)
	return true
}

func (s *server) control() *control {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.ctl
}

func (s *server) unfollow(c *control) {
	s.p.mu.Lock()
	if s.ctl == c {
		s.ctl = nil
	}
	s.p.mu.Unlock()
	c.close()
}

// ended is called when a control client ended on its own: the server or the
// session went, or somebody detached it.
func (s *server) ended(c *control) {
	c.in.Close()
	s.p.mu.Lock()
	if s.ctl == c {
		s.ctl = nil
	}
	s.p.mu.Unlock()
	s.part()
}

// part has the server read in a moment and followed again once it is calm.
func (s *server) part() {
	s.p.mu.Lock()
	s.parted = true
	s.p.mu.Unlock()
	s.settle.Trigger()
	s.resume.Trigger()
}

// list reads the server with a tmux process of its own.
func (s *server) list(ctx context.Context) (inventory, error) {
	out, err := s.tmux(ctx, "list-clients", "-F", clientFormat, ";", "list-windows", "-a", "-F", windowFormat, ";", "display-message", "-p", listEnd)
	var ended *commandError
	switch {
	case errors.As(err, &ended) && ended.says("no current target", "no sessions"):
		return inventory{}, nil
	case errors.As(err, &ended) && ended.says("server exited", "lost server"):
		// It went while it was asked. Another may be in its place already.
		s.settle.Trigger()
		return inventory{}, errGone
	case err != nil:
		return inventory{}, err
	}
	out, whole := bytes.CutSuffix(out, []byte(listEnd+"\n"))
	if !whole {
		return inventory{}, errInventory
	}
	return parseInventory(out)
}

// tmux runs tmux commands in the server.
func (s *server) tmux(ctx context.Context, args ...string) ([]byte, error) {
	if s.host != "" {
		return s.ssh(ctx, args)
	}
	if _, err := s.p.version(ctx); err != nil {
		return nil, err
	}
	return run(ctx, s.argv(ctx, args...), patience)
}

// argv is a call of tmux for a server on this machine. -u keeps names in UTF-8
// whatever the locale; -N, where it is known, keeps tmux from starting a server.
func (s *server) argv(ctx context.Context, args ...string) []string {
	argv := []string{s.p.program, "-u", "-S", s.socket}
	if v, err := s.p.version(ctx); err == nil && !v.before(oldest) {
		argv = append(argv, "-N")
	}
	return append(argv, args...)
}
