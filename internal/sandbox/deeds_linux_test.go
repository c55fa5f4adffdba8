package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deeds is what the hand can do.
var deeds = map[string]func(args []string) (string, error){
	"read": func(a []string) (string, error) {
		raw, err := os.ReadFile(a[0])
		return string(raw), err
	},
	"list": func(a []string) (string, error) {
		entries, err := os.ReadDir(a[0])
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " "), err
	},
	"create": func(a []string) (string, error) { return "", os.WriteFile(a[0], []byte("written"), 0o600) },
	"append": func(a []string) (string, error) {
		f, err := os.OpenFile(a[0], os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString("x")
			f.Close()
		}
		return "", err
	},
	"open-read": func(a []string) (string, error) {
		f, err := os.Open(a[0])
		f.Close()
		return "", err
	},
	"open-write": func(a []string) (string, error) {
		f, err := os.OpenFile(a[0], os.O_WRONLY, 0)
		f.Close()
		return "", err
	},
	"mkdir":    func(a []string) (string, error) { return "", os.Mkdir(a[0], 0o700) },
	"remove":   func(a []string) (string, error) { return "", os.Remove(a[0]) },
	"rename":   func(a []string) (string, error) { return "", os.Rename(a[0], a[1]) },
	"link":     func(a []string) (string, error) { return "", os.Link(a[0], a[1]) },
	"symlink":  func(a []string) (string, error) { return "", os.Symlink(a[0], a[1]) },
	"truncate": func(a []string) (string, error) { return "", unix.Truncate(a[0], 0) },
	"open-truncate": func(a []string) (string, error) {
		fd, err := unix.Open(a[0], unix.O_RDONLY|unix.O_TRUNC|unix.O_CLOEXEC, 0)
		unix.Close(fd)
		return "", err
	},
	"openat2": func(a []string) (string, error) {
		fd, err := unix.Openat2(unix.AT_FDCWD, a[0], &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC})
		unix.Close(fd)
		return "", err
	},
	"chmod": func(a []string) (string, error) { return "", os.Chmod(a[0], 0o777) },
	"fchmod": func(a []string) (string, error) {
		f, err := os.Open(a[0])
		if err != nil {
			return "", err
		}
		defer f.Close()
		return "", unix.Fchmod(int(f.Fd()), 0o777)
	},
	"chown":    func(a []string) (string, error) { return "", os.Lchown(a[0], os.Getuid(), os.Getgid()) },
	"utimes":   func(a []string) (string, error) { return "", os.Chtimes(a[0], time.Unix(1, 0), time.Unix(1, 0)) },
	"setxattr": func(a []string) (string, error) { return "", unix.Setxattr(a[0], "user.flash", []byte("x"), 0) },
	"stat": func(a []string) (string, error) {
		_, err := os.Stat(a[0])
		return "", err
	},

	"tcp": func(a []string) (string, error) { return "", dial("tcp", a[0]) },
	"udp": func(a []string) (string, error) {
		c, err := net.Dial("udp", a[0])
		if err == nil {
			_, err = c.Write([]byte("x"))
			c.Close()
		}
		return "", err
	},
	"unix": func(a []string) (string, error) { return "", dial("unix", a[0]) },
	"dgram-pair": func(a []string) (string, error) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return "", err
		}
		return "", unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: a[0]})
	},
	"stream-pair": func([]string) (string, error) {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return "", err
	},
	"netlink": func(a []string) (string, error) {
		proto, _ := strconv.Atoi(a[0])
		_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, proto)
		return "", err
	},
	"socket": func(a []string) (string, error) {
		family, _ := strconv.Atoi(a[0])
		_, err := unix.Socket(family, unix.SOCK_STREAM, 0)
		return "", err
	},

	"exec": func(a []string) (string, error) {
		out, err := exec.Command(a[0], a[1:]...).CombinedOutput()
		return string(out), err
	},
	"exec-self-away": func(a []string) (string, error) { return "", unix.Exec(a[0], a, os.Environ()) },
	"clone": func(a []string) (string, error) {
		flags, _ := strconv.ParseUint(a[0], 0, 64)
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(flags), 0, 0, 0, 0, 0)
		if errno == 0 && pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return "", errnoOrNil(errno)
	},
	"clone3": func([]string) (string, error) {
		var args [88]byte
		_, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 88, 0)
		return "", errnoOrNil(errno)
	},
	"threads": func([]string) (string, error) {
		for range 8 {
			done := make(chan bool)
			go func() { runtime.LockOSThread(); done <- true }()
			<-done
		}
		return "", nil
	},
	"syscall": func(a []string) (string, error) {
		var n [7]uintptr
		for i, s := range a {
			v, _ := strconv.ParseUint(s, 0, 64)
			n[i] = uintptr(v)
		}
		_, _, errno := unix.RawSyscall6(n[0], n[1], n[2], n[3], n[4], n[5], n[6])
		return "", errnoOrNil(errno)
	},

	"signal": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		return "", syscall.Kill(pid, 0)
	},
	"ptrace": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		runtime.LockOSThread()
		return "", unix.PtraceAttach(pid)
	},
	"peek": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		buf := make([]byte, 8)
		local := []unix.Iovec{{Base: &buf[0], Len: 8}}
		_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
		return "", err
	},
	"limit-other": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		var l unix.Rlimit
		return "", unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &l)
	},
	"renice-other": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		return "", unix.Setpriority(unix.PRIO_PROCESS, pid, 19)
	},
	"pin-other": func(a []string) (string, error) {
		pid, _ := strconv.Atoi(a[0])
		var set unix.CPUSet
		set.Set(0)
		return "", unix.SchedSetaffinity(pid, &set)
	},
	"outlive": func([]string) (string, error) { return "", unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },

	"chroot":      func(a []string) (string, error) { return "", unix.Chroot(a[0]) },
	"sethostname": func([]string) (string, error) { return "", unix.Sethostname([]byte("x")) },
	"unshare":     func([]string) (string, error) { return "", unix.Unshare(unix.CLONE_NEWUSER) },
	"mount":       func(a []string) (string, error) { return "", unix.Mount("tmpfs", a[0], "tmpfs", 0, "") },
	"umount":      func(a []string) (string, error) { return "", unix.Unmount(a[0], 0) },
	"keyring": func([]string) (string, error) {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return "", err
	},

	"memfd": func([]string) (string, error) {
		fd, err := unix.MemfdCreate("x", unix.MFD_CLOEXEC)
		unix.Close(fd)
		return "", err
	},
	"map": func(a []string) (string, error) {
		flags, _ := strconv.ParseUint(a[0], 0, 32)
		_, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, int(flags))
		return "", err
	},
	"map-zero": func([]string) (string, error) {
		f, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
		if err != nil {
			return "", err
		}
		_, err = unix.Mmap(int(f.Fd()), 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		return "", err
	},
	"rlimit": func(a []string) (string, error) {
		which, _ := strconv.Atoi(a[0])
		var l unix.Rlimit
		err := unix.Getrlimit(which, &l)
		return fmt.Sprint(l.Cur, " ", l.Max), err
	},
	"raise-limit": func(a []string) (string, error) {
		which, _ := strconv.Atoi(a[0])
		return "", unix.Setrlimit(which, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	},

	"fds": func([]string) (string, error) {
		var open []string
		for fd := range 1024 {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
				open = append(open, strconv.Itoa(fd))
			}
		}
		return strings.Join(open, " "), nil
	},
	"environ": func([]string) (string, error) {
		env := os.Environ()
		sort.Strings(env)
		return strings.Join(env, "\n"), nil
	},
	"ids": func([]string) (string, error) {
		sid, err := unix.Getsid(0)
		return fmt.Sprint(os.Getpid(), " ", os.Getppid(), " ", sid, " ", unix.Getpgrp()), err
	},
	"cwd": func([]string) (string, error) { return os.Getwd() },
	"caps": func([]string) (string, error) {
		hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var data [2]unix.CapUserData
		err := unix.Capget(&hdr, &data[0])
		return fmt.Sprint(data), err
	},
	"bounding": func([]string) (string, error) {
		var left []string
		for c := range 64 {
			if v, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); err == nil && v == 1 {
				left = append(left, strconv.Itoa(c))
			}
		}
		return strings.Join(left, " "), nil
	},
	"leave-orphan": func(a []string) (string, error) {
		// A grandchild in a session of its own whose parent has gone.
		c := exec.Command("/bin/sh", "-c", "setsid sleep 98765 >/dev/null 2>&1 </dev/null & echo $!")
		out, err := c.Output()
		return strings.TrimSpace(string(out)), err
	},
	"exit": func(a []string) (string, error) {
		code, _ := strconv.Atoi(a[0])
		os.Exit(code)
		return "", nil
	},
	"die": func([]string) (string, error) {
		return "", syscall.Kill(os.Getpid(), syscall.SIGSEGV)
	},
	"nonblocking": func([]string) (string, error) {
		var list []string
		for fd := range 3 {
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			if err != nil {
				return "", err
			}
			if flags&unix.O_NONBLOCK != 0 {
				list = append(list, strconv.Itoa(fd))
			}
		}
		return strings.Join(list, " "), nil
	},
}

func errnoOrNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// dial counts a refused connection as reached: something decided about it
// beyond the sandbox.
func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}
