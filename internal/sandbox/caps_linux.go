package sandbox

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// dropCapabilities empties every capability set of the calling thread, the
// ambient and bounding ones too: a root host's child would otherwise chroot,
// rename the machine and read the host's environment in spite of Landlock.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("capabilities: clear ambient: %w", err)
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&hdr, &data[0]); err != nil {
		return fmt.Errorf("capabilities: read: %w", err)
	}
	const setpcap = unix.CAP_SETPCAP // below 32, so in the first word
	if data[0].Effective&(1<<setpcap) != 0 {
		for c := range capabilities() {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil {
				return fmt.Errorf("capabilities: drop %d from the bounding set: %w", c, err)
			}
		}
	}
	data = [2]unix.CapUserData{}
	if err := unix.Capset(&hdr, &data[0]); err != nil {
		return fmt.Errorf("capabilities: drop: %w", err)
	}
	return nil
}

// capabilities counts those that this kernel knows.
var capabilities = sync.OnceValue(func() int {
	n := 0
	for n < 64 && unix.Prctl(unix.PR_CAPBSET_READ, uintptr(n), 0, 0, 0) != unix.EINVAL {
		n++
	}
	return n
})

func noNewPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return nil
}
