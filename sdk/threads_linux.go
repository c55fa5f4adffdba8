package sdk

import (
	"runtime"
	"sync"
	"syscall"
)

// idleThreads is what the runtime of a plugin at rest has: the main thread, the
// monitor, one that waits for signals, and two to run goroutines on.
const idleThreads = 5

// trimThreads ends threads that blocking work left behind. The runtime keeps
// every thread that it ever needed; one whose goroutine ends while locked to it
// is the only kind that ends.
func trimThreads() {
	excess := threads() - idleThreads
	if excess <= 0 {
		return
	}
	// All are held until each has one, so that they are excess distinct
	// threads. The runtime takes idle ones before it makes more.
	var held, done sync.WaitGroup
	release := make(chan struct{})
	for range excess {
		held.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			runtime.LockOSThread()
			if syscall.Gettid() == syscall.Getpid() {
				// The main thread cannot end; it would only sleep for ever.
				defer runtime.UnlockOSThread()
			}
			held.Done()
			<-release
		}()
	}
	held.Wait()
	close(release)
	done.Wait()
}

// threads counts the threads of this process; 0 where /proc is closed.
func threads() int {
	var st syscall.Stat_t
	if syscall.Stat("/proc/self/task", &st) != nil {
		return 0
	}
	// Of a directory of proc: one link for each entry, and two.
	return int(st.Nlink) - 2
}
