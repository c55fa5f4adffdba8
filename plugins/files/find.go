package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	// workers walk at once: folders of a cold disk or a network wait on I/O,
	// and more than a few only fight over it.
	workers = 4
	// maxHits bounds what a walk keeps before the best are chosen.
	maxHits = 20 * maxResults
	// maxQueue bounds the folders that wait; past it a worker descends itself.
	maxQueue = 4096
	// chunk is how many entries of a folder are read between looks at the clock.
	chunk = 256
)

// find returns the best files for the words, as far as ctx lets it get. The
// error tells what stood in the way and leaves the hits good.
func (f *finder) find(ctx context.Context, words []string) ([]hit, error) {
	if f.locate != "" {
		if hits, err := f.findLocated(ctx, words); err == nil || ctx.Err() != nil {
			return best(hits), err
		}
	}
	if f.mdfind != "" {
		if hits, err := f.findIndexed(ctx, words); err == nil || ctx.Err() != nil {
			return best(hits), err
		}
	}
	hits, err := f.walk(ctx, words)
	return best(hits), err
}

// walk looks through all roots with a few workers.
func (f *finder) walk(ctx context.Context, words []string) ([]hit, error) {
	w := &walk{finder: f, words: words, done: ctx.Done(), seen: map[string]bool{}}
	w.cond = sync.NewCond(&w.mu)
	for _, root := range f.roots {
		if !w.seen[root] {
			w.seen[root] = true
			w.queue = append(w.queue, folder{root, len(strings.TrimSuffix(root, "/")) + 1})
		}
	}
	stop := context.AfterFunc(ctx, w.cond.Broadcast)
	defer stop()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(w.work)
	}
	wg.Wait()
	if ctx.Err() != nil {
		return w.hits, ctx.Err()
	}
	return w.hits, w.err
}

type folder struct {
	path string
	// rel is where the path below its root begins.
	rel int
}

type walk struct {
	*finder
	words []string
	done  <-chan struct{}

	mu    sync.Mutex
	cond  *sync.Cond
	queue []folder // a stack: depth first keeps it short
	busy  int
	hits  []hit
	err   error // of a root; folders below it that cannot be read are passed over
	seen  map[string]bool
}

func (w *walk) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *walk) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.busy > 0 && !w.ended() {
			w.cond.Wait()
		}
		if len(w.queue) == 0 || w.ended() {
			w.cond.Broadcast()
			return
		}
		dir := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.busy++
		w.mu.Unlock()
		hits, below, err := w.read(dir)
		w.mu.Lock()
		w.busy--
		if err != nil && w.seen[dir.path] {
			w.err = err
		}
		if room := maxHits - len(w.hits); len(hits) > room {
			hits = hits[:room]
		}
		w.hits = append(w.hits, hits...)
		if room := maxQueue - len(w.queue); len(below) > room {
			below = below[:room]
		}
		w.queue = append(w.queue, below...)
		w.cond.Broadcast()
	}
}

// read looks at one folder's entries. Links are listed and not followed.
func (w *walk) read(dir folder) (hits []hit, below []folder, err error) {
	d, err := os.Open(dir.path)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	for !w.ended() {
		entries, err := d.ReadDir(chunk)
		for _, e := range entries {
			name := e.Name()
			if !w.hidden && strings.HasPrefix(name, ".") || w.exclude[name] {
				continue
			}
			path := filepath.Join(dir.path, name)
			if path == w.library {
				continue
			}
			if rank, ok := judge(path[min(dir.rel, len(path)):], w.words); ok {
				hits = append(hits, hit{path, e.IsDir(), rank})
			}
			if e.IsDir() {
				below = append(below, folder{path, dir.rel})
			}
		}
		if err != nil {
			return hits, below, nil // the end, or a folder that went away meanwhile
		}
	}
	return hits, below, nil
}

// findLocate returns the first locate program on path.
func findLocate(path string) string {
	for _, name := range []string{"plocate", "locate"} {
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file
			}
		}
	}
	return ""
}

var errNoDatabase = errors.New("the locate database cannot be read")

// findLocated asks the locate database, whose answers may be old: what is gone
// is dropped. It fails where the database cannot be read, which in a sandbox is
// the rule for users other than root.
func (f *finder) findLocated(ctx context.Context, words []string) ([]hit, error) {
	args := []string{"--ignore-case", "--basename", "--null", "--limit", "20000", "--"}
	pattern := ""
	for _, w := range words {
		if !strings.Contains(w, "/") && len(w) > len(pattern) {
			pattern = w
		}
	}
	// The database folds case but no marks, and asking it for less than one
	// plain word brings everything there is.
	if pattern == "" || !ascii(pattern) || strings.ContainsAny(pattern, `*?[\`) {
		return nil, errNoDatabase
	}
	cmd := exec.CommandContext(ctx, f.locate, append(args, pattern)...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var complaint strings.Builder
	cmd.Stderr = &limited{w: &complaint, left: 4096}
	if err := cmd.Start(); err != nil {
		return nil, errNoDatabase
	}
	var hits []hit
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		path, err := r.ReadString(0)
		if err != nil {
			break
		}
		if h, ok := f.judgeLocated(strings.TrimSuffix(path, "\x00"), words); ok && len(hits) < maxHits {
			hits = append(hits, h)
		}
	}
	// No match is exit 1 without a word; no database is exit 1 with one.
	if err := cmd.Wait(); err != nil && ctx.Err() == nil && (complaint.Len() > 0 || len(hits) > 0) {
		return nil, errNoDatabase
	}
	return hits, ctx.Err()
}

func (f *finder) judgeLocated(path string, words []string) (hit, bool) {
	for _, root := range f.roots {
		prefix := strings.TrimSuffix(root, "/") + "/"
		rel, ok := strings.CutPrefix(path, prefix)
		if !ok || within(path, f.library) && !within(root, f.library) {
			continue
		}
		for part := range strings.SplitSeq(rel, "/") {
			if !f.hidden && strings.HasPrefix(part, ".") || f.exclude[part] {
				return hit{}, false
			}
		}
		rank, ok := judge(rel, words)
		if !ok {
			return hit{}, false
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return hit{}, false
		}
		return hit{path, err == nil && info.IsDir(), rank}, true
	}
	return hit{}, false
}

// within says whether path is dir or lies below it; nothing is within "".
func within(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, dir+"/"))
}

// limited drops what is written past its bound.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
