package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// Available reports what this machine carries. The first call of a
// process tries the namespaces for real and takes a few milliseconds; the
// later ones remember that.
func Available() Report {
	s := detect()
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return Report{
		Platform: "linux", Root: os.Geteuid() == 0,
		LandlockABI: s.LandlockABI, Seccomp: s.Seccomp, Namespaces: s.Namespaces,
		HostPrivate: err == nil && dumpable == 0,
		Problems:    s.problems(),
	}
}
