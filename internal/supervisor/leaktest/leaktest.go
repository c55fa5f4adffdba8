// Package leaktest owns the check that a test leaves nothing behind: no
// goroutine of this module, no descriptor, no child process. No product code
// imports it.
package leaktest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const module = "github.com/flash-launcher/flash/internal/"

// patience is how long goroutines that are on their way out may take.
const patience = 10 * time.Second

var checked sync.Map // testing.TB → struct{}

// Check fails t at its end if something is left that was not there before. It
// looks after all clean-ups that are registered later than its first call.
func Check(t testing.TB) {
	t.Helper()
	if _, again := checked.LoadOrStore(t, struct{}{}); again {
		return
	}
	fds, goroutines := countFDs(), countGoroutines()
	t.Cleanup(func() {
		checked.Delete(t)
		deadline := time.Now().Add(patience)
		for {
			problem := left(fds, goroutines)
			if problem == "" {
				return
			}
			if time.Now().After(deadline) {
				t.Error(problem)
				return
			}
			runtime.Gosched()
			time.Sleep(time.Millisecond)
		}
	})
}

func left(fds, goroutines int) string {
	if n := countGoroutines(); n > goroutines {
		return fmt.Sprintf("%d goroutines are left, %d were there:\n%s", n, goroutines, stacks())
	}
	if n := countFDs(); n > fds {
		return fmt.Sprintf("%d descriptors are open, %d were: %v", n, fds, listFDs())
	}
	if kids := children(); kids != "" {
		return "children are left: " + kids
	}
	return ""
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// countGoroutines counts those that run code of this module, tests apart.
func countGoroutines() int {
	n := 0
	for g := range strings.SplitSeq(stacks(), "\n\n") {
		if strings.Contains(g, module) && !strings.Contains(g, "testing.tRunner") && !strings.Contains(g, "testing.(*F)") &&
			!strings.Contains(g, "testing.(*B)") && !strings.Contains(g, "leaktest.stacks") {
			n++
		}
	}
	return n
}

func listFDs() []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil // no /proc here: the goroutines have to speak for themselves
	}
	var open []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(target, "anon_inode") && !strings.HasPrefix(target, "/proc/") {
			open = append(open, target)
		}
	}
	return open
}

func countFDs() int { return len(listFDs()) }

// children returns the pids of this process's children, zombies included.
func children() string {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return ""
	}
	var pids []string
	for _, th := range threads {
		data, _ := os.ReadFile("/proc/self/task/" + th.Name() + "/children")
		pids = append(pids, strings.Fields(string(data))...)
	}
	return strings.Join(pids, " ")
}
