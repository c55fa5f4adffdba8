//go:build darwin && !cgo

package ax

import (
	"context"
	"fmt"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
)

// Observer observes nothing: the platform's accessibility interface is not
// reached by this build.
type Observer struct{}

const remedy = "build with CGO_ENABLED=1: this build reaches no accessibility interface"

var errNone = fmt.Errorf("%w: %s", desktop.ErrUnavailable, remedy)

// New returns an observer that observes nothing.
func New(context.Context, Options) *Observer { return &Observer{} }

// Close does nothing, like all below.
func (o *Observer) Close() error { return nil }

// SetWanted has no effect.
func (o *Observer) SetWanted([]string) {}

// Focused has no effect.
func (o *Observer) Focused(int, string) {}

// Gone has no effect.
func (o *Observer) Gone(int) {}

// Heard is zero.
func (o *Observer) Heard() uint64 { return 0 }

// Describe says that nothing serves accessibility.
func (o *Observer) Describe() desktop.Facet { return desktop.Facet{Name: facetName, Remedy: remedy} }

// Snapshot fails.
func (o *Observer) Snapshot(context.Context, broker.AXQuery) (broker.AXSnapshot, error) {
	return broker.AXSnapshot{}, errNone
}

// Perform fails.
func (o *Observer) Perform(context.Context, broker.AXElement, string) error { return errNone }

// Set fails.
func (o *Observer) Set(context.Context, broker.AXElement, string, []byte) error { return errNone }

// SelectChild fails.
func (o *Observer) SelectChild(context.Context, broker.AXElement, broker.AXElement) error {
	return errNone
}
