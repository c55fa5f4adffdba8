//go:build !linux

package desktoptest

import "syscall"

func dieWithThread(*syscall.SysProcAttr) {}

type process struct{ pid int }

// Find gives nothing: there is no such session on this platform.
func (s *Session) Find(string) []int { return nil }

func (s *Session) processes() []process { return nil }
