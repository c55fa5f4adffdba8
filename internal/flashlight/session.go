package flashlight

import (
	"context"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// RefreshEvery is how often publications may change an open list: more often
// than once a second it would move under the reader's eye.
const RefreshEvery = time.Second

// View is what an open session shows at one moment. It never changes.
type View struct {
	Result
	Generation uint64 // of the query; View of a later keystroke has a higher one
	Selected   int    // into answers, then completions, then rows; -1 when there is nothing
	Pending    bool   // the lane or a live source may still add to it

	heirs map[string]string // id of a row → its entry, where that is not its own
}

// Session is one opening of the flashlight. Its methods return at once, but for
// Enter, and may be called by several goroutines. Every state of a query
// carries that query's generation, and what belongs to an older one is dropped
// wherever it arrives.
type Session struct {
	e       *Engine
	f       finder // the loop's own
	wake    chan struct{}
	changed chan struct{}
	closed  chan struct{} // by Close
	ended   chan struct{} // when the loop has ended
	unsub   func()

	mu      sync.Mutex // guards what follows
	shut    bool
	query   *query // never nil
	view    *View
	picked  string // row the user moved to; "" leaves the selection at the top
	timer   event.Timer
	fresh   time.Time // when publications last refreshed the list
	waiting bool      // a refresh is owed: the timer runs
}

// query is one generation of the input.
type query struct {
	gen     uint64
	in      input
	ctx     context.Context
	cancel  context.CancelFunc
	stale   bool // rows are to be found, or found anew
	rows    []Row
	rowsIn  chan struct{} // closed once rows were found
	hasRows bool
	lane    laneResult
	laneIn  chan struct{} // closed once the lane is complete
	hasLane bool
	live    []liveReply
}

// OpenSession opens a session with an empty query. It waits for nothing. The
// owner closes it.
func (e *Engine) OpenSession() *Session {
	s := &Session{
		e: e, f: finder{e: e},
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		closed: make(chan struct{}), ended: make(chan struct{}),
	}
	s.query = &query{cancel: func() {}}
	s.view = &View{Selected: -1, Result: Result{Answers: []Answer{}, Rows: []Row{}}}
	s.Update("")
	s.unsub = e.catalog.Subscribe(s.published)
	go s.loop()
	return s
}

// Changed carries a value after View has changed; several changes may be one.
func (s *Session) Changed() <-chan struct{} { return s.changed }

// View returns what shows now.
func (s *Session) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// Update replaces the input. Rows follow in the milliseconds that finding them
// takes; until then the former ones stay, and Enter waits. It returns the
// generation that the views of this input will have.
func (s *Session) Update(text string) uint64 {
	in := s.e.parse(text)
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		cancel()
		return 0
	}
	s.query.cancel()
	q := &query{
		gen: s.query.gen + 1, in: in, ctx: ctx, cancel: cancel, stale: true,
		rowsIn: make(chan struct{}), laneIn: make(chan struct{}),
		lane: laneResult{answers: []Answer{}},
	}
	s.query, s.picked = q, ""
	if len(in.evaluators) == 0 {
		q.hasLane = true
		close(q.laneIn)
	} else {
		go func() { s.laneCame(q, s.e.askLane(ctx, in)) }()
	}
	s.e.askLive(ctx, in, func(r liveReply) { s.liveCame(q, r) })
	s.signal(s.wake)
	return q.gen
}

// Close ends the session; nothing shows any more. It returns when its loop has ended.
func (s *Session) Close() {
	s.mu.Lock()
	if !s.shut {
		s.shut = true
		s.query.cancel()
		if s.timer != nil {
			s.timer.Stop()
		}
		close(s.closed)
	}
	s.mu.Unlock()
	s.unsub()
	<-s.ended
}

func (s *Session) signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// loop finds rows, for the newest query only.
func (s *Session) loop() {
	defer close(s.ended)
	for {
		select {
		case <-s.closed:
			return
		case <-s.wake:
		}
		s.mu.Lock()
		q, stale := s.query, s.query.stale
		q.stale = false
		s.mu.Unlock()
		if !stale {
			continue
		}
		rows := s.f.find(q.ctx, q.in, match.DefaultLimit)
		s.mu.Lock()
		if q == s.query && q.ctx.Err() == nil {
			q.rows = rows
			if !q.hasRows {
				q.hasRows = true
				close(q.rowsIn)
			}
			s.show()
		}
		s.mu.Unlock()
	}
}

// laneCame takes the lane of q, unless q is no longer the query.
func (s *Session) laneCame(q *query, l laneResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q != s.query || s.shut {
		return
	}
	q.lane, q.hasLane = l, true
	close(q.laneIn)
	s.show()
}

// liveCame takes one live reply to q, unless q is no longer the query.
func (s *Session) liveCame(q *query, r liveReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q != s.query || s.shut {
		return
	}
	q.live = append(q.live, r)
	s.show()
}

// show makes the view of what the query has; mu is held. Before its rows were
// found the former ones stay, so that the list does not flash.
func (s *Session) show() {
	q := s.query
	if !q.hasRows {
		return
	}
	selected := s.selectedID()
	v := &View{Generation: q.gen, Pending: !q.hasLane || len(q.live) < len(q.in.live)}
	v.Query = q.in.text
	v.Answers, v.Completions = q.lane.answers, q.in.completions
	v.Notices = append(append([]Notice{}, q.in.notices...), q.lane.notices...)
	var notices []Notice
	v.Rows, notices = mergeLive(q.rows, q.live, match.DefaultLimit)
	v.Notices = append(v.Notices, notices...)
	if s.view.Generation == v.Generation {
		v.heirs = heirs(s.view, v.Rows)
	}
	s.view = v
	s.restore(selected)
	s.signal(s.changed)
}

// published is called by the catalogue after each change. It lets the list be
// found anew at most once every RefreshEvery, and once more after the last change.
func (s *Session) published() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.waiting {
		return
	}
	if since := s.e.clock.Now().Sub(s.fresh); since < RefreshEvery {
		s.waiting = true
		s.timer = s.e.clock.AfterFunc(RefreshEvery-since, s.refresh)
		return
	}
	s.refreshLocked()
}

func (s *Session) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = false
	if !s.shut {
		s.refreshLocked()
	}
}

func (s *Session) refreshLocked() {
	s.fresh = s.e.clock.Now()
	s.query.stale = true
	s.signal(s.wake)
}

// Enter acts on the selection: by its own effect, or by the named action where
// it is a row. It waits until the rows and the lane of the input as it stands
// are there, which is what the user means; ok is false when the input changed
// meanwhile, or there is nothing to act on.
func (s *Session) Enter(ctx context.Context, action string) (out protocol.Outcome, ok bool) {
	v, ok := s.settled(ctx)
	if !ok || v.Selected < 0 {
		return protocol.Outcome{}, false
	}
	c := v.choice(v.Selected)
	if c.Completion != nil {
		s.Update(c.Completion.Value)
		return protocol.Outcome{}, false
	}
	return s.e.ActOn(ctx, c, action), true
}

// settled waits until the rows and the lane of the input as it stands are
// there; ok is false when the input changed meanwhile.
func (s *Session) settled(ctx context.Context) (v *View, ok bool) {
	s.mu.Lock()
	q := s.query
	s.mu.Unlock()
	for _, in := range []chan struct{}{q.rowsIn, q.laneIn} {
		select {
		case <-in:
		case <-q.ctx.Done():
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view, q == s.query
}
