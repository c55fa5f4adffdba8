package panel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/protocol"
)

// fakeHost is the flashlight's host: a calculator that knows one sum, a plugin
// that fails, and effects that are noted down.
type fakeHost struct {
	mu      sync.Mutex
	effects []protocol.Effect
	broken  error
	before  func(protocol.Effect) // called before an effect is noted
}

func (h *fakeHost) Plugins() []flashlight.PluginInfo {
	return []flashlight.PluginInfo{
		{ID: "calculator", Running: true, Manifest: &protocol.Manifest{ID: "calculator", Name: "Calculator", Priority: 50, Query: &protocol.Query{}}},
		{ID: "browsers", Running: true, Manifest: &protocol.Manifest{ID: "browsers", Name: "Browsers", Priority: 30, Sources: []protocol.Source{{Name: "firefox.tabs", Kind: protocol.SourceLocations}}, Actions: []string{"close_tab"}}},
		{ID: "clipboard", Running: true, Manifest: &protocol.Manifest{ID: "clipboard", Name: "Clipboard", Priority: 20, Sources: []protocol.Source{{Name: "clipboard", Kind: protocol.SourceLocations}}}},
		{ID: "windows", Running: true, Manifest: &protocol.Manifest{ID: "windows", Name: "Windows", Priority: 20, Sources: []protocol.Source{{Name: "windows", Kind: protocol.SourceLocations}}}},
		{ID: "kitty", Running: true, Manifest: &protocol.Manifest{ID: "kitty", Name: "kitty", Priority: 20, Sources: []protocol.Source{{Name: "kitty.tabs", Kind: protocol.SourceDefault, Live: true}}}},
	}
}

func (h *fakeHost) Evaluate(_ context.Context, id string, q protocol.Evaluate) ([]protocol.Answer, error) {
	if id == "calculator" && strings.HasPrefix("0.1 + 0.2", q.Query) && len(q.Query) > 5 {
		return []protocol.Answer{{Title: "0.3", Subtitle: "0.1 + 0.2", Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: "0.3"}}}, nil
	}
	return nil, nil
}

func (h *fakeHost) Search(context.Context, string, protocol.Search) ([]protocol.Row, error) {
	return nil, errors.New("the socket /run/user/1000/kitty-4711 answers nobody, and kitty may have ended without removing it; start kitty with allow_remote_control=socket-only and listen_on set, or remove the socket")
}

func (h *fakeHost) Perform(context.Context, string, protocol.Perform) protocol.Outcome {
	return protocol.Unhandled()
}

func (h *fakeHost) Effect(_ context.Context, e protocol.Effect) error {
	if h.before != nil {
		h.before(e)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.effects = append(h.effects, e)
	return h.broken
}

func (h *fakeHost) done() []protocol.Effect {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]protocol.Effect(nil), h.effects...)
}

func app(title, id, about string) protocol.Row {
	return protocol.Row{
		Source: "core.apps", Title: title, Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: id},
		Metadata: protocol.NewMetadata(map[string]string{"bundle_id": id, "subtitle": about, "aliases": "everything"}),
	}
}

func clip(text string) protocol.Row {
	title, _, _ := strings.Cut(text, "\n")
	return protocol.Row{Source: "clipboard", Title: title, Metadata: protocol.NewMetadata(map[string]string{"aliases": "everything"}),
		Effect: protocol.Effect{Type: protocol.EffectInsertText, Text: text}}
}

func place(source, title, about, url string) protocol.Row {
	return protocol.Row{Source: source, Title: title, URL: url, Metadata: protocol.NewMetadata(map[string]string{"subtitle": about, "aliases": "everything"})}
}

// newEngine is a flashlight over some rows of each kind.
func newEngine(t testing.TB) (*flashlight.Engine, *fakeHost) {
	t.Helper()
	store := catalog.NewStore(time.Now)
	habit, err := rank.Open("", time.Now)
	require.NoError(t, err)
	store.Publish(flashlight.CorePlugin, 1, []protocol.Row{
		app("Firefox", "firefox-esr", "Web Browser"), app("Chromium", "chromium", "Access the Internet"), app("Files", "org.gnome.Nautilus", "File Manager"),
		app("GVim", "gvim", "Edit text files"), app("Calculator", "org.gnome.Calculator", ""), app("Terminal", "xterm", "Use the command line"),
		app("Fire Emblem Wiki Viewer with a rather long name that goes on and on and on", "viewer", "It has a subtitle too"),
	})
	store.Publish("browsers", 1, []protocol.Row{
		place("firefox.tabs", "Firefox Release Notes", "mozilla.org", "https://www.mozilla.org/firefox/notes/"),
		place("firefox.tabs", "القواعد العربية 101 – ويكيبيديا", "ar.wikipedia.org", "https://ar.wikipedia.org/"),
		place("firefox.tabs", "שלום עולם – דוגמה 42", "he.wikipedia.org", "https://he.wikipedia.org/"),
		place("firefox.tabs", "日本語のウィキペディア、誰でも編集できる", "ja.wikipedia.org", "https://ja.wikipedia.org/"),
		place("firefox.tabs", "Emoji 👩‍👩‍👧‍👦 🇩🇪 ❤️ 👍🏽 in a title", "emojipedia.org", "https://emojipedia.org/"),
		place("firefox.tabs", "ภาษาไทย สารานุกรมเสรี", "th.wikipedia.org", "https://th.wikipedia.org/"),
	})
	store.Publish("clipboard", 1, []protocol.Row{clip("func main() {\n\tfmt.Println(\"firewall\")\n\tos.Exit(0)\n}\n\n// A line that is longer than the pane is wide and so has to be wrapped somewhere.\n")})
	store.Publish("windows", 1, []protocol.Row{place("windows", "main.go – flash – Editor", "workspace 2", "")})
	for _, id := range store.Snapshot().Plugins {
		for i, k := range id.Keys {
			if i < 3 {
				require.NoError(t, habit.Bump(catalog.RowID(id.ID, k)))
			}
		}
	}
	h := &fakeHost{}
	return flashlight.New(flashlight.Options{Catalog: store, Rank: habit, Backend: h}), h
}

func testConfig() config.Flashlight { return config.Defaults().Flashlight }

func testIcon(r *flashlight.Row) Icon {
	if id, ok := r.Row.Metadata.Get(protocol.MetaBundleID); ok {
		return Icon{Name: id}
	}
	if r.Source == "clipboard" {
		return Icon{Text: "📋"}
	}
	return Icon{}
}
