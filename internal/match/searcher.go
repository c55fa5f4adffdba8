package match

import (
	"context"
	"slices"
)

// Options says which rows a search may find and how they stand.
type Options struct {
	// Limit is how many hits are wanted; 0 is DefaultLimit.
	Limit int
	// Include says whether a source of an index is searched, and its priority.
	// It is asked once for each source. nil includes all as Normal.
	Include func(index int, source string) (bool, Priority)
	// Boosts has a slice for each index with the frecency of its rows, 0 to
	// MaxBoost; a missing or nil slice is all zeros.
	Boosts [][]uint8
}

// Hit is one row found.
type Hit struct {
	Index int // in the list of indexes that was searched
	Row   int
	Tier  Tier
	Field Field
	Score int // within the tier; see doc.go
	// Highlights are byte ranges of the original title, whole graphemes,
	// ascending and apart. Only Search fills them.
	Highlights []Span
}

// Searcher searches the same indexes again and again as a query is typed. It
// keeps what the last query was narrowed to and all its working memory, so that
// a keystroke allocates nothing. One goroutine at a time may use it.
type Searcher struct {
	q     Query
	state []*state
	top   top
	hits  []Hit
	fuzzy fuzzyMatcher
	done  <-chan struct{}
	steps int
	opts  Options
}

// state is what a Searcher knows about one index.
type state struct {
	ix    *Index
	base  uint32   // position of its first row
	seen  []uint32 // by row: the epoch in which it was found
	epoch uint32
	on    []bool // by source
	prio  []Priority
	any   bool
	boost []uint8

	words []uint32 // of the vocabulary, at work
	slips []uint8  // of each of words
	steps []uint64 // of the whole vocabulary; see steps.go
	again []uint64
	twice bool // again is not all zeros

	// abbreviated are the entries that abbreviatedBy can abbreviate, rows those
	// that can have rowsText in their details, or if it has several words, each
	// in some field: supersets, to be narrowed further by a query that goes on
	// from there.
	abbreviated   []uint32
	abbreviatedBy []byte
	abbreviatedOK bool
	rows          []uint32
	rowsText      []byte
	rowsOne       bool // rowsText is one word
	rowsOK        bool
}

// Search returns the best hits of text in order. The slice and what it holds
// are valid until the next Search. It is nil when ctx was cancelled meanwhile.
func (s *Searcher) Search(ctx context.Context, indexes []*Index, text string, opts Options) []Hit {
	if opts.Limit <= 0 {
		opts.Limit = DefaultLimit
	}
	s.done, s.opts, s.steps = ctx.Done(), opts, 0
	s.q.Set(text)
	s.attach(indexes)
	s.top.reset(opts.Limit)
	s.hits = s.hits[:0]
	if s.q.Empty() {
		return s.hits
	}
	if !s.run() || ctx.Err() != nil {
		s.Forget()
		return nil
	}
	return s.collect()
}

// Query returns the query of the last Search, for highlights.
func (s *Searcher) Query() *Query { return &s.q }

// passes search the tiers in order. Each finds all of its tiers' rows that were
// not found before, so the search may end after any of them.
var passes = [...]func(*Searcher, *state) bool{
	(*Searcher).wholes,     // tiers 1 and 2
	(*Searcher).beginnings, // tier 3
	(*Searcher).acronyms,   // tier 4
	(*Searcher).substrings, // tier 5 in titles and aliases
	(*Searcher).details,    // tier 5 elsewhere
	(*Searcher).scattered,  // tier 6
	(*Searcher).mistyped,   // tier 7
}

// run searches until the list is full; false when the context was cancelled.
func (s *Searcher) run() bool {
	for _, pass := range passes {
		for _, st := range s.state {
			if st.any && !pass(s, st) {
				return false
			}
		}
		if s.top.pushed >= s.opts.Limit {
			break
		}
	}
	return true
}

// stop says whether the search was cancelled. It is asked for every row and
// looks only now and then.
func (s *Searcher) stop() bool {
	const every = 1024 // rows: some ten microseconds
	if s.steps++; s.steps%every != 0 || s.done == nil {
		return false
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// attach lines the states up with indexes.
func (s *Searcher) attach(indexes []*Index) {
	base := uint32(0)
	for i, ix := range indexes {
		s.attachOne(i, ix)
		st := s.state[i]
		st.base = base
		base += uint32(ix.Len())
		st.epoch++
		if st.epoch == 0 { // wrapped: old marks would count
			clear(st.seen)
			st.epoch = 1
		}
		st.boost = nil
		if i < len(s.opts.Boosts) && len(s.opts.Boosts[i]) >= ix.Len() {
			st.boost = s.opts.Boosts[i]
		}
		st.any = false
		for k, name := range ix.sources {
			st.on[k], st.prio[k] = true, Normal
			if s.opts.Include != nil {
				st.on[k], st.prio[k] = s.opts.Include(i, name)
			}
			st.any = st.any || st.on[k]
		}
	}
	clear(s.state[len(indexes):]) // so that dropped indexes can be collected
	s.state = s.state[:len(indexes)]
}

// attachOne puts the state of ix at i, keeping it when the list only shifted.
func (s *Searcher) attachOne(i int, ix *Index) {
	for k := i; k < len(s.state); k++ {
		if s.state[k] != nil && s.state[k].ix == ix {
			s.state[i], s.state[k] = s.state[k], s.state[i]
			return
		}
	}
	st := &state{ix: ix, seen: make([]uint32, ix.Len()), on: make([]bool, len(ix.sources)), prio: make([]Priority, len(ix.sources))}
	if i < len(s.state) {
		s.state = append(s.state, s.state[i]) // may belong to a later index
		s.state[i] = st
		return
	}
	s.state = append(s.state, st)
}

// Forget drops what earlier queries were narrowed to: the next one is searched
// as if pasted. A cancelled pass leaves it incomplete.
func (s *Searcher) Forget() {
	for _, st := range s.state {
		st.abbreviatedOK, st.rowsOK = false, false
	}
}

// isSeen says whether row r was found in this search, or is not to be found.
func (st *state) isSeen(r uint32) bool { return st.seen[r] == st.epoch }

// push adds row r at place p unless its source is left out. The caller has made
// sure that it is not seen.
func (s *Searcher) push(st *state, r uint32, p place) {
	st.seen[r] = st.epoch
	src := st.ix.sourceOf[r]
	if !st.on[src] {
		return
	}
	standing := st.ix.standing[r]
	prio := Priority(standing >> 1)
	if prio == 0 {
		prio = st.prio[src]
	}
	boost := uint8(0)
	if st.boost != nil {
		boost = min(st.boost[r], MaxBoost)
	}
	s.top.push(uint64(p) |
		uint64(MaxBoost-boost)<<boostShift |
		uint64(Urgent-min(prio, Urgent))<<priorityShift |
		uint64(standing&1)<<runningShift |
		uint64(st.base+r))
}

// collect turns the best keys into hits.
func (s *Searcher) collect() []Hit {
	i := 0
	keys := s.top.sorted()
	if cap(s.hits) < len(keys) {
		s.hits = make([]Hit, 0, max(len(keys), s.opts.Limit))
	}
	for _, k := range keys {
		pos := uint32(k & (MaxRows - 1))
		for s.state[i].base > pos || pos-s.state[i].base >= uint32(s.state[i].ix.Len()) {
			i = (i + 1) % len(s.state)
		}
		p := place(k)
		s.hits = append(s.hits, Hit{Index: i, Row: int(pos - s.state[i].base), Tier: p.tier(), Field: p.field(), Score: p.score(s.q.letterCount)})
	}
	return s.hits
}

// top keeps the smallest keys.
type top struct {
	keys   []uint64
	limit  int
	bound  uint64 // keys from here on cannot be among the smallest
	pushed int
}

func (t *top) reset(limit int) {
	t.keys, t.limit, t.bound, t.pushed = t.keys[:0], limit, ^uint64(0), 0
	if size := 2*limit + 256; cap(t.keys) < size { // sorting half as much anew each time is cheaper than a heap
		t.keys = make([]uint64, 0, size)
	}
}

func (t *top) push(k uint64) {
	t.pushed++
	if k >= t.bound {
		return
	}
	if len(t.keys) == cap(t.keys) {
		slices.Sort(t.keys)
		t.keys = t.keys[:t.limit]
		t.bound = t.keys[t.limit-1]
		if k >= t.bound {
			return
		}
	}
	t.keys = append(t.keys, k)
}

func (t *top) sorted() []uint64 {
	slices.Sort(t.keys)
	if len(t.keys) > t.limit {
		t.keys = t.keys[:t.limit]
	}
	return t.keys
}

// Search is a Searcher's search for one query alone, with highlights.
func Search(ctx context.Context, indexes []*Index, q *Query, opts Options) []Hit {
	var s Searcher
	hits := s.Search(ctx, indexes, q.raw, opts)
	for i := range hits {
		h := &hits[i]
		h.Highlights = indexes[h.Index].Highlights(nil, h.Row, s.Query(), h.Tier, h.Field)
	}
	return hits
}
