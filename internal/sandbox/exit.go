package sandbox

import (
	"fmt"
	"strings"
	"syscall"
)

// outOfMemory is what runtimes print when an allocation fails.
var outOfMemory = []string{"out of memory", "cannot allocate", "MemoryError", "bad_alloc", "Out of memory"}

// ExplainExit says in one line what an exit has to do with the sandbox; ""
// when nothing points to it. stderr is the end of what the child printed.
func ExplainExit(p *Policy, exit Exit, stderr string) string {
	if exit.Signal == syscall.SIGXFSZ {
		return fmt.Sprintf("plugin %s wrote a file larger than its cap of %d MiB", p.PluginID, p.FileBytes>>20)
	}
	if exit.Signal == syscall.SIGSYS {
		return fmt.Sprintf("plugin %s made a system call that the sandbox answers with the end of the process", p.PluginID)
	}
	if p.MemoryBytes > 0 && p.GOOS != "darwin" && exit != (Exit{}) {
		for _, text := range outOfMemory {
			if strings.Contains(stderr, text) {
				return fmt.Sprintf("plugin %s reached its memory cap of %d MiB; raise memory_mib under [plugin.%s]", p.PluginID, p.MemoryBytes>>20, p.PluginID)
			}
		}
	}
	// sandbox-exec says so itself when the code is its own: plugins have these
	// codes of sysexits(3) too.
	if p.GOOS == "darwin" && (stderr == "" || strings.Contains(stderr, "sandbox-exec:")) {
		return ExplainSeatbeltExit(exit.Code)
	}
	return ""
}
