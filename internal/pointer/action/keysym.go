package action

// keysyms of the named keys, from keysymdef.h.
var keysyms = [...]struct {
	name string
	sym  uint32
}{
	{"ctrl", 0xffe3}, {"alt", 0xffe9}, {"shift", 0xffe1}, {"super", 0xffeb},
	{"left", 0xff51}, {"up", 0xff52}, {"right", 0xff53}, {"down", 0xff54},
	{"home", 0xff50}, {"end", 0xff57}, {"page_up", 0xff55}, {"page_down", 0xff56},
	{"escape", 0xff1b}, {"return", 0xff0d}, {"tab", 0xff09}, {"space", 0x20}, {"backspace", 0xff08}, {"delete", 0xffff},
}

const keysymF1 = 0xffbe

// keysym is the X keysym of a key of a chord. Letters and digits are their own.
func keysym(key string) uint32 {
	for _, k := range keysyms {
		if k.name == key {
			return k.sym
		}
	}
	if len(key) == 1 {
		return uint32(key[0])
	}
	n := uint32(0)
	for _, c := range key[1:] { // f1 to f12
		n = n*10 + uint32(c-'0')
	}
	return keysymF1 + n - 1
}
