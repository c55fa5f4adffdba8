package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	// HalfLife is how long it takes until a use counts half: two weeks, so
	// that last week's project gives way to this week's without being gone.
	HalfLife = 14 * 24 * time.Hour

	// MaxScore caps a score: about one use an hour for two working days, after
	// which more uses say nothing more, and a new favourite can still catch up.
	MaxScore = 16

	// MaxItems bounds the file; the least used go first. Nobody has this many
	// habits, and it keeps loading and saving under a millisecond.
	MaxItems = 2000

	// MaxBoost is the greatest Boost.
	MaxBoost = 63

	// forgotten is the score under which an item is not kept: one use, three
	// months ago.
	forgotten = 1.0 / 64
)

// Store is the frecency of rows. Use Open.
type Store struct {
	path string
	now  func() time.Time

	save     sync.Mutex // serialises writing; taken before mu
	mu       sync.Mutex
	items    map[string]item
	learning bool
	readOnly bool   // the file is not this version's to write
	version  uint64 // counts changes
}

// item is a score and when it was true.
type item struct {
	score float64
	at    time.Time
}

func (i item) scoreAt(now time.Time) float64 {
	age := now.Sub(i.at)
	if age <= 0 { // the clock went back
		return i.score
	}
	return i.score * math.Exp2(-float64(age)/float64(HalfLife))
}

// Bump counts one use of key and saves it. It does nothing while learning is off.
func (s *Store) Bump(key string) error {
	now := s.now()
	return s.change(func() bool {
		if !s.learning || s.readOnly || key == "" {
			return false
		}
		s.items[key] = item{min(s.items[key].scoreAt(now)+1, MaxScore), now}
		s.prune(now)
		return true
	})
}

// Clear forgets one item.
func (s *Store) Clear(key string) error {
	return s.change(func() bool {
		_, ok := s.items[key]
		delete(s.items, key)
		return ok
	})
}

// ClearAll forgets everything.
func (s *Store) ClearAll() error {
	return s.change(func() bool {
		clear(s.items)
		return true
	})
}

// SetLearning turns learning on or off. Off keeps and uses what was learned.
func (s *Store) SetLearning(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learning = on
}

// Learning reports whether anything is learned: it is on, and the file may be
// written.
func (s *Store) Learning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.learning && !s.readOnly
}

// Score returns key's score at that moment, 0 to MaxScore.
func (s *Store) Score(key string, now time.Time) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[key].scoreAt(now)
}

// Scores returns all scores at that moment.
func (s *Store) Scores(now time.Time) map[string]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := make(map[string]float64, len(s.items))
	for k, i := range s.items {
		m[k] = i.scoreAt(now)
	}
	return m
}

// Version changes whenever a score was changed by use or by forgetting.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Boost turns a score into a step of the order, 0 to MaxBoost. Steps follow the
// logarithm: the second use says more than the twelfth.
func Boost(score float64) uint8 {
	if score < forgotten {
		return 0
	}
	return uint8(max(1, min(MaxBoost, math.Round(MaxBoost*math.Log1p(score)/math.Log1p(MaxScore)))))
}

// change applies f and saves if f says that it changed something. Lookups wait
// for f alone, not for the disk.
func (s *Store) change(f func() bool) error {
	s.save.Lock()
	defer s.save.Unlock()
	s.mu.Lock()
	changed := f()
	if !changed {
		s.mu.Unlock()
		return nil
	}
	s.version++
	if s.readOnly || s.path == "" {
		s.mu.Unlock()
		return nil
	}
	items := maps.Clone(s.items)
	s.mu.Unlock()
	return write(s.path, items)
}

// prune drops what is as good as forgotten, and the least used beyond MaxItems.
func (s *Store) prune(now time.Time) {
	if len(s.items) <= MaxItems {
		return
	}
	maps.DeleteFunc(s.items, func(_ string, i item) bool { return i.scoreAt(now) < forgotten })
	if len(s.items) <= MaxItems {
		return
	}
	keys := slices.Collect(maps.Keys(s.items))
	slices.SortFunc(keys, func(a, b string) int {
		if c := cmp.Compare(s.items[a].scoreAt(now), s.items[b].scoreAt(now)); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	const room = MaxItems / 20 // so that not every use sorts
	for _, k := range keys[:len(keys)-MaxItems+room] {
		delete(s.items, k)
	}
}
