package panel

import (
	"context"
	"log/slog"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/protocol"
)

// window is what the open panel asks of the platform. All of it is called on
// the loop.
type window interface {
	redraw()
	// letGo lets an action that may move the focus, or need it, have its way:
	// hide also takes the window away and gives the focus back first.
	letGo(hide bool)
	// takeBack undoes letGo, after an action that failed.
	takeBack()
	hide()
	copy(text string)
	paste()
}

// firstGeneration is that of a session's empty input, which nobody had to type.
const firstGeneration = 1

// core is the panel less its window: the model and its session with the
// flashlight. Only the loop touches it.
type core struct {
	engine  Engine
	do      func(func()) // runs a function on the loop
	win     window
	message func(string)
	logger  *slog.Logger
	life

	m       model
	keys    Composer
	session *flashlight.Session
	stop    chan struct{}
}

// begin opens a session.
func (c *core) begin(text string) {
	c.m.begin(text)
	c.keys.Reset()
	s := c.engine.OpenSession()
	c.session, c.stop = s, make(chan struct{})
	c.m.generation = firstGeneration
	if c.m.box.Text() != "" {
		c.m.generation = s.Update(c.m.box.Text())
	}
	stop := c.stop
	go func() {
		for {
			select {
			case <-s.Changed():
				c.do(func() { c.came(s) })
			case <-stop:
				return
			}
		}
	}()
}

// replace changes the input of an open panel, unless there is nothing to change.
func (c *core) replace(text string) {
	if c.session != nil && text != "" && text != c.m.box.Text() {
		c.m.menu = nil
		c.m.take(text)
		c.run(typed)
	}
	c.win.redraw()
}

// came takes the session's newest view.
func (c *core) came(s *flashlight.Session) {
	if c.session != s {
		return
	}
	if v := s.View(); v != c.m.view {
		c.run(c.m.show(v))
		c.win.redraw()
	}
}

// end closes the session.
func (c *core) end() {
	if c.session == nil {
		return
	}
	close(c.stop)
	s := c.session
	c.session = nil
	go s.Close() // which waits for what is being found
	view := c.m.history
	c.m = model{history: view, icon: c.m.icon, preview: c.m.preview}
	c.keys.Reset()
}

// closing ends an opening.
func (c *core) closing() {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.visible.Store(false)
	c.end()
}

// press takes a key, by way of the composer.
func (c *core) press(k Key) {
	if c.session == nil {
		return
	}
	text, shown, used := c.keys.Key(k)
	c.m.pending = shown
	switch {
	case used && text == "":
		c.win.redraw()
		return
	case used:
		k = Key{Text: text}
	case isModifier(k.Sym):
		return
	}
	c.run(c.m.key(k))
	if c.session != nil {
		c.win.redraw()
	}
}

// run does what the model asks for.
func (c *core) run(cmd command) {
	switch cmd {
	case shut:
		c.win.hide()
	case typed:
		c.m.generation = c.session.Update(c.m.box.Text())
	case enter:
		c.act("")
	case actions:
		c.askActions()
	case runMenu:
		c.runMenu()
	case copyText, cutText:
		if text := c.m.box.Selected(); text != "" {
			c.win.copy(text)
			if cmd == cutText {
				c.m.box.Backspace()
				c.m.changed()
				c.run(typed)
			}
		}
	case paste:
		c.win.paste()
	}
}

// pasted takes text from the clipboard, which may come when the panel is gone.
func (c *core) pasted(text string) {
	if c.session != nil {
		c.run(c.m.pasted(text))
		c.win.redraw()
	}
}

// act carries out an action on what is selected, once that is known for certain.
func (c *core) act(action string) {
	entry, ok := c.m.entry()
	if !ok || c.m.acting {
		return
	}
	c.m.acting = true
	s, gen := c.session, c.m.generation
	go func() {
		choice, ok := s.Choose(context.Background(), entry)
		c.do(func() {
			switch {
			case c.session != s || c.m.generation != gen:
			case !ok:
				c.m.acting = false
				c.m.status = choose.NothingToChoose
				c.win.redraw()
			case choice.Completion != nil:
				c.m.acting = false
				c.m.take(choice.Completion.Value)
				c.run(typed)
				c.win.redraw()
			default:
				c.perform(choice, action)
			}
		})
	}()
}

// perform carries out an action on a choice. What the user chose is done even
// if the panel is closed meanwhile.
func (c *core) perform(choice flashlight.Choice, action string) {
	s, gen := c.session, c.m.generation
	c.m.acting = true
	c.win.letGo(action == "" && inserts(choice))
	go func() {
		out := c.engine.ActOn(context.Background(), choice, action)
		c.do(func() {
			if c.session != s {
				if !out.OK && !out.Unhandled {
					c.logger.Warn("an action of the flashlight failed", "error", out.Err)
					c.tell(out.Err) // there is no panel to show it in
				}
				return
			}
			c.acted(gen, action, out)
		})
	}()
}

// tell passes on what an action had to say.
func (c *core) tell(text string) {
	if text != "" && c.message != nil {
		c.message(text)
	}
}

// inserts says whether a choice writes into the window that had the focus, which
// must have it back by then.
func inserts(c flashlight.Choice) bool {
	switch {
	case c.Row != nil:
		return c.Row.Row.Effect.Type == protocol.EffectInsertText
	case c.Answer != nil:
		return c.Answer.Effect.Type == protocol.EffectInsertText
	}
	return false
}

// acted takes what came of an action. Done, the panel closes; what went wrong
// shows.
func (c *core) acted(gen uint64, action string, out protocol.Outcome) {
	if c.m.generation == gen {
		c.m.acting = false
	}
	said, closes := choose.After(action, out)
	if closes {
		c.m.history.add(c.m.box.Text())
		c.tell(out.Message)
		c.win.hide()
		return
	}
	said.Text = printable.Line(said.Text)
	c.m.status = said
	c.win.takeBack()
	c.win.redraw()
}

// askActions opens the menu of what is selected.
func (c *core) askActions() {
	entry, ok := c.m.entry()
	if !ok {
		return
	}
	s, gen := c.session, c.m.generation
	go func() {
		choice, ok := s.Choose(context.Background(), entry)
		var list []flashlight.Action
		if ok && choice.Completion == nil {
			list = c.engine.Actions(choice)
		}
		c.do(func() {
			switch {
			case c.session != s || c.m.generation != gen:
				return
			case len(list) == 0:
				c.m.status = choose.NothingToDo
			default:
				c.m.menu = newMenu(choice, list)
			}
			c.win.redraw()
		})
	}()
}

// runMenu carries out the chosen action.
func (c *core) runMenu() {
	it := c.m.menu.list.selected()
	if it == nil || c.m.acting {
		return
	}
	choice := c.m.menu.choice
	c.m.menu = nil
	c.perform(choice, it.id)
}
