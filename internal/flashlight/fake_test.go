package flashlight

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/protocol"
)

// fakeBackend is a host whose plugins are functions.
type fakeBackend struct {
	plugins  []PluginInfo
	evaluate map[string]func(context.Context, protocol.Evaluate) ([]protocol.Answer, error)
	search   map[string]func(context.Context, protocol.Search) ([]protocol.Row, error)
	perform  map[string]func(protocol.Perform) protocol.Outcome
	broken   error // what effects fail with

	mu        sync.Mutex
	performed []protocol.Perform
	by        []string
	effects   []protocol.Effect
	evaluated []string // plugin: query
}

func (b *fakeBackend) Plugins() []PluginInfo { return b.plugins }

func (b *fakeBackend) Evaluate(ctx context.Context, id string, q protocol.Evaluate) ([]protocol.Answer, error) {
	b.mu.Lock()
	b.evaluated = append(b.evaluated, id+": "+q.Query)
	b.mu.Unlock()
	if f := b.evaluate[id]; f != nil {
		return f(ctx, q)
	}
	return nil, nil
}

func (b *fakeBackend) Search(ctx context.Context, id string, q protocol.Search) ([]protocol.Row, error) {
	if f := b.search[id]; f != nil {
		return f(ctx, q)
	}
	return nil, errors.New("was not to be asked")
}

func (b *fakeBackend) Perform(_ context.Context, id string, p protocol.Perform) protocol.Outcome {
	b.mu.Lock()
	b.performed, b.by = append(b.performed, p), append(b.by, id)
	b.mu.Unlock()
	if f := b.perform[id]; f != nil {
		return f(p)
	}
	return protocol.Unhandled()
}

func (b *fakeBackend) Effect(_ context.Context, e protocol.Effect) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.effects = append(b.effects, e)
	return b.broken
}

func (b *fakeBackend) evaluatedBy() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.evaluated...)
}

// plugin returns a running plugin of that manifest.
func plugin(m protocol.Manifest) PluginInfo {
	if m.Priority == 0 {
		m.Priority = 25
	}
	if m.Name == "" {
		m.Name = m.ID
	}
	return PluginInfo{ID: m.ID, Manifest: &m, Running: true}
}

func locations(names ...string) []protocol.Source {
	var out []protocol.Source
	for _, n := range names {
		out = append(out, protocol.Source{Name: n, Kind: protocol.SourceLocations})
	}
	return out
}

// world is an engine with its parts.
type world struct {
	t *testing.T
	*Engine
	backend *fakeBackend
	store   *catalog.Store
	rank    *rank.Store
}

// newWorld has firefox tabs and tmux windows in the pool, bookmarks and live
// files beside it, and the host's own apps.
func newWorld(t *testing.T, more ...PluginInfo) *world {
	b := &fakeBackend{
		plugins: append([]PluginInfo{
			plugin(protocol.Manifest{ID: "browsers", Sources: append(locations("firefox.tabs", "chrome.tabs"), protocol.Source{Name: "firefox.bookmarks", Kind: protocol.SourceDefault}), Actions: []string{"close_tab"}}),
			plugin(protocol.Manifest{ID: "tmux", Sources: locations("tmux.windows"), Navigation: []string{"tmux"}}),
			plugin(protocol.Manifest{ID: "files", Sources: []protocol.Source{{Name: "files.found", Kind: protocol.SourceDefault, Live: true}},
				Bangs: &protocol.Bangs{Command: "files", Items: []protocol.Bang{{Token: "f", Description: "Find files", Source: "files.found"}}}}),
		}, more...),
		evaluate: map[string]func(context.Context, protocol.Evaluate) ([]protocol.Answer, error){},
		search:   map[string]func(context.Context, protocol.Search) ([]protocol.Row, error){},
		perform:  map[string]func(protocol.Perform) protocol.Outcome{},
	}
	store := catalog.NewStore(time.Now)
	r, err := rank.Open("", time.Now)
	require.NoError(t, err)
	store.Publish(CorePlugin, 1, []protocol.Row{
		{Source: "core.apps", Title: "Firefox", Metadata: protocol.NewMetadata(map[string]string{"bundle_id": "firefox"}), Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "firefox"}},
		{Source: "core.apps", Title: "Files", Metadata: protocol.NewMetadata(map[string]string{"bundle_id": "files"}), Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "files"}},
	})
	store.Publish("browsers", 1, []protocol.Row{
		{Source: "firefox.tabs", Title: "Mail - Inbox", URL: "https://mail.example.com/"},
		{Source: "chrome.tabs", Title: "Calendar", URL: "https://calendar.example.com/"},
		{Source: "firefox.bookmarks", Title: "Mail archive", URL: "https://archive.example.com/"},
	})
	store.Publish("tmux", 1, []protocol.Row{
		{Source: "tmux.windows", Title: "build", Metadata: protocol.NewMetadata(map[string]string{"navigation_url": "tmux://main/1"})},
		{Source: "tmux.windows", Title: "mail", Metadata: protocol.NewMetadata(map[string]string{"navigation_url": "tmux://main/2"})},
	})
	return &world{t: t, Engine: New(Options{Catalog: store, Rank: r, Backend: b}), backend: b, store: store, rank: r}
}

func titles(rows []Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Title)
	}
	return out
}

// query asks where time stands still until everybody waits: the lane's 50 ms are
// not those of a busy machine.
func (w *world) query(text string) (r Result) {
	w.t.Helper()
	synctest.Test(w.t, func(*testing.T) { r = w.Query(context.Background(), text, 0) })
	return r
}
