// Package sdk runs a Flash plugin: a child process that speaks the plugin wire
// over stdin and stdout. It owns framing, admission, event order, host calls,
// the shutdown sequence and the memory manners of an idle child. It never
// decides what a plugin shows, opens no network or display of its own, and
// imports only the protocol package.
//
// A plugin is a value of type [Plugin] given to [Run]:
//
//	func main() {
//		sdk.Run(sdk.Plugin{
//			Start: func(ctx context.Context, h *sdk.Host) error {
//				h.Publish([]protocol.Row{{Source: "hello.items", Title: "Hello"}})
//				return nil
//			},
//		})
//	}
//
// # Life of a plugin
//
//  1. Run takes over stdin and stdout. From here on what the program prints to
//     os.Stdout goes to stderr, and os.Stdin reads as empty.
//  2. The host sends initialize; the SDK answers it at once.
//  3. Start runs on its own goroutine, beside events and requests.
//  4. Event is called on one goroutine, one event at a time, in wire order.
//  5. Evaluate, Search, Hints and Perform run on a goroutine each, 16 at most.
//  6. When stdin ends, or the process named by FLASH_PLUGIN_PARENT_PID is gone,
//     every context is cancelled, pending host calls fail with [ErrHostClosed],
//     Shutdown runs, and the process exits 0 after at most 750 ms. SIGTERM does
//     the same where there is a Shutdown to run; elsewhere it simply ends the
//     process, unless the plugin is pid 1: then the kernel keeps it from it.
//  7. Three to six seconds after the last activity other than pings, the
//     plugin collects its garbage and is still until something happens.
package sdk
