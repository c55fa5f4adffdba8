package flashlight

import (
	"context"
	"sync"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/protocol"
)

// Backend is the host as the flashlight needs it. Calls return when their
// context ends; an error is a text for the user, without their own content.
type Backend interface {
	// Plugins returns the plugins that are loaded. It is asked per keystroke
	// and must not wait for anything.
	Plugins() []PluginInfo
	Evaluate(ctx context.Context, plugin string, q protocol.Evaluate) ([]protocol.Answer, error)
	Search(ctx context.Context, plugin string, q protocol.Search) ([]protocol.Row, error)
	Perform(ctx context.Context, plugin string, p protocol.Perform) protocol.Outcome
	// Effect carries out a row's or an answer's effect. An open effect with both
	// a URL and a bundle id opens the URL with that application.
	Effect(ctx context.Context, e protocol.Effect) error
}

// PluginInfo is one loaded plugin.
type PluginInfo struct {
	ID       string
	Manifest *protocol.Manifest
	Running  bool
}

// Options are what an Engine works with.
type Options struct {
	Catalog *catalog.Store
	Rank    *rank.Store // nil: no habit is learned or used
	Backend Backend
	Clock   event.Time // nil: the machine's
	// Context says which application had focus before the flashlight, for the
	// actions of plugins; nil: none is told.
	Context func() protocol.Context
	// Openers are the ids of the applications that take a URL, the preferred one
	// first; nil, or none for a URL, offers them all.
	Openers func(url string) []string
}

// Engine answers queries. It is safe for use by several goroutines; Sessions
// and one-shot Queries do not disturb each other.
type Engine struct {
	catalog *catalog.Store
	rank    *rank.Store
	backend Backend
	clock   event.Time
	context func() protocol.Context
	openers func(url string) []string
	boosts  boostCache

	mu      sync.Mutex
	recent  map[string][]protocol.Row // rows of each plugin's last live reply, for Act
	once    *finder                   // the one-shot queries' own, nil while in use
	aliases map[string]Alias
}

// New returns an Engine.
func New(o Options) *Engine {
	if o.Clock == nil {
		o.Clock = event.System()
	}
	if o.Context == nil {
		o.Context = func() protocol.Context { return protocol.Context{} }
	}
	if o.Openers == nil {
		o.Openers = func(string) []string { return nil }
	}
	return &Engine{
		catalog: o.Catalog, rank: o.Rank, backend: o.Backend, clock: o.Clock, context: o.Context, openers: o.Openers,
		recent: map[string][]protocol.Row{},
	}
}

// Query answers text once and completely: it waits for the lane and for the
// live sources that text names, within their deadlines. limit 0 is the default.
func (e *Engine) Query(ctx context.Context, text string, limit int) Result {
	start := e.clock.Now()
	if limit <= 0 {
		limit = match.DefaultLimit
	}
	in := e.parse(text)
	res := Result{Query: text, Completions: in.completions, Notices: in.notices}

	lane := make(chan laneResult, 1)
	go func() { lane <- e.askLane(ctx, in) }()
	replies := make(chan liveReply, len(in.live))
	e.askLive(ctx, in, func(r liveReply) { replies <- r })

	f := e.borrow()
	res.Rows = f.find(ctx, in, limit)
	e.giveBack(f)

	l := <-lane
	res.Answers, res.Notices = l.answers, append(res.Notices, l.notices...)
	live := make([]liveReply, 0, len(in.live))
	for range in.live {
		live = append(live, <-replies)
	}
	var notices []Notice
	res.Rows, notices = mergeLive(res.Rows, live, limit)
	res.Notices = append(res.Notices, notices...)
	res.ElapsedUS = e.clock.Now().Sub(start).Microseconds()
	return res
}

// borrow returns a finder for a one-shot query, keeping one around.
func (e *Engine) borrow() *finder {
	e.mu.Lock()
	f := e.once
	e.once = nil
	e.mu.Unlock()
	if f == nil {
		f = &finder{e: e}
	}
	return f
}

func (e *Engine) giveBack(f *finder) {
	e.mu.Lock()
	e.once = f
	e.mu.Unlock()
}
