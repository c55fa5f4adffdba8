// Command flash is the resident launcher host and its command line.
package main

import (
	"context"
	"os"
	"runtime"

	"github.com/flash-launcher/flash/internal/cli"
	"github.com/flash-launcher/flash/internal/host"
	_ "github.com/flash-launcher/flash/internal/prefault" // the first frame of `flash open` waits for fewer faults
)

// version is what every part of the program reports.
const version = "0.1.0"

func init() {
	// The main thread must stay the main goroutine's. A plugin without helpers
	// is started from a thread that confines itself for good; were that the
	// main thread, the confinement would be the whole process's as others see
	// it. On macOS AppKit asks for the same.
	runtime.LockOSThread()
}

func main() {
	run := func(ctx context.Context, o cli.RunOptions) error {
		return host.Run(ctx, host.Options{Version: version, Socket: o.Socket, Verbose: o.Verbose})
	}
	os.Exit(cli.Main(os.Args[1:], cli.Options{Version: version, Run: run}, os.Stdout, os.Stderr))
}
