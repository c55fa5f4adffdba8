package wlipc

import (
	"net"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/environ"
)

// displayOwner is the process behind the Wayland display of an environment, and
// its user; 0 where there is none.
func displayOwner(env []string) (pid, uid int) {
	path := environ.Lookup(env, "WAYLAND_DISPLAY")
	if path == "" {
		return 0, 0
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(environ.Lookup(env, "XDG_RUNTIME_DIR"), path)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		return 0, 0
	}
	defer func() { _ = c.Close() }()
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, 0
	}
	_ = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid, uid = int(cred.Pid), int(cred.Uid)
		}
	})
	return pid, uid
}
