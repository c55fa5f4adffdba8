package menubar

import (
	"log/slog"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/status"
)

// Options are what the items need.
type Options struct {
	// Do runs a function on the loop, in order, and Ask waits for it; never call
	// what says that it waits on the loop.
	Do, Ask  func(func())
	Registry *status.Registry
	// Config returns the settings in force.
	Config func() config.StatusBar
	// Clicked is told what a click does, Open, Settings and Quit what the menu was
	// asked for. They run on the loop and must return at once.
	Clicked              func(action string)
	Open, Settings, Quit func()
	Logger               *slog.Logger
}

// strip is where the items are. It is called on the loop.
type strip interface {
	// set makes an item, or changes one. They are counted from the right, where
	// the menu bar begins.
	set(at int, it Item)
	// keep takes away all but the first n.
	keep(n int)
	// pop opens a menu under an item; what is picked of it comes as its place.
	pop(at int, menu []Entry)
}

// Viewer is the name in the registry.
const Viewer = "menu bar"

// Bar is Flash's items in the menu bar. What follows view belongs to the loop.
type Bar struct {
	Options
	view  *status.View
	strip strip

	template string
	on       bool
	alone    bool // off, and the menu shows by itself
	closed   bool
	shown    []Item // from the right
	menu     []Entry
}

func newBar(o Options, s strip) *Bar {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Bar{Options: o, strip: s}
	b.view = o.Registry.NewView(Viewer, func() { o.Do(b.render) })
	return b
}

// Apply brings the items in line with the configuration.
func (b *Bar) Apply() { b.Do(b.apply) }

// Hold stops all work while nobody can see the menu bar.
func (b *Bar) Hold(held bool) { b.view.Hold(held) }

// Close removes the items and waits until they are gone.
func (b *Bar) Close() {
	b.view.Close()
	b.Ask(func() {
		b.closed = true
		b.show(nil)
	})
}

func (b *Bar) apply() {
	c := b.Config()
	alone := c.Menu && !c.Enabled
	if b.closed || c.Enabled == b.on && alone == b.alone && c.Template == b.template {
		return
	}
	b.on, b.alone, b.template = c.Enabled, alone, c.Template
	if !b.on {
		b.view.Show(status.Template{}, false)
		if b.show(nil); alone {
			b.show(flashItem())
		}
		return
	}
	b.view.Show(status.ParseTemplate(c.Template).Hovering(), true)
	b.render()
}

// render shows what has changed. It runs when the view has woken.
func (b *Bar) render() {
	line, changed := b.view.Line()
	if b.closed || !b.on || !changed && b.shown != nil {
		return
	}
	all := items(line)
	if len(all) == 0 {
		// Something has to hold the menu.
		all = flashItem()
	}
	b.show(all)
}

// flashItem is an item that is there for its menu alone.
func flashItem() []Item { return []Item{{Parts: []Part{{Text: "Flash"}}}} }

// show brings the strip in line with items, from left to right.
func (b *Bar) show(all []Item) {
	n := len(all)
	if n < len(b.shown) {
		b.strip.keep(n)
		b.shown = b.shown[:n]
	}
	for at := range n {
		it := all[n-1-at]
		switch {
		case at == len(b.shown):
			b.shown = append(b.shown, it)
		case b.shown[at].Equal(it):
			continue
		default:
			b.shown[at] = it
		}
		b.strip.set(at, it)
	}
	if n == 0 {
		b.shown = nil
	}
}

// clicked takes a button on an item; ask says that the menu is asked for.
func (b *Bar) clicked(at, button int, ask bool) {
	if at < 0 || at >= len(b.shown) {
		return
	}
	action, menu := b.shown[at].press(button, ask)
	switch {
	case action != "":
		b.Clicked(action)
	case menu:
		b.menu = b.shown[at].menu()
		b.strip.pop(at, b.menu)
	}
}

// picked takes an entry of the menu that was opened last.
func (b *Bar) picked(i int) {
	if i < 0 || i >= len(b.menu) {
		return
	}
	switch e := b.menu[i]; {
	case e.Own == OpenFlashlight:
		b.Open()
	case e.Own == Settings:
		b.Settings()
	case e.Own == Quit:
		b.Quit()
	case e.Action != "":
		b.Clicked(e.Action)
	}
}
