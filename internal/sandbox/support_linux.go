package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// detect asks the kernel once. Namespaces are tried for real, because what
// forbids them (a sysctl, AppArmor, a container's filter) shows only then.
var detect = sync.OnceValue(func() Support {
	s := Support{LandlockABI: landlockABI(), Seccomp: hasSeccomp()}
	if err := tryNamespaces(s.LandlockABI); err != nil {
		s.NamespacesWhy, s.NamespacesRemedy = explainNamespaces(err, sysctl)
		return s
	}
	s.Namespaces = true
	return s
})

func hasSeccomp() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	const getActionAvail = 2
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, getActionAvail, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}

// tryNamespaces runs the shim over a small root and lets it exit.
func tryNamespaces(abi int) error {
	std, err := newStdio("sandbox probe")
	if err != nil {
		return err
	}
	defer std.close()
	p := &Process{done: make(chan struct{})}
	spec := shimSpec{
		UID: os.Geteuid(), GID: os.Getegid(), Probe: true,
		Mounts: []mount{{Kind: mountBind, Path: "/dev/null", Write: true, Device: true}},
		Domain: domainSpec{ABI: min(abi, abiKnown)},
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS)
	if err := runInShim(context.Background(), p, spec, flags, std); err != nil {
		return err
	}
	if exit := p.Wait(); exit.Code != 0 {
		return fmt.Errorf("namespace shim: %s", exit)
	}
	return nil
}

// explainNamespaces turns a failed try into what is wrong and what to do.
func explainNamespaces(err error, sysctl func(string) string) (why, remedy string) {
	const off = "user namespaces are switched off"
	switch {
	case sysctl("vm/memfd_noexec") == "2":
		return "files in memory may not be executed (vm.memfd_noexec = 2)", "run `sysctl -w vm.memfd_noexec=1` as root"
	case sysctl("kernel/unprivileged_userns_clone") == "0":
		return off + " (kernel.unprivileged_userns_clone = 0)", "run `sysctl -w kernel.unprivileged_userns_clone=1` as root"
	case sysctl("user/max_user_namespaces") == "0":
		return off + " (user.max_user_namespaces = 0)", "run `sysctl -w user.max_user_namespaces=10000` as root"
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return off + " for unconfined programs (kernel.apparmor_restrict_unprivileged_userns = 1)",
			"install an AppArmor profile with `userns,` for the flash executable, or run `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` as root"
	}
	return fmt.Sprintf("user namespaces do not work here (%v)", err),
		"allow user, pid and mount namespaces (in a container: its seccomp profile and security options)"
}

func sysctl(name string) string {
	raw, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}
