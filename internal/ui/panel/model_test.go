package panel

import (
	"image"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/choose"
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

func TestKeysEditTheBox(t *testing.T) {
	b := newBox("")
	for _, g := range []string{"o", "n", "e\u0301", " ", " ", "t", "w", "o"} {
		assert.True(t, b.edit(Key{Text: g}))
	}
	const text = "one\u0301  two"
	for _, c := range []struct {
		key      Key
		from, to int
		text     string
	}{
		{Key{Sym: symLeft, Mods: Ctrl}, 7, 7, text},
		{letter('b', Alt), 0, 0, text},
		{Key{Sym: symRight}, 1, 1, text},
		{letter('f', Ctrl), 2, 2, text},
		{Key{Sym: symRight, Mods: Shift}, 2, 5, text},
		{Key{Sym: symLeft}, 2, 2, text},
		{letter('f', Alt), 5, 5, text},
		{Key{Sym: symLeft, Mods: Alt | Shift}, 0, 5, text},
		{Key{Sym: symRight, Mods: Ctrl}, 5, 5, text},
		{letter('b', Ctrl), 2, 2, text},
		{letter('a', Ctrl), 0, 0, text},
		{letter('e', Ctrl), 10, 10, text},
		{Key{Sym: symHome, Mods: Shift}, 0, 10, text},
		{Key{Sym: symEnd}, 10, 10, text},
		{letter('/', Ctrl), 0, 10, text},
		{letter('a', Ctrl, Shift), 0, 10, text},
		{Key{Sym: symHome}, 0, 0, text},
		{Key{Sym: symDelete}, 0, 0, "ne\u0301  two"},
		{letter('d', Ctrl), 0, 0, "e\u0301  two"},
		{letter('d', Alt), 0, 0, "  two"},
		{Key{Sym: symDelete, Mods: Ctrl}, 0, 0, ""},
		{Key{Text: "two three four"}, 14, 14, "two three four"},
		{letter('w', Ctrl), 10, 10, "two three "},
		{Key{Sym: symBackSpace, Mods: Alt}, 4, 4, "two "},
		{letter('h', Ctrl), 3, 3, "two"},
		{Key{Sym: symBackSpace}, 2, 2, "tw"},
		{letter('u', Ctrl), 0, 0, ""},
	} {
		require.True(t, b.edit(c.key), "%+v", c.key)
		from, to := b.Selection()
		require.Equal(t, []any{c.text, c.from, c.to}, []any{b.Text(), from, to}, "%+v", c.key)
	}
	for _, k := range []Key{{Sym: symPageDown}, {Text: "x", Mods: Super}, letter('q', Ctrl)} {
		assert.False(t, b.edit(k), "%+v", k)
	}
	assert.Empty(t, b.Text())
}

func TestKeysMeanWhatTheyMeanInTheTerminal(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "everything")
	m.list.Height = 4
	for _, c := range []struct {
		key Key
		sel int
	}{
		{Key{Sym: symDown}, 1}, {letter('n', Ctrl), 2}, {letter('p', Ctrl), 1}, {Key{Sym: symPageDown}, 5}, {Key{Sym: symPageUp}, 1},
		{Key{Sym: symEnd, Mods: Ctrl}, len(m.list.items) - 1}, {Key{Sym: symDown}, len(m.list.items) - 1}, {Key{Sym: symHome, Mods: Ctrl}, 0}, {Key{Sym: symUp}, 0},
	} {
		assert.Equal(t, none, m.key(c.key))
		assert.Equal(t, c.sel, m.list.At())
	}
	assert.Equal(t, shut, m.key(Key{Sym: symEscape}))
	assert.Equal(t, shut, m.key(letter('c', Ctrl)))
	assert.Equal(t, enter, m.key(Key{Sym: symReturn}))
	assert.Equal(t, enter, m.key(letter('j', Ctrl)))
	assert.Equal(t, actions, m.key(letter('k', Ctrl)))
	assert.Equal(t, typed, m.key(letter('x')))
	m.box.SelectAll()
	assert.Equal(t, copyText, m.key(letter('c', Ctrl)), "with a selection it copies")
}

func TestTabCompletesWithWhatAllHaveInCommon(t *testing.T) {
	e, _ := newEngine(t)
	m, s := settle(t, e, "@f")
	require.Equal(t, typed, m.key(Key{Sym: symTab}))
	assert.Equal(t, "@firefox.tabs ", m.box.Text())

	m.box = newBox("@ki")
	m.changed()
	m.generation = s.Update("@ki")
	assert.Equal(t, none, m.key(Key{Sym: symTab}), "the completions are not there yet")
	for v := s.View(); v.Generation != m.generation; v = s.View() {
		<-s.Changed()
	}
	assert.Equal(t, typed, m.show(s.View()))
	assert.Equal(t, "@kitty.tabs ", m.box.Text())
}

func TestEachLineIsNamedAndItsVerbSaidAsTheFlashlightHasThem(t *testing.T) {
	e, _ := newEngine(t)
	for _, query := range []string{"everything", "@ki", ":", "1+1"} {
		m, _ := settle(t, e, query)
		require.Len(t, m.list.items, m.view.Count())
		for i, it := range m.list.items {
			assert.Equal(t, m.view.EntryID(i), it.id)
			if it.kind == completion {
				assert.Equal(t, "Take it", it.verb)
			} else {
				assert.Equal(t, m.view.EnterTitle(i), it.verb)
			}
		}
	}
}

func TestTheSelectionStaysWithItsRow(t *testing.T) {
	e, _ := newEngine(t)
	m, _ := settle(t, e, "everything")
	m.list.Select(3)
	id := m.list.selected().id
	v := *m.view
	v.Rows = append([]flashlight.Row{{ID: "new", Title: "new"}}, v.Rows...)
	m.show(&v)
	assert.Equal(t, id, m.list.selected().id)
	assert.Equal(t, 4, m.list.At())
	v.Generation--
	before := m.list.items
	m.show(&v)
	assert.Equal(t, before, m.list.items, "an older view changes nothing")
}

func TestANewInputBeginsAtTheTopBeforeItsRowsAreThere(t *testing.T) {
	e, _ := newEngine(t)
	m, s := settle(t, e, "everythin")
	m.list.Height = 4
	m.list.Select(3)
	require.Equal(t, typed, m.key(letter('g')))
	m.generation = s.Update(m.box.Text())
	assert.Equal(t, none, m.key(Key{Sym: symDown}))
	assert.Equal(t, 1, m.list.At())
}

func TestUpFetchesWhatWasTypedBefore(t *testing.T) {
	m := &model{}
	m.history.add("first")
	m.history.add("second")
	m.history.add("first")
	m.begin("")
	assert.Equal(t, typed, m.key(Key{Sym: symUp}))
	assert.Equal(t, "first", m.box.Text())
	assert.Equal(t, typed, m.key(Key{Sym: symUp}))
	assert.Equal(t, "second", m.box.Text())
	assert.Equal(t, none, m.key(Key{Sym: symUp}))
	assert.Equal(t, typed, m.key(Key{Sym: symDown, Mods: Alt}))
	assert.Equal(t, typed, m.key(Key{Sym: symDown, Mods: Alt}))
	assert.Empty(t, m.box.Text())
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
	m.list.Select(1)
	s := p.scene
	assert.Equal(t, []image.Rectangle{s.lines[0], s.lines[1]}, frame())
	m.box.Left(false)
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
	m.menu.list.Move(2)
	step()
	m.menu.box.Insert("o")
	m.menu.filter()
	step()
	m.menu = nil
	step()
	m.status = choose.Notice{Text: "it failed", Warn: true}
	step()
	m.status = choose.Notice{}
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
	assert.Equal(t, 4, m.box.Caret())
	m.mouse(p, buttonLeft, image.Pt(x, 20), false, true)
	assert.Equal(t, "everything", m.box.Selected())
	m.mouse(p, wheelDown, image.Pt(x, 20), false, false)
	assert.Equal(t, 1, m.list.At())
	cmd := m.mouse(p, buttonRight, p.scene.lines[2].Min.Add(image.Pt(5, 5)), false, false)
	assert.Equal(t, actions, cmd)
	assert.Equal(t, 2, m.list.At())
}

func TestASignThatBeginsATitleStandsThereOnce(t *testing.T) {
	it := item{kind: row, title: "😀 grinning face", marks: [][2]int{{0, 4}, {5, 9}}}
	name, marks := it.named(Icon{Text: "😀"})
	assert.Equal(t, "grinning face", name)
	assert.Equal(t, [][2]int{{0, 4}}, marks)

	for _, icon := range []Icon{{}, {Name: "face-smile"}, {Text: "😃"}} {
		name, marks = it.named(icon)
		assert.Equal(t, it.title, name)
		assert.Equal(t, it.marks, marks)
	}
}
