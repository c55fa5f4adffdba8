package x11

import (
	"encoding/binary"
	"os"
	"path/filepath"
)

const (
	familyLocal = 256
	familyWild  = 65535
	magicCookie = "MIT-MAGIC-COOKIE-1"
)

// cookie finds the entry for a local display in the user's authority file.
// Without one the server is asked without a cookie, and says if it minds.
func cookie(number string) (name, data []byte) {
	path := os.Getenv("XAUTHORITY")
	if path == "" {
		path = filepath.Join(os.Getenv("HOME"), ".Xauthority")
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, nil
	}
	host, _ := os.Hostname()
	return findCookie(file, host, number)
}

func findCookie(file []byte, host, number string) (name, data []byte) {
	field := func() ([]byte, bool) {
		if len(file) < 2 {
			return nil, false
		}
		n := int(binary.BigEndian.Uint16(file))
		if len(file) < 2+n {
			return nil, false
		}
		f := file[2 : 2+n]
		file = file[2+n:]
		return f, true
	}
	for len(file) >= 2 {
		family := binary.BigEndian.Uint16(file)
		file = file[2:]
		var f [4][]byte // address, display, name, data
		for i := range f {
			var ok bool
			if f[i], ok = field(); !ok {
				return nil, nil
			}
		}
		here := family == familyWild || family == familyLocal && string(f[0]) == host
		if here && (len(f[1]) == 0 || string(f[1]) == number) && string(f[2]) == magicCookie {
			return f[2], f[3]
		}
	}
	return nil, nil
}
