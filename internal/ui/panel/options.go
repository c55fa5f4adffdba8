package panel

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/protocol"
)

// Engine is the flashlight as the panel needs it; a flashlight.Engine is one.
type Engine interface {
	OpenSession() *flashlight.Session
	ActOn(ctx context.Context, c flashlight.Choice, action string) protocol.Outcome
	Actions(c flashlight.Choice) []flashlight.Action
}

// Options are what a Panel works with.
type Options struct {
	Platform
	Engine Engine
	// Config and Theme are asked each time the panel opens.
	Config func() config.Flashlight
	Theme  func() Theme
	Clock  event.Time // nil: the machine's
	// Icon is the picture of a row, asked when the row is painted; nil: all rows
	// have tiles. It must be quick.
	Icon func(*flashlight.Row) Icon
	// Preview is the text beside a row while it is selected, "" for none; nil:
	// what the row copies or inserts.
	Preview func(*flashlight.Row) string
	// Composer makes text of several keys; nil: the platform's usual way.
	Composer Composer
	// Opened is called after the first paint; Closed, once for each Opened, when
	// the panel is gone and the focus given back; Message with what an action had
	// to say.
	Opened, Closed func()
	Message        func(text string)
	// Copy puts text on the clipboard.
	Copy   func(text string) error
	Logger *slog.Logger
}

func (o *Options) complete() {
	if o.Clock == nil {
		o.Clock = event.System()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Preview == nil {
		o.Preview = previewOf
	}
}

// newCore is the core of a panel with those options, on a loop that do runs
// functions on.
func newCore(o *Options, w window, do func(func()), keys Composer) core {
	c := core{engine: o.Engine, do: do, win: w, message: o.Message, logger: o.Logger, keys: keys}
	c.life = life{clock: o.Clock, loop: do, visible: new(atomic.Bool)}
	c.m.icon, c.m.preview = o.Icon, o.Preview
	return c
}
