package procid

import "net"

// PeerUID is the user at the other end of a connection, as the kernel knows it.
func PeerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	var uid int
	var uidErr error
	if err := raw.Control(func(fd uintptr) { uid, uidErr = socketUID(int(fd)) }); err != nil {
		return -1, err
	}
	return uid, uidErr
}
