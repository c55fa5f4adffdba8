package tap

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// grabbers are programs that people use to bind mouse buttons; when one is
// connected it is the likely owner of a button that cannot be had.
var grabbers = [...]string{"xbindkeys", "sxhkd", "imwheel", "easystroke", "touchegg", "input-remapper", "mouse-actions", "logiops", "logid", "flash"}

// likely names the programs that may have a button. The pids are of those
// connected to the display.
func likely(pids []int) string {
	var known, others []string
	for _, pid := range pids {
		if pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			continue
		}
		name := strings.TrimSpace(string(text))
		label := fmt.Sprintf("%s (pid %d)", name, pid)
		if slices.Contains(grabbers[:], name) {
			known = append(known, label)
		} else {
			others = append(others, label)
		}
	}
	switch {
	case len(known) > 0:
		return "most likely " + strings.Join(known, " or ")
	case len(others) > 0:
		return "one of " + strings.Join(others, ", ")
	}
	return "a program of another machine or user"
}
