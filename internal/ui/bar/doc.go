// Package bar is Flash's own status bar: it lays out the line that
// internal/status makes, paints it and says what was clicked. Only what changed
// is painted, and nothing is while nobody can see the bar.
//
// It parses no template, knows no plugin and does nothing that a click asks for.
package bar

import (
	"log/slog"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/ui/draw"
	"github.com/flash-launcher/flash/internal/x11"
)

// Options are what a bar needs.
type Options struct {
	// Loop is the connection that the bar lives on. The bar takes up RandR on
	// it and, on the root window, property changes beside what others select.
	Loop     *x11.Loop
	Registry *status.Registry
	// Config returns the settings in force.
	Config func() config.StatusBar
	// Clicked is told what a click on a part does. It runs on the loop and
	// must return at once.
	Clicked func(action string, button int)
	// Theme returns the colours; nil is the dark ones. Call Apply when they change.
	Theme func() Theme
	// Scale is how many pixels a point has; nil is what the display says. Call
	// Apply when it changes.
	Scale func() float32
	// Fonts may be those of another user of the loop; nil makes some.
	Fonts  *draw.Fonts
	Clock  event.Time
	Logger *slog.Logger
}

// Viewer is the bar's name in the registry.
const Viewer = "bar"

func (o Options) theme() Theme {
	if o.Theme == nil {
		return Dark()
	}
	return o.Theme()
}
