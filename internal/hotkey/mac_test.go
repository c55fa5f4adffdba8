package hotkey

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Places of keys, as a keyboard for the United States has letters on them.
const (
	placeA, placeQ, placeK, placeL, placeOne, placeEqual, placeSpace, placePadOne = 0x00, 0x0c, 0x28, 0x25, 0x12, 0x18, 0x31, 0x53
)

func usMac() (l macLayout) {
	for code, keys := range map[int][2]string{placeA: {"a", "A"}, placeQ: {"q", "Q"}, placeK: {"k", "K"}, placeL: {"l", "L"}, placeOne: {"1", "!"}, placeEqual: {"=", "+"}} {
		l[macPlain][code], l[macWithShift][code], l[macWithCommand][code] = keys[0], keys[1], keys[0]
	}
	l[macPlain][placePadOne] = "1"
	return l
}

// frenchMac has the digits on Shift and another letter where A is.
func frenchMac() (l macLayout) {
	for code, keys := range map[int][2]string{placeA: {"q", "Q"}, placeQ: {"a", "A"}, placeOne: {"&", "1"}} {
		l[macPlain][code], l[macWithShift][code], l[macWithCommand][code] = keys[0], keys[1], keys[0]
	}
	l[macWithShiftOption][placeL] = "|"
	l[macWithOption][placeL] = "\\"
	return l
}

// russianMac writes no Latin letter but with Command.
func russianMac() (l macLayout) {
	l[macPlain][placeK], l[macWithShift][placeK], l[macWithCommand][placeK] = "л", "Л", "k"
	return l
}

// fakeMac is a Mac with other programs on it.
type fakeMac struct {
	now      []macLayout
	system   []macStroke
	others   map[macStroke]bool
	held     map[uint32]macStroke
	requests int
}

func (m *fakeMac) layouts() []macLayout   { return m.now }
func (m *fakeMac) shortcuts() []macStroke { return m.system }
func (m *fakeMac) register(id uint32, s macStroke) int32 {
	m.requests++
	if m.others[s] {
		return macTaken
	}
	if m.held == nil {
		m.held = map[uint32]macStroke{}
	}
	m.held[id] = s
	return 0
}

func (m *fakeMac) unregister(id uint32) { m.requests++; delete(m.held, id) }

// press is the id with which a stroke would come, 0 if nobody has it.
func (m *fakeMac) press(s macStroke) uint32 {
	for id, h := range m.held {
		if h == s {
			return id
		}
	}
	return 0
}

func bindAll(chords ...string) (out []Binding) {
	for _, c := range chords {
		out = append(out, Binding{ID: "do " + c, Chord: Chord(c)})
	}
	return out
}

func TestAMacChordIsTheKeyThatWritesIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		layout macLayout
		chord  Chord
		want   macStroke
	}{
		{"a letter", usMac(), "ctrl+a", macStroke{placeA, macControl}},
		{"a letter elsewhere", frenchMac(), "ctrl+a", macStroke{placeQ, macControl}},
		{"all modifiers", usMac(), "ctrl+alt+shift+super+k", macStroke{placeK, macControl | macOption | macShift | macCommand}},
		{"a digit above the letters", usMac(), "alt+1", macStroke{placeOne, macOption}},
		{"a digit that takes Shift", frenchMac(), "alt+1", macStroke{placeOne, macOption}},
		{"a sign that takes Shift", usMac(), "ctrl+plus", macStroke{placeEqual, macControl | macShift}},
		{"a sign that takes Option", frenchMac(), "ctrl+backslash", macStroke{placeL, macControl | macOption}},
		{"a Latin letter with Command", russianMac(), "super+k", macStroke{placeK, macCommand}},
		{"a key that writes nothing", russianMac(), "alt+space", macStroke{placeSpace, macOption}},
		{"a function key", usMac(), "f13", macStroke{0x69, 0}},
	} {
		held, sym, err := c.chord.parse()
		require.NoError(t, err, c.name)
		got, ok := c.layout.stroke(held, sym)
		assert.True(t, ok, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
}

func TestAMacLayoutWithoutTheLetterTakesTheLatinOne(t *testing.T) {
	m := &fakeMac{now: []macLayout{russianMac(), usMac()}}
	k := newMacBound(m)
	assert.Empty(t, k.set(bindAll("ctrl+a")))
	assert.Equal(t, "do ctrl+a", k.pressed(m.press(macStroke{placeA, macControl})))
}

func TestAMacChordFollowsTheLayout(t *testing.T) {
	m := &fakeMac{now: []macLayout{usMac()}}
	k := newMacBound(m)
	require.Empty(t, k.set(bindAll("ctrl+a", "alt+space")))
	space := m.press(macStroke{placeSpace, macOption})
	m.now, m.requests = []macLayout{frenchMac()}, 0
	require.Empty(t, k.bind())
	assert.Zero(t, m.press(macStroke{placeA, macControl}))
	assert.Equal(t, "do ctrl+a", k.pressed(m.press(macStroke{placeQ, macControl})))
	assert.Equal(t, space, m.press(macStroke{placeSpace, macOption}), "what is the same key still is not let go of")
	assert.Equal(t, 2, m.requests)
}

func TestARefusalThatTwoReleasesOfMacOSGiveIsExplained(t *testing.T) {
	for _, c := range []struct {
		mods uint32
		want string
	}{{macOption, "macOS 15.0 and 15.1"}, {macOption | macShift, "macOS 15.0 and 15.1"}, {macOption | macControl, "-9868"}, {macCommand, "-9868"}} {
		assert.Contains(t, macRefused(Binding{}, macStroke{placeSpace, c.mods}, macInternal).Problem, c.want)
	}
}

func TestMacChordsThatDoNotWorkSayWhy(t *testing.T) {
	m := &fakeMac{
		now: []macLayout{usMac()}, system: []macStroke{{placeSpace, macCommand}, macShortcut(0x67, 1<<17)},
		others: map[macStroke]bool{{placeK, macControl}: true},
	}
	k := newMacBound(m)
	problems := map[Chord]string{}
	for _, c := range k.set(bindAll("super+space", "f11", "ctrl+k", "volumeup", "f24", "ctrl+semicolon", "hyper+a", "alt+q")) {
		problems[c.Chord] = c.Problem
		assert.NotEmpty(t, c.Remedy)
	}
	assert.Equal(t, map[Chord]string{
		"super+space": "is taken by macOS", "f11": "is taken by macOS", "ctrl+k": "is taken by another program",
		"volumeup": "has a key that no Mac gives to a hot key", "f24": "has a key that no Mac gives to a hot key",
		"ctrl+semicolon": "has a key that this keyboard layout does not have", "hyper+a": `is no chord: "hyper" is no modifier`,
	}, problems)
	assert.Equal(t, "do alt+q", k.pressed(m.press(macStroke{placeQ, macOption})))
}

func TestTwoMacChordsOfOneKeyAreNamed(t *testing.T) {
	m := &fakeMac{now: []macLayout{usMac()}}
	k := newMacBound(m)
	conflicts := k.set([]Binding{{"one", "ctrl+shift+k"}, {"two", "shift+ctrl+k"}})
	require.Len(t, conflicts, 1)
	assert.Equal(t, Chord("shift+ctrl+k"), conflicts[0].Chord)
	assert.Equal(t, "one", k.pressed(m.press(macStroke{placeK, macControl | macShift})))
}

func TestNoMacBindingsLetGoOfAll(t *testing.T) {
	m := &fakeMac{now: []macLayout{usMac()}}
	k := newMacBound(m)
	require.Empty(t, k.set(bindAll("ctrl+a", "ctrl+k")))
	id := m.press(macStroke{placeA, macControl})
	assert.Empty(t, k.set(nil))
	assert.Empty(t, m.held)
	assert.Empty(t, k.pressed(id), "a press that was on its way finds nothing")
}

func TestABindingThatGetsAnotherDeedKeepsItsKey(t *testing.T) {
	m := &fakeMac{now: []macLayout{usMac()}}
	k := newMacBound(m)
	require.Empty(t, k.set([]Binding{{"one", "ctrl+k"}}))
	require.Empty(t, k.set([]Binding{{"two", "ctrl+k"}}))
	assert.Equal(t, 1, m.requests)
	assert.Equal(t, "two", k.pressed(m.press(macStroke{placeK, macControl})))
}
