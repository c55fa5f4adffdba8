// Package flash is the text of what a plugin in Go is built from: the SDK and
// the wire, which need nothing but the standard library. It is for a scaffold
// that has to work without a network or a published module; it runs nothing.
package flash

import "embed"

// Source holds the folders protocol and sdk, with the tests of their files, and
// the licence.
//
//go:embed LICENSE protocol/*.go protocol/protocol.json sdk/*.go sdk/quiesce/*.go sdk/sdktest/*.go
var Source embed.FS
