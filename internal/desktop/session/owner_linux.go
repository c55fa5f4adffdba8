package session

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownerOf is the user that a file belongs to, -1 where it is not known.
func ownerOf(info os.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// peerOf is the user that listens at the other end of a connection.
func peerOf(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return -1, err
	}
	if failed != nil {
		return -1, failed
	}
	return int(cred.Uid), nil
}
