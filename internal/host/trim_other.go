//go:build !linux

package host

func trim() {}
