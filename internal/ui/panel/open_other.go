//go:build !linux

package panel

// OpenOptions say how the panel opens.
type OpenOptions struct{ Query string }
