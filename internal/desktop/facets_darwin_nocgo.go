//go:build darwin && !cgo

package desktop

import (
	"context"

	"github.com/flash-launcher/flash/protocol"
)

// pick answers for a build that cannot call AppKit.
func pick(environ) *Facets {
	const remedy = "build with CGO_ENABLED=1"
	none := func(facet string) error { return unavailable(facet, "this build has no AppKit", remedy) }
	f := &Facets{
		Apps: noApps{none("apps")}, Opener: noOpener{none("open")}, Clipboard: noClipboard{none("clipboard")}, Notifier: noNotifier{none("notify")},
		Windows: noWindows{none("windows")},
	}
	for _, name := range []string{"apps", "open", "clipboard", "notify", "windows"} {
		f.lines = append(f.lines, Facet{Name: name, Remedy: remedy})
	}
	return f
}

type noApps struct{ err error }

func (n noApps) List(context.Context) ([]App, error)                     { return nil, n.err }
func (n noApps) Watch(context.Context, func()) error                     { return n.err }
func (n noApps) Launch(context.Context, string, []string) error          { return n.err }
func (n noApps) Running(context.Context) ([]protocol.Application, error) { return nil, n.err }

type noOpener struct{ err error }

func (n noOpener) OpenURL(context.Context, string) error { return n.err }
func (n noOpener) OpenApp(context.Context, string) error { return n.err }
func (n noOpener) Handlers(string) []string              { return nil }
