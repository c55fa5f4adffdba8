package sandbox

import "golang.org/x/sys/unix"

// filterSpec says what the seccomp filter of one child decides.
type filterSpec struct {
	Network  bool // internet sockets and routing netlink
	Unix     bool // path sockets (the mount namespace decides which)
	Fork     bool // may create processes
	Peers    bool // shares the pid namespace with others: no syscall may reach them
	Stack    bool // keep the soft limit of the stack as it is
	Metadata bool // deny chmod, chown, utimes, setxattr
	Truncate bool // deny what Landlock ABI < 3 lets truncate
	KeepDie  bool // the parent-death signal is the child's own: it must stay SIGKILL
	// ForkToken, when not 0, lets exactly the one fork of the host through:
	// see forkBlock.
	ForkToken uint32
}

const (
	// nsFlags are the namespace flags that clone(2) takes.
	nsFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	// lastKnown is the newest syscall these rules were written with
	// (file_setattr). A later one answers ENOSYS, as on an older kernel,
	// until someone has looked at it.
	lastKnown = 469
	// Newer than the constants of x/sys on some architecture, or than its
	// names: generic numbers, equal everywhere.
	sysFchmodat2     = 452
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysOpenTreeAttr  = 467
	sysFileSetattr   = 469
	// x32Bit marks the x32 ABI on amd64, a second numbering of every call.
	x32Bit = 0x40000000
)

// never lists what no plugin needs: other processes' memory, mounts, kernel
// keyrings and modules, and memory outside the data limit.
var never = []uintptr{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_MOUNT_SETATTR, sysOpenTreeAttr,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_PERSONALITY,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	// Memory that RLIMIT_DATA does not count, and System V objects that
	// outlive the child.
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// missing answers ENOSYS, so that runtimes use the older call, whose
// arguments a filter can see.
var missing = []uintptr{
	unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

func (s filterSpec) build() *bpf {
	b := &bpf{}
	b.add(op(opLoad, offsetArch), jump(opEqual, auditArch, 1, 0), kill(), op(opLoad, offsetNr))
	if hasX32 {
		b.add(jump(opBits, x32Bit, 0, 1), fail(unix.ENOSYS))
	}
	b.add(jump(opAbove, lastKnown+1, 0, 1), fail(unix.ENOSYS))
	b.deny(unix.ENOSYS, missing...)
	b.deny(unix.EPERM, never...)
	b.deny(unix.EPERM, neverHere...)
	b.on(unix.SYS_CLONE, s.forkBlock()...)
	if !s.Fork {
		b.deny(unix.EPERM, forkHere...)
	}
	b.on(unix.SYS_SOCKET, s.socketBlock()...)
	b.on(unix.SYS_SOCKETPAIR, socketpairBlock()...)
	b.on(unix.SYS_MMAP, mmapBlock()...)
	if s.KeepDie {
		// Clearing it would let the child outlive a killed host.
		b.on(unix.SYS_PRCTL, low(0), jump(opEqual, unix.PR_SET_PDEATHSIG, 1, 0), allow(),
			low(1), jump(opEqual, uint32(unix.SIGKILL), 0, 1), allow(), fail(unix.EPERM))
	}
	// Typing into a terminal that somebody else reads.
	b.on(unix.SYS_IOCTL, low(1), jump(opEqual, unix.TIOCSTI, 1, 0), allow(), fail(unix.EPERM))
	if s.Peers {
		s.peerBlocks(b)
	}
	if s.Peers || s.Stack {
		b.on(unix.SYS_PRLIMIT64, s.limitBlock()...)
	}
	if s.Stack {
		b.on(unix.SYS_SETRLIMIT, low(0), jump(opEqual, unix.RLIMIT_STACK, 0, 1), fail(unix.EPERM), allow())
	}
	if s.Metadata {
		b.deny(unix.EPERM, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, sysFchmodat2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
			unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, sysSetxattrat,
			unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, sysRemovexattrat, sysFileSetattr)
		b.deny(unix.EPERM, metadataHere...)
	}
	if s.Truncate {
		b.deny(unix.ENOSYS, unix.SYS_OPENAT2)
		b.deny(unix.EACCES, unix.SYS_TRUNCATE)
		b.on(unix.SYS_OPENAT, openBlock(2)...)
		truncateHere(b)
	}
	return b.finish()
}

// forkBlock decides clone(2). A new thread is always fine, a new namespace
// never.
//
// Without Fork the filter has to let the host's own fork through and no later
// one, although it is already in force when the host forks. The kernel
// ignores the upper half of clone's flags, the filter sees it: the host's one
// fork carries a random token there, which the child never learns. A wrong
// token is not an error but the end of the process, so there is one guess in
// four billion.
func (s filterSpec) forkBlock() []unix.SockFilter {
	block := []unix.SockFilter{low(0), jump(opBits, nsFlags, 0, 1), fail(unix.EPERM)}
	if s.Fork {
		return append(block, allow())
	}
	block = append(block, jump(opBits, unix.CLONE_THREAD, 0, 1), allow())
	if s.ForkToken == 0 {
		return append(block, fail(unix.EPERM))
	}
	return append(block, high(0), jump(opEqual, s.ForkToken, 0, 1), allow(),
		jump(opEqual, 0, 0, 1), fail(unix.EPERM), kill())
}

func (s filterSpec) socketBlock() []unix.SockFilter {
	block := []unix.SockFilter{low(0)}
	if s.Unix {
		block = append(block, jump(opEqual, unix.AF_UNIX, 0, 1), allow())
	}
	if s.Network {
		block = append(block,
			jump(opEqual, unix.AF_INET, 0, 1), allow(),
			jump(opEqual, unix.AF_INET6, 0, 1), allow(),
			// Resolvers ask the routing table which families are up.
			jump(opEqual, unix.AF_NETLINK, 0, 3), low(2), jump(opEqual, unix.NETLINK_ROUTE, 0, 1), allow())
	}
	return append(block, fail(unix.EACCES))
}

// socketpairBlock allows connected stream pairs, which runtimes use as pipes.
// A datagram pair can still be aimed at any path with sendto.
func socketpairBlock() []unix.SockFilter {
	return []unix.SockFilter{
		low(0), jump(opEqual, unix.AF_UNIX, 0, 3),
		low(1), op(opMask, 0xf), jump(opEqual, unix.SOCK_STREAM, 1, 0),
		fail(unix.EACCES), allow(),
	}
}

// mmapBlock denies the mappings that RLIMIT_DATA does not count: shared
// anonymous memory and downward-growing "stacks".
func mmapBlock() []unix.SockFilter {
	return []unix.SockFilter{
		low(3), jump(opBits, unix.MAP_GROWSDOWN, 4, 0),
		jump(opBits, unix.MAP_ANONYMOUS, 0, 2),
		op(opMask, unix.MAP_SHARED), jump(opEqual, unix.MAP_SHARED, 1, 0),
		allow(), fail(unix.EPERM),
	}
}

// peerBlocks closes the calls that reach other processes of the same user
// and that neither Landlock nor file permissions decide: their limits,
// priorities and processors. The pid argument must be 0, the caller.
func (s filterSpec) peerBlocks(b *bpf) {
	self := func(arg int) []unix.SockFilter {
		return []unix.SockFilter{low(arg), jump(opEqual, 0, 0, 1), allow(), fail(unix.EPERM)}
	}
	for _, nr := range []uintptr{
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER,
		unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	} {
		b.on(nr, self(0)...)
	}
	// which = PRIO_PROCESS (0) or IOPRIO_WHO_PROCESS (1), who = 0.
	own := func(which uint32) []unix.SockFilter {
		return []unix.SockFilter{low(0), jump(opEqual, which, 0, 3), low(1), jump(opEqual, 0, 0, 1), allow(), fail(unix.EPERM)}
	}
	b.on(unix.SYS_SETPRIORITY, own(unix.PRIO_PROCESS)...)
	b.on(unix.SYS_IOPRIO_SET, own(1)...)
}

// limitBlock decides prlimit(2). With Peers its pid argument must be 0, the
// caller; with Stack it may read the limit of the stack and not set it.
func (s filterSpec) limitBlock() []unix.SockFilter {
	var block []unix.SockFilter
	if s.Peers {
		block = append(block, low(0), jump(opEqual, 0, 1, 0), fail(unix.EPERM))
	}
	if s.Stack {
		block = append(block, low(1), jump(opEqual, unix.RLIMIT_STACK, 1, 0), allow(),
			low(2), jump(opEqual, 0, 0, 3), high(2), jump(opEqual, 0, 0, 1), allow(), fail(unix.EPERM))
	}
	return append(block, allow())
}

// openBlock denies O_TRUNC on a descriptor that is not open for writing:
// below ABI 3 Landlock asks only for the right to read.
func openBlock(flagsArg int) []unix.SockFilter {
	return []unix.SockFilter{
		low(flagsArg), jump(opBits, unix.O_TRUNC, 0, 3),
		op(opMask, unix.O_ACCMODE), jump(opEqual, unix.O_WRONLY, 1, 0), jump(opEqual, unix.O_RDWR, 0, 1),
		allow(), fail(unix.EACCES),
	}
}
