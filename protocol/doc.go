// Package protocol is the plugin wire: its constants, its values and the
// strict codecs for both. It owns framing, envelopes, quotas and the manifest
// schema. It opens nothing, starts nothing and holds no policy on what a
// well-formed message may do; that is the host's broker and supervisor.
//
// protocol.json is the machine-readable contract. Every constant here is held
// equal to it by a test, so that a host or SDK in another language can read
// the file and know that it reads the same numbers.
//
// A line's way in: a [Collector] cuts it out of the stream, [DecodeEnvelope]
// validates all of it once and finds its parts, and the decoder of its method
// makes the value. All of them stand on one scanner (scan.go), written by hand
// because encoding/json takes what this wire refuses (invalid UTF-8, lone
// surrogates, duplicate keys) and costs ten times as much on a publication,
// and because what it allocates per message is what a plugin's child weighs.
//
// The host reads a plugin strictly: an unknown key is a fault. A plugin holds
// what the host sends to its types and passes over keys that a later host adds.
package protocol
