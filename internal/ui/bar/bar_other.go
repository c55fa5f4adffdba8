//go:build !linux

package bar

// Bar is no bar: there is none on this platform yet.
type Bar struct{}

// New returns a bar that never shows.
func New(Options) *Bar { return &Bar{} }

// Apply does nothing.
func (*Bar) Apply() {}

// Hold does nothing.
func (*Bar) Hold(bool) {}

// Paints is zero.
func (*Bar) Paints() int64 { return 0 }

// Close does nothing.
func (*Bar) Close() {}
