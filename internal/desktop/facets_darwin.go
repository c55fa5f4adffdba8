//go:build darwin && cgo

package desktop

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/bundle"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

func pick(env environ) *Facets {
	a := apps{roots: bundle.Roots(homeDir(env))}
	w := newWindows(a)
	return &Facets{
		Apps: a, Opener: opener{a}, Clipboard: pasteboard{}, Notifier: notifier{}, Windows: w,
		windows: w.facet,
		lines: []Facet{
			{Name: "apps", Backend: "NSWorkspace"}, {Name: "open", Backend: "NSWorkspace"}, {Name: "clipboard", Backend: "NSPasteboard"},
			{Name: "notify", Backend: "osascript"},
		},
	}
}

type opener struct{ apps apps }

func (o opener) OpenApp(ctx context.Context, id string) error { return o.apps.Launch(ctx, id, nil) }

func (o opener) OpenURL(ctx context.Context, u string) error {
	scheme, err := checkURL(u)
	if err != nil {
		return err
	}
	ok := make(chan bool, 1)
	go func() { ok <- mac.OpenURL(u) }() // not on the main thread: it waits for the application
	select {
	case opened := <-ok:
		if !opened {
			return fmt.Errorf("open: macOS opened nothing for the scheme %q; is an application for it installed?", scheme)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o opener) Handlers(u string) []string {
	found := make(chan []string, 1)
	ctx, cancel := context.WithTimeout(context.Background(), toolTimeout)
	defer cancel()
	if err := onMain(ctx, func() { found <- mac.Openers(u) }); err != nil {
		return nil
	}
	return <-found
}

type pasteboard struct{}

func (pasteboard) WriteText(ctx context.Context, text string) error {
	ok := make(chan bool, 1)
	if err := onMain(ctx, func() { ok <- mac.WritePasteboard(text) }); err != nil {
		return err
	}
	if !<-ok {
		return errors.New("clipboard: the pasteboard refused the text")
	}
	return nil
}

// notifier goes through osascript: the framework for notifications serves
// signed bundles only. macOS keeps its own idea of how long one shows.
type notifier struct{}

func (notifier) Notify(ctx context.Context, title, body string, _ time.Duration) error {
	if err := runTool(ctx, bundle.NotifyArgs(title, body)); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// toolTimeout bounds a system tool: open(1) waits until the application has
// been launched, which a first start after a restart makes slow.
const toolTimeout = 15 * time.Second

// runTool runs a tool of the system. What it prints may hold what it was
// given, so only how it ended is told.
func runTool(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	return nil
}
