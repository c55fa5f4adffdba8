// Package protocol is the plugin wire: its constants, its values and the
// strict codecs for both. It owns framing, envelopes, quotas and the manifest
// schema. It opens nothing, starts nothing and holds no policy on what a
// well-formed message may do; that is the host's broker and supervisor.
//
// protocol.json is the machine-readable contract. Every constant here is held
// equal to it by a test, so that a host or SDK in another language can read
// the file and know that it reads the same numbers.
package protocol
