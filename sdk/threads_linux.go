package sdk

import (
	"runtime"
	"sync"
	"syscall"
)

// idleThreads is what the runtime of a plugin at rest has: the main thread, the
// monitor, one that waits for signals, and two to run goroutines on.
const idleThreads = 5

// trimRounds bounds the counting in trimThreads. On a machine with a lot to do
// the runtime makes a thread or two even while others are being held.
const trimRounds = 4

// trimThreads ends threads that blocking work left behind. The runtime keeps
// every thread that it ever needed; one whose goroutine ends while locked to it
// is the only kind that ends. So threads are held, each by a goroutine, until
// idleThreads are left over, and then let go at once.
func trimThreads() {
	var held, done sync.WaitGroup
	release := make(chan struct{})
	hold := func() {
		defer done.Done()
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			// The main thread cannot end; it would only sleep for ever.
			defer runtime.UnlockOSThread()
		}
		held.Done()
		<-release
	}
	holding := 0
	for range trimRounds {
		excess := threads() - idleThreads - holding
		if excess <= 0 {
			break
		}
		held.Add(excess)
		done.Add(excess)
		for range excess {
			go hold()
		}
		held.Wait()
		holding += excess
	}
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
