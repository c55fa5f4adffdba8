//go:build !linux && !(darwin && cgo)

package panel

// Platform is nothing: without a window system that Flash knows, as on macOS in a
// build without cgo, there is no panel.
type Platform struct{}
