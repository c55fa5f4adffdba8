package seatbelttest

import (
	"strconv"
	"strings"
)

// Ask is one question to a profile. {0} and {1} in an argument are those of
// the deed.
type Ask struct{ Operation, Arg string }

// Deed is one kind of thing that a confined program does.
type Deed struct {
	Name string // on Linux, the word that the hand of the suite understands
	// Asks are what seatbelt is asked when a program on macOS does it: all of
	// them have to be allowed.
	Asks []Ask
	// NotOnDarwin says why macOS has no such thing, where there are no Asks.
	NotOnDarwin string
	// NotOnLinux says why the hand cannot do it there.
	NotOnLinux string
}

func deed(name string, asks ...string) Deed {
	d := Deed{Name: name}
	for _, a := range asks {
		operation, arg, _ := strings.Cut(a, " ")
		d.Asks = append(d.Asks, Ask{operation, arg})
	}
	return d
}

func linuxOnly(name, reason string) Deed { return Deed{Name: name, NotOnDarwin: reason} }

func macOnly(reason, name string, asks ...string) Deed {
	d := deed(name, asks...)
	d.NotOnLinux = reason
	return d
}

// Reasons that several deeds share.
const (
	worldSeen   = "it reports the child's own world and reaches nothing"
	linuxCall   = "a system call that only Linux has"
	noMemoryCap = "memory is not capped on macOS, so there is no way around the cap"
	noSuchThing = "Linux has no such service"
)

// Deeds is every kind of deed. The suite of each platform holds its own list
// to this one.
var Deeds = []Deed{
	deed("read", "file-read-data {0}"),
	deed("list", "file-read-data {0}"),
	deed("create", "file-write-create {0}"),
	deed("append", "file-write-data {0}"),
	deed("open-read", "file-read-data {0}"),
	deed("open-write", "file-write-data {0}"),
	deed("mkdir", "file-write-create {0}"),
	deed("remove", "file-write-unlink {0}"),
	deed("rename", "file-write-unlink {0}", "file-write-create {1}"),
	deed("link", "file-link {0}", "file-write-create {1}"),
	deed("symlink", "file-write-create {1}"),
	deed("truncate", "file-write-data {0}"),
	deed("open-truncate", "file-write-data {0}"),
	linuxOnly("openat2", linuxCall),
	deed("chmod", "file-write-mode {0}"),
	deed("fchmod", "file-read-data {0}", "file-write-mode {0}"),
	deed("chown", "file-write-owner {0}"),
	deed("utimes", "file-write-times {0}"),
	deed("setxattr", "file-write-xattr {0}"),
	deed("stat", "file-read-metadata {0}"),

	deed("tcp", "network-outbound {0}"),
	deed("udp", "network-outbound {0}"),
	deed("unix", "network-outbound {0}"),
	deed("dgram-pair", "network-outbound {0}"),
	linuxOnly("stream-pair", "socketpair(2) is no operation of seatbelt: both ends are the plugin's own"),
	deed("netlink", "system-socket AF_ROUTE"),
	deed("socket", "system-socket AF_SYSTEM/1"),

	deed("exec", "process-fork", "process-exec {0}"),
	deed("exec-self-away", "process-exec {0}"),
	deed("clone", "process-fork"),
	linuxOnly("clone3", linuxCall),
	linuxOnly("threads", "no operation of seatbelt is about threads"),
	linuxOnly("syscall", "system calls have no numbers to filter by: each operation is decided where it is carried out"),

	deed("signal", "signal {0}"),
	deed("ptrace", "mach-priv-task-port {0}"),
	deed("peek", "mach-priv-task-port {0}"),
	deed("limit-other", "process-info-setcontrol {0}"),
	deed("renice-other", "system-sched {0}"),
	linuxOnly("pin-other", "macOS has no affinity of another process to a processor"),
	linuxOnly("outlive", "macOS has no parent-death signal; the watchdog is another process, out of reach of signals"),

	deed("chroot", "file-chroot {0}"),
	deed("sethostname", "sysctl-write kern.hostname"),
	linuxOnly("unshare", "macOS has no namespaces"),
	deed("mount", "file-mount {0}"),
	deed("umount", "file-unmount {0}"),
	deed("keyring", "mach-lookup com.apple.SecurityServer"),

	linuxOnly("memfd", noMemoryCap), linuxOnly("map", noMemoryCap), linuxOnly("map-zero", noMemoryCap),
	linuxOnly("rlimit", noMemoryCap), linuxOnly("raise-limit", noMemoryCap),

	linuxOnly("fds", worldSeen), linuxOnly("environ", worldSeen), linuxOnly("ids", worldSeen), linuxOnly("cwd", worldSeen),
	linuxOnly("nonblocking", worldSeen), linuxOnly("exit", worldSeen), linuxOnly("die", worldSeen),
	linuxOnly("caps", "macOS has no capabilities"), linuxOnly("bounding", "macOS has no capabilities"),
	linuxOnly("leave-orphan", "what outlives its parent is ended by group and descent (killTree, the watchdog), not by the profile"),

	macOnly("it is stat there, which other attempts do", "exists", "file-test-existence {0}"),
	macOnly(noSuchThing, "apple-event", "appleevent-send"),
	macOnly(noSuchThing, "mach-service", "mach-lookup {0}"),
	macOnly(noSuchThing, "xpc-service", "mach-lookup xpc:{0}"),
	macOnly(noSuchThing, "launch", "lsopen"),
	macOnly(noSuchThing, "job", "job-creation"),
	macOnly(noSuchThing, "preferences", "user-preference-read"),
	macOnly(noSuchThing, "set-preferences", "user-preference-write"),
	macOnly(noSuchThing, "device", "iokit-open"),
	macOnly(noSuchThing, "authorization", "authorization-right-obtain"),
	macOnly("it is /proc there, which other attempts read", "sysctl", "sysctl-read {0}"),
	macOnly("it is /proc there, which other attempts read", "process-info", "process-info-pidinfo {0}"),
	macOnly("it is /proc there, which other attempts read", "process-list", "process-info-listpids {0}"),
	macOnly("ptrace is the one way there", "task-port", "mach-task-name {0}"),
	macOnly("/dev/pts is no path that anybody grants; the child has a session without a terminal", "pty", "pseudo-tty"),
	macOnly("seccomp denies System V and POSIX objects there: TestMemoryOutsideTheDataLimitIsDenied", "shared-memory", "ipc-posix-shm-write-create {0}"),
	macOnly("mapping needs no right of its own there", "load", "file-map-executable {0}"),
	macOnly("`network` is both directions there", "listen", "network-bind {0}", "network-inbound {0}"),
	macOnly("no such call there", "fcntl-write", "system-fcntl {0}"),
	macOnly("no such call there", "clone-file", "file-read-data {0}", "file-clone {0}"),
}

// DeedOf finds a deed by its name.
func DeedOf(name string) (Deed, bool) {
	for _, d := range Deeds {
		if d.Name == name {
			return d, true
		}
	}
	return Deed{}, false
}

// Tried says whether a profile lets the deed happen.
func (d Deed) Tried(p *Profile, args []string) (bool, error) {
	for _, a := range d.Asks {
		arg := a.Arg
		for i, value := range args {
			arg = strings.ReplaceAll(arg, "{"+strconv.Itoa(i)+"}", value)
		}
		allowed, err := p.Allowed(a.Operation, arg)
		if err != nil || !allowed {
			return false, err
		}
	}
	return true, nil
}
