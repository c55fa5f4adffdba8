// Package procid tells processes apart over time. A pid is given to another
// process once its own has ended; together with the start time it names one
// process and no later one. The package only looks: it signals nothing.
package procid

// maxHops bounds the way up a process table that changes while it is read.
const maxHops = 64

// Descends reports whether a process was started below another. Parent names the
// process that started one, 0 where that is not known.
func Descends(pid, from int, parent func(int) int) bool {
	for range maxHops {
		if pid = parent(pid); pid == from {
			return true
		}
		if pid <= 1 {
			return false
		}
	}
	return false
}
