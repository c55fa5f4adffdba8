package mac

// KeyStep is one keyboard event: a key goes down or up under the flags of what
// is held, or a modifier key changes the flags.
type KeyStep struct {
	Code      int
	Down      bool
	Flags     uint64
	FlagsOnly bool
}

// Flags of Core Graphics, and the keys that hold them down.
var modifiers = [...]struct {
	name string // as the broker names them
	flag uint64
	code int
}{
	{"control", 1 << 18, 59}, {"option", 1 << 19, 58}, {"shift", 1 << 17, 56}, {"command", 1 << 20, 55}, {"function", functionFlag, 63},
}

const functionFlag = 1 << 23

// extended are the keys that carry the function flag when they come from a
// keyboard: the function keys, the arrows and those around them. An event
// without it is not taken for a hot key.
var extended = [...]int{
	96, 97, 98, 99, 100, 101, 103, 105, 106, 107, 109, 111, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126,
}

func flagsOf(code int, held []string) uint64 {
	var flags uint64
	for _, m := range modifiers {
		for _, h := range held {
			if h == m.name {
				flags |= m.flag
			}
		}
	}
	for _, e := range extended {
		if e == code {
			flags |= functionFlag
		}
	}
	return flags
}

// Press is a key for one app: down and up under its flags. The app is not told
// of the modifiers by themselves, so none of them can stay down in it.
func Press(code int, held []string) []KeyStep {
	flags := flagsOf(code, held)
	return []KeyStep{{Code: code, Down: true, Flags: flags}, {Code: code, Flags: flags}}
}

// Chord is a key for the whole session: its modifiers go down, the key down and
// up, and they go up in reverse. Every key that goes down comes up.
func Chord(code int, held []string) []KeyStep {
	var steps []KeyStep
	var flags uint64
	for _, m := range modifiers {
		for _, h := range held {
			if h == m.name {
				flags |= m.flag
				steps = append(steps, KeyStep{Code: m.code, Down: true, Flags: flags, FlagsOnly: true})
			}
		}
	}
	downs := len(steps)
	steps = append(steps, Press(code, held)...)
	for i := downs - 1; i >= 0; i-- {
		before := uint64(0)
		if i > 0 {
			before = steps[i-1].Flags
		}
		steps = append(steps, KeyStep{Code: steps[i].Code, Flags: before, FlagsOnly: true})
	}
	return steps
}

// MediaStep is one event of a media key: NSEvent's fields of a system-defined
// event of subtype MediaSubtype.
type MediaStep struct{ Flags, Data1, Data2 int }

// MediaSubtype is that of the auxiliary control buttons.
const MediaSubtype = 8

// Media is a media key that goes down and up.
func Media(code int) []MediaStep {
	const down, up = 0xa, 0xb
	step := func(state int) MediaStep { return MediaStep{Flags: state << 8, Data1: code<<16 | state<<8, Data2: -1} }
	return []MediaStep{step(down), step(up)}
}
