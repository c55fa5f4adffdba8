package session

import (
	"os"
	"syscall"
)

// ownerOf is the user that a file belongs to, -1 where it is not known.
func ownerOf(info os.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
