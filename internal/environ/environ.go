// Package environ reads environment blocks of other sessions than the process's
// own, in the form of os.Environ.
package environ

import (
	"slices"
	"strings"
)

// Lookup returns the value of a name, "" where it is not set. The last entry of a
// name counts.
func Lookup(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}
