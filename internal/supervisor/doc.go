// Package supervisor owns the lifecycle of one plugin: when its child is
// spawned, stopped, restarted and given up on.
//
// A Plugin is changed only by its apply function, on its own goroutine, one
// message at a time. Whatever takes time (installing, spawning, waiting for a
// child, talking to it) happens elsewhere and comes back as a message that
// carries the generation it belongs to; a stale one changes nothing, but the
// child behind it is still ended and reaped. That goroutine never parses, never
// reads or writes a pipe and never waits for one.
//
//	initial ─Start─► idle ─wanted─► installing ─► launching ─initialize ok─► running
//	                  ▲                                │ failure │              │
//	                  └── no longer wanted ◄───────────┼─────────┼──────────────┤
//	                                                   ▼         │ refused      │ failure
//	                                               backoff ◄─────┼──────────────┘
//	                                                   │ spent   ▼
//	                                                   └──────► failed ─Reload, Replace─► …
//	  any ─Stop─► stopped
//
// The package never decides what a plugin may do, never stores what a plugin
// says and never builds a sandbox: sinks and a Runner do.
package supervisor
