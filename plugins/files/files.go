// Package files finds files and folders by name while the user types. It looks
// names up, never into a file. It asks Spotlight, or the system's locate database,
// where one answers, and otherwise walks the configured folders within its time.
package files

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	source = "files.items"

	// budget is what a search may take: the host waits a second, and what was
	// found until then is worth more than nothing.
	budget = 900 * time.Millisecond
	// maxResults is how many files are returned: more than anybody reads.
	maxResults = 200
	// minQuery is the shortest query that is searched for; one letter is in
	// nearly every name.
	minQuery = 2
	// complainEvery bounds the log lines about a root that cannot be read.
	complainEvery = time.Minute
)

// New returns the plugin.
func New() sdk.Plugin {
	p := &plugin{complain: sdk.NewRefreshGate(nil, complainEvery)}
	return sdk.Plugin{Search: p.search, Perform: p.perform}
}

type plugin struct {
	once     sync.Once
	finder   finder
	complain *sdk.RefreshGate
}

// finder is what one search needs to know.
type finder struct {
	home    string
	roots   []string
	exclude map[string]bool
	hidden  bool
	library string // a folder that only roots inside it lead into, "" for none
	locate  string // the locate program, "" when there is none
	mdfind  string // the program that asks Spotlight, "" when there is none
	index   *indexState
}

// system is what the platform has to do with it.
type system struct {
	mac    bool
	mdfind string
}

func here() system {
	if runtime.GOOS == "darwin" {
		return system{mac: true, mdfind: "/usr/bin/mdfind"}
	}
	return system{}
}

// macLibrary is where programs on macOS keep what is theirs; cloudFiles, inside
// it, is where iCloud Drive is.
const (
	macLibrary = "Library"
	cloudFiles = "Library/Mobile Documents/com~apple~CloudDocs"
)

// alwaysExcluded are folders whose content nobody looks for by name and which
// hold most of a developer's files.
var alwaysExcluded = [...]string{"node_modules", "__pycache__", ".git", ".hg", ".svn", ".cache", ".Trash"}

func newFinder(c *sdk.Config, getenv func(string) string, on system) finder {
	f := finder{home: getenv("HOME"), hidden: c.Bool("hidden", false), exclude: map[string]bool{}, index: &indexState{}}
	for _, name := range alwaysExcluded {
		f.exclude[name] = true
	}
	for _, name := range c.Strings("exclude", nil) {
		f.exclude[name] = true
	}
	roots := []string{"~"}
	if on.mac {
		f.library = filepath.Join(f.home, macLibrary)
		if info, err := os.Stat(filepath.Join(f.home, cloudFiles)); err == nil && info.IsDir() {
			roots = append(roots, "~/"+cloudFiles)
		}
	}
	for _, root := range c.Strings("roots", roots) {
		if root == "~" || strings.HasPrefix(root, "~/") {
			root = filepath.Join(f.home, root[1:])
		}
		if filepath.IsAbs(root) {
			f.roots = append(f.roots, filepath.Clean(root))
		}
	}
	switch {
	case !c.Bool("locate", true):
	case on.mac:
		f.mdfind = on.mdfind // BSD's locate knows neither marks nor a limit
	default:
		f.locate = findLocate(getenv("PATH"))
	}
	return f
}

func (p *plugin) search(ctx context.Context, h *sdk.Host, q protocol.Search) ([]protocol.Row, error) {
	words := queryWords(q.Query)
	if len(words) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	p.once.Do(func() { p.finder = newFinder(h.Config(), os.Getenv, here()) })
	f := &p.finder
	hits, err := f.find(ctx, words)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		if ok, _ := p.complain.Allow(); ok {
			h.Log(sdk.LevelWarn, "a root cannot be read", "error", pathless(err))
		}
	}
	return f.rows(hits), nil
}

// pathless keeps the cause of a file error and drops the path, which is the user's.
func pathless(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (p *plugin) perform(context.Context, *sdk.Host, protocol.Perform) protocol.Outcome {
	// A row carries its effect with it, and the bang only lists.
	return protocol.Failed("choose a file from the list")
}

func (f *finder) rows(hits []hit) []protocol.Row {
	out := make([]protocol.Row, 0, len(hits))
	for _, h := range hits {
		name := filepath.Base(h.path)
		u := (&url.URL{Scheme: "file", Path: h.path}).String()
		if len(name) > protocol.MaxTitle || len(u) > protocol.MaxURL || !validName(h.path) {
			continue
		}
		kind := "file"
		if h.dir {
			kind = "folder"
		}
		out = append(out, protocol.Row{
			Source: source,
			Title:  name,
			URL:    u,
			Metadata: protocol.Metadata{
				{Key: protocol.MetaKind, Value: kind},
				{Key: protocol.MetaSubtitle, Value: f.short(filepath.Dir(h.path))},
			},
			Effect: protocol.Effect{Type: protocol.EffectOpen, URL: u},
		})
	}
	return out
}

// short writes a folder the way people do, with ~ for the home folder.
func (f *finder) short(dir string) string {
	if dir == f.home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(dir, f.home+"/"); ok && f.home != "" {
		return "~/" + rest
	}
	return dir
}
