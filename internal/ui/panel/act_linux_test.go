package panel

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestTextIsInsertedWhereTheFocusWas(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	before := d.focus()
	var during xproto.Window
	d.host.before = func(protocol.Effect) { during = d.focus() }
	d.open(OpenOptions{Query: "func"})
	d.settled()
	d.tap(symReturn)
	d.untilClosed()
	require.Len(t, d.host.done(), 1)
	assert.Equal(t, before, during)
}

func TestAFailedInsertionBringsThePanelBackWithTheReason(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	d.host.broken = assert.AnError
	d.open(OpenOptions{Query: "func"})
	d.settled()
	d.tap(symReturn)
	d.until("the reason shows", func() bool { return d.panel.m.status.Text == assert.AnError.Error() && d.panel.mapped })
	assert.Equal(t, "func", d.text())
	d.typing("x")
	d.untilText("funcx")
}

func TestAnActionThatMovesTheFocusKeepsIt(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	var moved xproto.Window
	d.host.before = func(protocol.Effect) { d.window(); moved = d.focus() }
	d.open(OpenOptions{Query: "chromium"})
	d.settled()
	d.tap(symReturn)
	d.untilClosed()
	d.until("the action is done", func() bool { return len(d.host.done()) == 1 })
	assert.Equal(t, moved, d.focus())
}

func TestAFailureAfterThePanelIsGoneIsStillTold(t *testing.T) {
	told := make(chan string, 1)
	d := newDesk(t, func(o *Options) { o.Message = func(text string) { told <- text } })
	d.host.broken = assert.AnError
	d.host.before = func(protocol.Effect) { d.ask(d.panel.Close) }
	d.open(OpenOptions{Query: "chromium"})
	d.settled()
	d.tap(symReturn)
	select {
	case text := <-told:
		assert.Equal(t, assert.AnError.Error(), text)
	case <-time.After(patience):
		t.Fatal("nothing is told")
	}
}

func TestEnterWaitsForTheAnswerOfWhatWasTyped(t *testing.T) {
	d := newDesk(t, nil)
	d.open(OpenOptions{Query: "0.1 + 0."})
	d.typing("2")
	d.tap(symReturn)
	d.untilClosed()
	assert.Equal(t, []protocol.Effect{{Type: protocol.EffectCopyText, Text: "0.3"}}, d.host.done())
}

func TestTheActionsOfALineOpenWithCtrlKAndAreFiltered(t *testing.T) {
	d := newDesk(t, nil)
	d.open(OpenOptions{Query: "firefox rel"})
	d.settled()
	d.tap(symControlL, 'k')
	d.until("the menu opens", func() bool { return d.panel.m.menu != nil })
	d.typing("copy")
	d.until("it is filtered", func() bool { return len(d.panel.m.menu.list.items) == 1 })
	d.tap(symReturn)
	d.untilClosed()
	assert.Equal(t, []protocol.Effect{{Type: protocol.EffectCopyText, Text: "https://www.mozilla.org/firefox/notes/"}}, d.host.done())
}
