package sdk

import (
	"context"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/sdk/quiesce"
)

const (
	// settleTime is how long a plugin is left alone after its last activity
	// before it collects and falls still. Shorter than the gaps of ordinary
	// use it would collect for nothing, longer it would only hold memory.
	settleTime = 3 * time.Second
	// quietHeadroom is what a quiet plugin may grow by before the collector
	// runs after all: Go's own smallest heap.
	quietHeadroom = 4 << 20
)

func exit(status int) { os.Exit(status) }

// runProcess serves p on the process's own streams and signals.
func runProcess(p Plugin) int {
	o := Options{Err: os.Stderr, Env: os.Getenv}
	c := newConn(p, o)
	if err := c.takeStdio(); err != nil {
		c.complain("cannot take over stdin and stdout: " + err.Error())
		return 1
	}
	atRest := trimThreads
	if os.Getpid() == 1 {
		atRest = func() {
			trimThreads()
			reapOrphans()
		}
	}
	guard := quiesce.NewFunc(settleTime, quietHeadroom, atRest)
	c.onBusy = guard.Touch

	// Receiving signals takes two threads and 50 KiB. Without a hook there is
	// nothing that dying of SIGTERM would miss; as pid 1, whose death by a
	// signal the kernel does not allow, the plugin waits for the end of its
	// stdin or for SIGKILL.
	if p.Shutdown != nil {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
		go func() {
			<-signals
			c.shutdown(0)
		}()
	}
	if pid, err := strconv.Atoi(os.Getenv("FLASH_PLUGIN_PARENT_PID")); err == nil && pid > 0 {
		watchParent(pid, func() { c.shutdown(0) })
	}
	return c.serve(context.Background())
}
