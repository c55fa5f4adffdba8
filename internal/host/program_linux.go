package host

import (
	"fmt"
	"os"
	"strings"
)

// programName is what the kernel calls a process, "" when it has gone.
func programName(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSuffix(string(name), "\n")
}
