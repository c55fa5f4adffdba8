package panel

import (
	"image"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

func letter(r rune, m ...Mods) Key {
	k := Key{Sym: uint32(r)}
	for _, x := range m {
		k.Mods |= x
	}
	if k.Mods&(Ctrl|Alt|Super) == 0 {
		k.Text = string(r)
	}
	return k
}

func write(b *box, s string) {
	for _, g := range graphemes(s) {
		b.edit(Key{Text: g})
	}
}

func TestTheBoxEditsWholeGraphemes(t *testing.T) {
	var b box
	write(&b, "ae\u0301🇩🇪")
	b.edit(Key{Sym: symBackSpace})
	assert.Equal(t, "ae\u0301", b.text)
	b.edit(Key{Sym: symLeft})
	assert.Equal(t, 1, b.at)
	b.edit(Key{Sym: symDelete})
	assert.Equal(t, "a", b.text)
	write(&b, "👩")
	b.edit(Key{Text: "\u200d👧"}) // joins what stands before it
	assert.Equal(t, len(b.text), b.at)
	b.edit(Key{Sym: symLeft})
	assert.Equal(t, 1, b.at)
}

func TestTheBoxMovesAndCutsByWords(t *testing.T) {
	var b box
	write(&b, "one  two three")
	b.edit(Key{Sym: symLeft, Mods: Ctrl})
	assert.Equal(t, 9, b.at)
	b.edit(letter('b', Alt))
	assert.Equal(t, 5, b.at)
	b.edit(letter('f', Alt))
	assert.Equal(t, 8, b.at)
	b.edit(letter('w', Ctrl))
	assert.Equal(t, "one   three", b.text)
	b.edit(letter('u', Ctrl))
	assert.Equal(t, " three", b.text)
	b.edit(letter('d', Alt))
	assert.Equal(t, "", b.text)
}

func TestTypingReplacesTheSelection(t *testing.T) {
	var b box
	write(&b, "hello world")
	b.edit(Key{Sym: symLeft, Mods: Ctrl | Shift})
	assert.Equal(t, "world", b.selected())
	write(&b, "x")
	assert.Equal(t, "hello x", b.text)
	b.edit(Key{Sym: symHome, Mods: Shift})
	b.edit(Key{Sym: symRight})
	assert.Equal(t, 7, b.at, "right leaves a selection at its right end")
	assert.Empty(t, b.selected())
	b.selectAll()
	b.edit(Key{Sym: symBackSpace})
	assert.Empty(t, b.text)
	b.insert("two words")
	b.selectWord(2)
	assert.Equal(t, "two", b.selected())
}

func TestWhatIsPastedBecomesOneBoundedLine(t *testing.T) {
	var b box
	assert.True(t, b.insert("a\nb\tc\u202ed\x00"))
	assert.Equal(t, "a b cd", b.text)
	assert.False(t, b.insert(strings.Repeat("é", maxInput)))
	assert.LessOrEqual(t, len(b.text), maxInput)
	assert.True(t, utf8.ValidString(b.text))
}

func FuzzTheBoxStaysBetweenGraphemes(f *testing.F) {
	f.Add("a👩‍👩‍👧‍👦é", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, s string, keys []byte) {
		var b box
		b.insert(s)
		all := []Key{
			{Sym: symLeft}, {Sym: symRight}, {Sym: symLeft, Mods: Shift}, {Sym: symRight, Mods: Ctrl | Shift}, {Sym: symBackSpace}, {Sym: symDelete},
			{Sym: symHome}, {Sym: symEnd, Mods: Shift}, letter('w', Ctrl), {Text: "\u0301"}, {Text: "x"},
		}
		for _, k := range keys {
			b.edit(all[int(k)%len(all)])
			for _, at := range []int{b.at, b.anchor} {
				sum := 0
				for _, g := range graphemes(b.text) {
					if sum >= at {
						break
					}
					sum += len(g)
				}
				require.Equal(t, sum, at)
			}
			require.True(t, utf8.ValidString(b.text))
		}
	})
}

func TestKeysMeanWhatTheyMeanInTheTerminal(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "everything")
	m.list.height = 4
	for _, c := range []struct {
		key Key
		sel int
	}{
		{Key{Sym: symDown}, 1}, {letter('n', Ctrl), 2}, {letter('p', Ctrl), 1}, {Key{Sym: symPageDown}, 5}, {Key{Sym: symPageUp}, 1},
		{Key{Sym: symEnd, Mods: Ctrl}, len(m.list.items) - 1}, {Key{Sym: symDown}, len(m.list.items) - 1}, {Key{Sym: symHome, Mods: Ctrl}, 0}, {Key{Sym: symUp}, 0},
	} {
		assert.Equal(t, none, m.key(c.key))
		assert.Equal(t, c.sel, m.list.sel)
	}
	assert.Equal(t, shut, m.key(Key{Sym: symEscape}))
	assert.Equal(t, shut, m.key(letter('c', Ctrl)))
	assert.Equal(t, enter, m.key(Key{Sym: symReturn}))
	assert.Equal(t, enter, m.key(letter('j', Ctrl)))
	assert.Equal(t, actions, m.key(letter('k', Ctrl)))
	assert.Equal(t, typed, m.key(letter('x')))
	m.box.selectAll()
	assert.Equal(t, copyText, m.key(letter('c', Ctrl)), "with a selection it copies")
}

func TestTabCompletesWithWhatAllHaveInCommon(t *testing.T) {
	e, _ := newEngine(t)
	m, s := settle(t, e, "@f")
	require.Equal(t, typed, m.key(Key{Sym: symTab}))
	assert.Equal(t, "@firefox.tabs ", m.box.text)

	m.box.set("@ki", 3)
	m.changed()
	m.generation = s.Update("@ki")
	assert.Equal(t, none, m.key(Key{Sym: symTab}), "the completions are not there yet")
	for v := s.View(); v.Generation != m.generation; v = s.View() {
		<-s.Changed()
	}
	assert.Equal(t, typed, m.show(s.View()))
	assert.Equal(t, "@kitty.tabs ", m.box.text)
}

func TestTheSelectionStaysWithItsRow(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "everything")
	m.list.selectAt(3)
	id := m.list.selected().id
	v := *m.view
	v.Rows = append([]flashlight.Row{{ID: "new", Title: "new"}}, v.Rows...)
	m.show(&v)
	assert.Equal(t, id, m.list.selected().id)
	assert.Equal(t, 4, m.list.sel)
	v.Generation--
	before := m.list.items
	m.show(&v)
	assert.Equal(t, before, m.list.items, "an older view changes nothing")
}

func TestANewInputBeginsAtTheTopBeforeItsRowsAreThere(t *testing.T) {
	e, _ := newEngine(t)
	m, s := settle(t, e, "everythin")
	m.list.height = 4
	m.list.selectAt(3)
	require.Equal(t, typed, m.key(letter('g')))
	m.generation = s.Update(m.box.text)
	assert.Equal(t, none, m.key(Key{Sym: symDown}))
	assert.Equal(t, 1, m.list.sel)
}

func TestUpFetchesWhatWasTypedBefore(t *testing.T) {
	m := &model{}
	m.history.add("first")
	m.history.add("second")
	m.history.add("first")
	m.begin("")
	assert.Equal(t, typed, m.key(Key{Sym: symUp}))
	assert.Equal(t, "first", m.box.text)
	assert.Equal(t, typed, m.key(Key{Sym: symUp}))
	assert.Equal(t, "second", m.box.text)
	assert.Equal(t, none, m.key(Key{Sym: symUp}))
	assert.Equal(t, typed, m.key(Key{Sym: symDown, Mods: Alt}))
	assert.Equal(t, typed, m.key(Key{Sym: symDown, Mods: Alt}))
	assert.Empty(t, m.box.text)
	m.begin("typed")
	assert.Equal(t, none, m.key(Key{Sym: symUp}), "only an empty box fetches")
}

func TestOnlyWhatChangedIsPainted(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "fire")
	p := newPainter(darkTheme(), 1, true)
	defer p.fonts.Drop()
	im := paintAll(p, m)
	frame := func() []image.Rectangle { return p.frame(m, m.arrange(&p.mt, p.fonts), im) }
	assert.Empty(t, frame())
	m.list.selectAt(1)
	s := p.scene
	assert.Equal(t, []image.Rectangle{s.lines[0], s.lines[1]}, frame())
	m.box.left(false)
	assert.Equal(t, []image.Rectangle{s.prompt}, frame())
	m.hover = 2
	assert.Equal(t, []image.Rectangle{s.lines[2]}, frame())
	whole := append([]byte(nil), im.Pix...)
	p.forget()
	frame()
	assert.Equal(t, im.Pix, whole, "painted in parts it looks as painted at once")
}

func TestPaintingInPartsEndsInTheSamePictureAsPaintingAtOnce(t *testing.T) {
	e, _ := newEngine(t)
	m, s := settle(t, e, "firefox rel")
	p := newPainter(lightTheme(), 1, true)
	defer p.fonts.Drop()
	first := m.arrange(&p.mt, p.fonts)
	im := draw.NewImage(first.size.X, p.mt.tallest()+400)
	step := func() {
		t.Helper()
		sc := m.arrange(&p.mt, p.fonts)
		p.frame(m, sc, im)
		parts := append([]byte(nil), im.Pix[:sc.size.Y*im.Stride]...)
		p.forget()
		p.frame(m, sc, im)
		require.Equal(t, im.Pix[:sc.size.Y*im.Stride], parts)
	}
	step()
	id, _ := m.entry()
	c, ok := s.Choose(t.Context(), id)
	require.True(t, ok)
	m.menu = newMenu(c, e.Actions(c))
	step()
	m.menu.list.move(2)
	step()
	m.menu.box.insert("o")
	m.menu.filter()
	step()
	m.menu = nil
	step()
	m.status = notice{"it failed", true}
	step()
	m.status = notice{}
	step()
}

func TestAClickInTheBoxMovesTheCaret(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "everything")
	p := newPainter(lightTheme(), 1, false)
	defer p.fonts.Drop()
	paintAll(p, m)
	x := p.mt.edge + p.mt.icon + p.mt.gap + int(p.fonts.Text("everything", p.mt.input).Caret(4))
	m.mouse(p, buttonLeft, image.Pt(x, 20), false, false)
	assert.Equal(t, 4, m.box.at)
	m.mouse(p, buttonLeft, image.Pt(x, 20), false, true)
	assert.Equal(t, "everything", m.box.selected())
	m.mouse(p, wheelDown, image.Pt(x, 20), false, false)
	assert.Equal(t, 1, m.list.sel)
	cmd := m.mouse(p, buttonRight, p.scene.lines[2].Min.Add(image.Pt(5, 5)), false, false)
	assert.Equal(t, actions, cmd)
	assert.Equal(t, 2, m.list.sel)
}
