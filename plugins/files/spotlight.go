package files

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/flash-launcher/flash/internal/program"
)

const (
	// maxFound bounds what Spotlight prints of one root: some 60,000 paths.
	maxFound = 8 << 20
	// maxTerms bounds the words that Spotlight is asked for; all are compared
	// here anyway.
	maxTerms = 8
	// reserve is kept of a search's time for looking at what Spotlight found.
	reserve = 100 * time.Millisecond
	// offFor is how long Spotlight is taken to be off once it knew nothing of any
	// root.
	offFor = 10 * time.Minute
)

var errNoSpotlight = errors.New("there is no index of the roots by Spotlight, or it may not be asked")

// indexState is what is known of Spotlight from one search to the next.
type indexState struct {
	mu  sync.Mutex
	off time.Time // until then it is not asked
}

func (s *indexState) isOff(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.off)
}

func (s *indexState) setOff(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = until
}

// spotlightQuery asks for names that hold every word, without regard to case and
// marks. Nothing that means something in a query stands in it: whatever is no
// letter, mark or digit becomes the wildcard for any text, and what that finds
// too much is sorted out here. "" where no word is left to ask for.
func spotlightQuery(words []string) string {
	var terms []string
	for _, w := range words {
		if strings.Contains(w, "/") || len(terms) == maxTerms {
			continue // names have no slash
		}
		if pattern := spotlightPattern(w); pattern != "" {
			terms = append(terms, `kMDItemFSName == "`+pattern+`"cd`)
		}
	}
	return strings.Join(terms, " && ")
}

func spotlightPattern(word string) string {
	var b strings.Builder
	plain := false
	b.WriteByte('*')
	star := true
	for _, r := range norm.NFC.String(word) {
		switch {
		case r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)):
			b.WriteRune(r)
			plain, star = true, false
		case !star:
			b.WriteByte('*')
			star = true
		}
	}
	if !plain {
		return ""
	}
	if !star {
		b.WriteByte('*')
	}
	return b.String()
}

// findIndexed asks Spotlight for the names below every root. It fails where
// Spotlight is off; one that is out of time is believed as far as it came.
func (f *finder) findIndexed(ctx context.Context, words []string) ([]hit, error) {
	query := spotlightQuery(words)
	if query == "" || f.hidden || f.index.isOff(time.Now()) {
		return nil, errNoSpotlight // it knows of nothing hidden
	}
	var mu sync.Mutex
	var hits []hit
	var failed, late bool
	seen := map[string]bool{}
	f.eachRoot(func(root string) {
		out, err := f.askSpotlight(ctx, "-0", "-onlyin", root, query)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, program.ErrTimeout):
			late = true
		case err != nil && !errors.Is(err, program.ErrTooMuch):
			failed = true
		}
		for path := range bytes.SplitSeq(whole(out), []byte{0}) {
			if len(hits) == maxHits || ctx.Err() != nil {
				return
			}
			h, ok := f.judgeLocated(f.asNamed(root, string(path)), words)
			if ok && !seen[h.path] {
				seen[h.path] = true
				hits = append(hits, h)
			}
		}
	})
	switch {
	case ctx.Err() != nil || late || len(hits) > 0:
		return hits, ctx.Err()
	case failed:
		return nil, errNoSpotlight
	case !f.indexed(ctx):
		f.index.setOff(time.Now().Add(offFor))
		return nil, errNoSpotlight
	}
	return nil, ctx.Err()
}

// indexed says whether Spotlight knows anything at all below a root: it answers
// with nothing where it is off as well. Where there is no time left to count
// there is something to count.
func (f *finder) indexed(ctx context.Context) bool {
	var mu sync.Mutex
	known := false
	f.eachRoot(func(root string) {
		out, err := f.askSpotlight(ctx, "-count", "-onlyin", root, `kMDItemFSName == "*"`)
		n, fault := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
		mu.Lock()
		defer mu.Unlock()
		known = known || errors.Is(err, program.ErrTimeout) || ctx.Err() != nil || err == nil && fault == nil && n > 0
	})
	return known
}

// eachRoot calls fn for every root, a few at once.
func (f *finder) eachRoot(fn func(root string)) {
	var wg sync.WaitGroup
	room := make(chan struct{}, workers)
	for _, root := range f.roots {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			fn(root)
		})
	}
	wg.Wait()
}

func (f *finder) askSpotlight(ctx context.Context, args ...string) ([]byte, error) {
	limit := budget
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline) - reserve
	}
	return program.Run(ctx, append([]string{f.mdfind}, args...), program.Environment(), limit, maxFound)
}

// whole leaves off the path that a killed program had not printed to its end.
func whole(out []byte) []byte {
	return out[:bytes.LastIndexByte(out, 0)+1]
}

// dataVolume is where macOS keeps what users write; the folders on it are shown
// at the top as well, which is how people name them.
const dataVolume = "/System/Volumes/Data"

// asNamed writes a path the way its root is: Spotlight resolves links.
func (f *finder) asNamed(root, path string) string {
	if rest, ok := strings.CutPrefix(path, dataVolume+"/"); ok {
		path = "/" + rest
	}
	if strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/") {
		return path
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(real, "/")+"/"); ok {
		return filepath.Join(root, rest)
	}
	return path
}
