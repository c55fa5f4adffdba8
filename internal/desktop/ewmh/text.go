package ewmh

import (
	"strings"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// decodeUTF8 takes a property that says it is UTF-8.
func decodeUTF8(b []byte) string { return window.Text(string(b)) }

// decodeLatin1 takes the encoding of the type STRING.
func decodeLatin1(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return window.Text(s.String())
}

// splitClass reads WM_CLASS: the instance and the class, each ended by a NUL.
func splitClass(b []byte) (instance, class string) {
	instance, rest, _ := strings.Cut(string(b), "\x00")
	class, _, _ = strings.Cut(rest, "\x00")
	return strings.ToValidUTF8(instance, ""), strings.ToValidUTF8(class, "")
}
