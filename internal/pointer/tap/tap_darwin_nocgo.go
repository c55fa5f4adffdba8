//go:build darwin && !cgo

package tap

import "fmt"

// Open opens the platform's tap.
func Open(Options) (Source, error) { return nil, Probe("") }

// Probe says whether input could be tapped now, without tapping any.
func Probe(string) error {
	return fmt.Errorf("%w: this flash was built without cgo, which the macOS event tap needs; use a release build, or build with CGO_ENABLED=1", ErrUnavailable)
}
