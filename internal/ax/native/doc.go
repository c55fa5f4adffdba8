// Package native owns the reading and driving of macOS apps behind opaque
// elements: the walk of a snapshot, what an action or an attribute comes down
// to, and who lets go of which element. It asks macOS through an interface, so
// that all of it is tested where there is no macOS. It observes nothing.
package native

import (
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// Tree is macOS's accessibility interface. Elements that it gives are retained.
// A call waits for the app, a bounded time.
type Tree interface {
	App(pid int) mac.Ref
	// Read gives one value for each name; where the status is not OK there are
	// none.
	Read(e mac.Ref, names []string) ([]mac.Value, mac.Status)
	Write(e mac.Ref, name string, v mac.Value) mac.Status
	Actions(e mac.Ref) ([]string, mac.Status)
	Perform(e mac.Ref, action string) mac.Status
	Number(e mac.Ref) int64 // of a window, the window server's; 0 has none
	Same(a, b mac.Ref) bool
	Hash(e mac.Ref) uint64 // the same of elements that are the same
	Retain(e mac.Ref)
	Release(e mac.Ref)
	PrimaryHeight() float64 // of the primary screen, in points
}

// Element is one element of an app. Whoever has it calls Release once.
type Element struct {
	tree Tree
	ref  mac.Ref
	pid  int
}

var _ broker.AXReleaser = (*Element)(nil)

// Release lets go of it.
func (e *Element) Release() { e.tree.Release(e.ref) }
