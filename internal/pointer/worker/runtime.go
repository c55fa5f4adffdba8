package worker

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// forWorker are variables of the Go runtime that suit a process that sleeps
// most of its life: one processor, so that no second thread is woken to look
// for work, and a small heap. The runtime reads them before the program begins.
var forWorker = [...]string{"GOMAXPROCS=1", "GOGC=50"}

// Env is the environment of a worker, from that of its starter.
func Env(env []string) []string {
	// The runtime believes the first of a name.
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return slices.ContainsFunc(forWorker[:], func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return strings.HasPrefix(kv, name+"=")
		})
	})
	return append(env, forWorker[:]...)
}

// StartAnew gives this process the environment of a worker, when somebody else than
// `flash pointer on` has started it: it begins anew, with the same number, files
// and arguments. It returns when there is nothing to do, or nothing to be done.
func StartAnew() {
	for _, kv := range forWorker {
		name, value, _ := strings.Cut(kv, "=")
		if os.Getenv(name) == value {
			continue
		}
		if exe, err := os.Executable(); err == nil {
			// What keeps it from beginning anew, such as a file that an upgrade
			// has replaced, keeps it from nothing but a thread or two fewer.
			_ = syscall.Exec(exe, os.Args, Env(os.Environ()))
		}
		return
	}
}

// unsetRuntime takes the worker's own settings out of what its commands
// inherit; the runtime has read them.
func unsetRuntime() {
	for _, kv := range forWorker {
		name, _, _ := strings.Cut(kv, "=")
		os.Unsetenv(name)
	}
}
