//go:build !linux

package host

// programName is "": an application of macOS has a bundle, and so a name.
func programName(int) string { return "" }
