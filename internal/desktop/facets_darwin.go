//go:build darwin && cgo

package desktop

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"

	"github.com/flash-launcher/flash/internal/desktop/bundle"
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
	if err := onMain(ctx, func() {
		url := foundation.URL_URLWithString(u)
		if u[0] == '/' {
			url = foundation.URL_FileURLWithPath(u)
		}
		ok <- !url.IsNil() && appkit.Workspace_SharedWorkspace().OpenURL(url)
	}); err != nil {
		return err
	}
	if !<-ok {
		return fmt.Errorf("open: macOS opened nothing for the scheme %q; is an application for it installed?", scheme)
	}
	return nil
}

func (o opener) Handlers(u string) []string {
	found := make(chan []string, 1)
	ctx, cancel := context.WithTimeout(context.Background(), toolTimeout)
	defer cancel()
	if err := onMain(ctx, func() {
		var ids []string
		for _, app := range appkit.Workspace_SharedWorkspace().URLsForApplicationsToOpenURL(foundation.URL_URLWithString(u)) {
			if b := foundation.Bundle_BundleWithURL(app); !b.IsNil() {
				ids = append(ids, b.BundleIdentifier())
			}
		}
		found <- ids
	}); err != nil {
		return nil
	}
	return <-found
}

type pasteboard struct{}

func (pasteboard) WriteText(ctx context.Context, text string) error {
	ok := make(chan bool, 1)
	if err := onMain(ctx, func() {
		pb := appkit.Pasteboard_GeneralPasteboard()
		pb.ClearContents()
		ok <- pb.SetStringForType(text, appkit.PasteboardTypeString)
	}); err != nil {
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
