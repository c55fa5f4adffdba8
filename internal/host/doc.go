// Package host is the composition root: it builds the ring of catalogue,
// plugins, broker, flashlight and control socket out of their packages, and
// owns the order in which they start and stop. What a part decides, the part
// decides; nothing imports this package but the program.
//
// Starting: harden the process, take the control socket (which makes this the
// only resident), read the configuration, open the stores, load manifests,
// spawn. Stopping is the reverse: no new requests, then the plugins all at
// once, then the stores, then the socket.
package host
