package sandbox

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	llFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	llABI1  = 1<<13 - 1 // EXECUTE … MAKE_SYM
	llWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// landlockABI returns 0 where the kernel has no Landlock or booted without.
func landlockABI() int {
	v, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// handledFiles are the file rights a ruleset of that ABI decides.
func handledFiles(abi int) uint64 {
	rights := uint64(llABI1)
	if abi >= abiRefer {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= abiTruncate {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= abiIoctl {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

func (r right) landlock() uint64 {
	var a uint64
	if r&rightRead != 0 {
		a |= unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if r&rightList != 0 {
		a |= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	if r&rightExec != 0 {
		a |= unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	if r&rightWrite != 0 {
		a |= llWrite
	}
	if r&rightStore != 0 {
		a |= unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	}
	return a
}

// accessTo is what the rights mean for a file of that mode.
func (r right) accessTo(mode uint32) uint64 {
	if mode&unix.S_IFMT != unix.S_IFDIR {
		return r.landlock() & llFile
	}
	return r.landlock()
}

// domainSpec is one Landlock domain, before any file is opened.
type domainSpec struct {
	ABI      int
	Rules    []rule
	Network  bool // leave TCP alone
	Signals  bool // scope signals
	Abstract bool // scope abstract sockets
}

// attr is what the ruleset decides, and how much of it this kernel knows.
func (d domainSpec) attr() (unix.LandlockRulesetAttr, uintptr) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledFiles(d.ABI)}
	size := uintptr(8)
	if d.ABI >= abiNet {
		size = 16
		if !d.Network {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if d.ABI >= abiScope {
		size = 24
		if d.Signals {
			attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
		if d.Abstract {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	return attr, size
}

// ruleset opens every rule's path and returns the ruleset descriptor. A path
// that has gone since the policy was made is left out: it stays denied.
func (d domainSpec) ruleset() (int, error) {
	attr, size := d.attr()
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: create ruleset: %w", errno)
	}
	fd := int(r)
	for _, rule := range d.Rules {
		if err := addRule(fd, rule, attr.Handled_access_fs); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// landlock adds the same to a shim's script, which opens the paths in its own
// root. What cannot be looked at or opened stays denied.
func (s *script) landlock(d domainSpec) {
	attr, size := d.attr()
	s.do("landlock: create ruleset", unix.SYS_LANDLOCK_CREATE_RULESET,
		s.quads(attr.Handled_access_fs, attr.Handled_access_net, attr.Scoped), uint32(size), 0)
	for _, r := range d.Rules {
		var st unix.Stat_t
		if err := unix.Lstat(r.Path, &st); err != nil {
			continue
		}
		access := r.Rights.accessTo(st.Mode) & attr.Handled_access_fs
		if access == 0 {
			continue
		}
		gone := s.unless(s.do("landlock: open "+r.Path, unix.SYS_OPENAT, atCWD, s.text(r.Path), unix.O_PATH|unix.O_NOFOLLOW))
		s.do("landlock: rule for "+r.Path, unix.SYS_LANDLOCK_ADD_RULE, own, unix.LANDLOCK_RULE_PATH_BENEATH, s.quads(access, ownAlso), 0)
		s.do("landlock: close "+r.Path, unix.SYS_CLOSE, ownAlso)
		s.join(gone)
	}
	s.do("landlock: restrict", unix.SYS_LANDLOCK_RESTRICT_SELF, own, 0)
	s.do("landlock: close ruleset", unix.SYS_CLOSE, own)
}

func addRule(ruleset int, r rule, handled uint64) error {
	fd, err := unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
			return nil
		}
		return fmt.Errorf("landlock: open %q: %w", r.Path, err)
	}
	if !within(r.Path, "/proc") || !pin(r.Path, fd) {
		defer unix.Close(fd)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("landlock: stat %q: %w", r.Path, err)
	}
	access := r.Rights.accessTo(st.Mode) & handled
	if access == 0 {
		return nil
	}
	// The kernel's struct is packed: 8 bytes of rights, 4 of descriptor.
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: rule for %q: %w", r.Path, errno)
	}
	return nil
}

// pinned keeps the rules of /proc alive. A Landlock rule belongs to an inode;
// procfs makes a new one when a file's cached name was dropped under memory
// pressure, and the child would be refused after hours of work. An open
// descriptor keeps the name cached. There are as many as /proc paths in
// policies: a dozen.
var pinned struct {
	sync.Mutex
	paths map[string]bool
}

// pin keeps fd open, once per path.
func pin(path string, fd int) bool {
	pinned.Lock()
	defer pinned.Unlock()
	if pinned.paths[path] {
		return false
	}
	if pinned.paths == nil {
		pinned.paths = map[string]bool{}
	}
	pinned.paths[path] = true
	return true
}

// restrictThread applies the ruleset to the calling thread.
func restrictThread(ruleset int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: restrict: %w", errno)
	}
	return nil
}
