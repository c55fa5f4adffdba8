package seatbelttest

import (
	"slices"
	"strings"
)

// Feature is one thing that a profile may grant.
type Feature string

const (
	ReadHome     Feature = "sandbox.read of the whole home"
	ReadDocs     Feature = "sandbox.read of ~/docs"
	ReadSecret   Feature = "sandbox.read of one file among the secrets"
	WriteHome    Feature = "write of the whole home in the config"
	WriteOutside Feature = "write of one directory in the config"
	Exec         Feature = "sandbox.exec of one program"
	Subprocess   Feature = "capability subprocess"
	Sockets      Feature = "sandbox.unix_sockets of a socket and of a directory"
	SocketRun    Feature = "sandbox.unix_sockets of the directory that holds the control socket"
	Network      Feature = "capability network"
	Signal       Feature = "sandbox.signal"
	AppleEvents  Feature = "sandbox.appleevents"
	Mach         Feature = "sandbox.mach of one service"
)

// Features lists them all.
var Features = []Feature{
	ReadHome, ReadDocs, ReadSecret, WriteHome, WriteOutside, Exec, Subprocess, Sockets, SocketRun, Network, Signal, AppleEvents, Mach,
}

// Service is what the feature Mach names.
const Service = "com.example.service"

// Grant is what a manifest and a configuration say to have a feature.
type Grant struct {
	Read, Write, Exec, Sockets, Capabilities, Mach []string
	Signal, AppleEvents                            bool
}

// GrantOf is the feature in the places of a machine.
func GrantOf(f Feature, at Places) Grant {
	switch f {
	case ReadHome:
		return Grant{Read: []string{at.In("{home}")}}
	case ReadDocs:
		return Grant{Read: []string{at.In("{home}/docs")}}
	case ReadSecret:
		return Grant{Read: []string{at.In("{home}/.ssh/config")}}
	case WriteHome:
		return Grant{Write: []string{at.In("{home}")}}
	case WriteOutside:
		return Grant{Write: []string{at.In("{outside}")}}
	case Exec:
		return Grant{Exec: []string{at.In("{program}")}}
	case Subprocess:
		return Grant{Capabilities: []string{"subprocess"}}
	case Sockets:
		return Grant{Sockets: []string{at.In("{granted}"), at.In("{sockets}")}}
	case SocketRun:
		return Grant{Sockets: []string{at.In("{run}")}}
	case Network:
		return Grant{Capabilities: []string{"network"}}
	case Signal:
		return Grant{Signal: true}
	case AppleEvents:
		return Grant{AppleEvents: true}
	case Mach:
		return Grant{Mach: []string{Service}}
	}
	panic("unknown feature " + string(f))
}

// Places are the names in braces on one machine.
type Places map[string]string

// In puts the places into a text.
func (at Places) In(text string) string {
	for name, value := range at {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// Attempt is one row of the policy: what is tried, and what opens it.
type Attempt struct {
	Deed string
	Args []string // with places in braces
	// Always says that every plugin may; By what opens it otherwise, any one of
	// them. Neither: nothing does.
	Always bool
	By     []Feature
	// NotOnLinux and NotOnDarwin say why the row is not held there.
	NotOnLinux, NotOnDarwin string
}

// String is the attempt in words.
func (a Attempt) String() string { return a.Deed + " " + strings.Join(a.Args, " ") }

// Opened says whether a profile with the features opens it.
func (a Attempt) Opened(features []Feature) bool {
	return a.Always || slices.ContainsFunc(a.By, func(f Feature) bool { return slices.Contains(features, f) })
}

func always(deed string, args ...string) Attempt {
	return Attempt{Deed: deed, Args: args, Always: true}
}

func never(deed string, args ...string) Attempt { return Attempt{Deed: deed, Args: args} }

func (a Attempt) by(features ...Feature) Attempt {
	a.By = features
	return a
}

func (a Attempt) notLinux(reason string) Attempt {
	a.NotOnLinux = reason
	return a
}

func (a Attempt) notDarwin(reason string) Attempt {
	a.NotOnDarwin = reason
	return a
}

const (
	carvedThere  = "a grant that holds a secret is carved there: what is made in its top later stays closed"
	seenOnThread = "a plugin on a thread may look at any path: TestStatShowsThatAFileExistsOnlyOnAThread"
	metadataWays = "on a thread modes are denied everywhere: TestMetadataOfOtherFilesCannotBeChanged"
	macPath      = "the path is one of macOS"
	noProc       = "there is no /proc; sysctl and process-info are tried instead"
)

// Attempts is the policy, row by row. The suite on a Linux kernel does each in
// this order, in one child for each set of features; the evaluator asks each of
// the profile for macOS.
var Attempts = []Attempt{
	// The plugin's own.
	always("read", "{root}/manifest.json"),
	always("list", "{root}"),
	always("read", "{data}/storage.json"),
	always("append", "{data}/storage.json"),
	always("create", "{data}/new"),
	always("mkdir", "{data}/dir"),
	always("rename", "{data}/new", "{data}/dir/moved"),
	always("remove", "{data}/dir/moved"),
	always("symlink", "{outside}", "{data}/out"),
	always("truncate", "{data}/storage.json"),
	always("open-truncate", "{data}/storage.json").notLinux("the hand opens it for reading alone, which below ABI 3 is refused"),
	always("link", "{data}/storage.json", "{data}/linked").notDarwin("no profile allows file-link: what may be linked there is not known without a Mac"),
	always("load", "{root}/lib.dylib"),
	always("append", "{null}"),
	always("read", "{passwd}"),
	always("list", "/").notLinux("no grant shows it"),
	never("create", "{root}/new"),
	never("append", "{root}/manifest.json"),
	never("remove", "{root}/manifest.json"),
	never("rename", "{root}", "{data}/root"),
	never("load", "{data}/lib.dylib"),
	never("exec-self-away", "{data}/storage.json"),

	// Files of the user.
	never("read", "{home}/docs/note.txt").by(ReadHome, ReadDocs, WriteHome),
	never("list", "{home}/docs").by(ReadHome, ReadDocs, WriteHome),
	never("open-read", "{home}/.bashrc").by(ReadHome, WriteHome),
	never("list", "{home}").by(ReadHome, WriteHome),
	never("read", "{outside}/file").by(WriteOutside),
	never("list", "{outside}").by(WriteOutside),
	never("append", "{home}/.bashrc").by(WriteHome),
	never("open-write", "{home}/docs/note.txt").by(WriteHome),
	never("truncate", "{home}/docs/note.txt").by(WriteHome),
	never("open-truncate", "{home}/docs/note.txt").by(WriteHome),
	never("create", "{home}/docs/new").by(WriteHome),
	never("create", "{home}/new").by(WriteHome).notLinux(carvedThere),
	never("rename", "{home}/papers", "{home}/letters").by(WriteHome).notLinux(carvedThere),
	never("create", "{outside}/new").by(WriteOutside),
	never("create", "{data}/out/through-a-link").by(WriteOutside),
	never("create", "{data}/../beside"),
	never("rename", "{data}/storage.json", "{outside}/storage.json").by(WriteOutside).notLinux("it would be gone for the rows that follow"),
	never("rename", "{outside}/file", "{data}/file").by(WriteOutside).notLinux("it would be gone for the rows that follow"),
	always("stat", "{home}/docs/note.txt").notLinux(seenOnThread),
	always("stat", "{outside}/file").notLinux(seenOnThread),
	always("exists", "{home}/docs/note.txt"),

	// What must keep its place: the next policy resolves it.
	never("rename", "{data}", "{data}/../taken"),
	never("remove", "{data}"),
	never("rename", "{outside}", "{data}/outside"),
	never("remove", "{outside}"),
	never("rename", "{home}/.config", "{home}/moved"),
	never("rename", "{home}/.config", "{data}/config"),
	never("rename", "{home}/.ssh", "{home}/docs/ssh"),
	never("rename", "{run}", "{home}/docs/run"),
	never("remove", "{control}"),

	// Secrets, under every grant.
	never("read", "{home}/.ssh/id_ed25519"),
	never("read", "{home}/.ssh/config").by(ReadSecret),
	never("read", "{home}/.config/gh/hosts.yml"),
	never("read", "{history}"),
	never("list", "{home}/.ssh"),
	never("read", "{systemsecret}"),
	never("append", "{home}/.ssh/config"),
	never("create", "{home}/.ssh/authorized_keys"),
	never("create", "{home}/.aws/credentials"),
	never("remove", "{home}/.ssh/id_ed25519"),
	never("link", "{home}/.ssh/id_ed25519", "{data}/key"),
	never("rename", "{home}/.ssh/id_ed25519", "{data}/key"),
	never("clone-file", "{home}/.ssh/id_ed25519", "{data}/key"),
	never("stat", "{home}/.ssh/id_ed25519").notLinux(seenOnThread),
	never("exists", "{home}/.ssh/id_ed25519"),
	never("read", "{keychain}").notLinux(macPath),
	never("read", "{browser}").notLinux(macPath),
	never("read", "/opt/homebrew/var/postgresql@17/PG_VERSION").notLinux(macPath),
	never("read", "/opt/homebrew/etc/redis.conf").notLinux(macPath),
	always("load", "/opt/homebrew/lib/libssl.dylib").notLinux(macPath),

	// Other plugins and the host.
	never("read", "{otherdata}/secret"),
	never("append", "{otherdata}/secret"),
	never("create", "{otherdata}/new"),
	never("list", "{otherdata}"),
	never("list", "{data}/.."),
	never("read", "{state}"),
	never("append", "{state}"),
	never("read", "/proc/{host}/environ").notDarwin(noProc),
	never("read", "/proc/{host}/mem").notDarwin(noProc),

	// Modes, owners, times.
	never("chmod", "{home}/.ssh/id_ed25519"),
	never("chmod", "{root}/manifest.json"),
	never("fchmod", "{root}/manifest.json"),
	never("chown", "{root}/manifest.json"),
	never("utimes", "{root}/manifest.json"),
	never("setxattr", "{root}/manifest.json"),
	never("chmod", "{outside}/file").by(WriteOutside).notLinux(metadataWays),
	never("fcntl-write", "80"),
	never("fcntl-write", "110"),
	always("fcntl-write", "50"),

	// The network and sockets.
	never("tcp", "{tcp}").by(Network),
	never("udp", "{udp}").by(Network),
	never("tcp", "[2001:db8::1]:443").by(Network).notLinux("nothing answers there"),
	never("listen", "127.0.0.1:8080"),
	never("netlink", "0").by(Network),
	never("socket", "40"),
	never("unix", "{granted}").by(Sockets),
	never("unix", "{sockets}/a").by(Sockets),
	never("list", "{sockets}").by(Sockets, ReadHome, WriteHome),
	never("unix", "{run}/free.sock").by(SocketRun),
	never("unix", "{control}"),
	never("dgram-pair", "{control}"),
	never("unix", "{home}/.ssh/agent.sock"),
	never("unix", "{outside}/docker.sock"),
	never("dgram-pair", "{outside}/docker.sock"),
	never("unix", "/private/var/run/mDNSResponder").by(Network).notLinux(macPath),
	never("unix", "/private/var/run/usbmuxd").notLinux(macPath),

	// Processes.
	never("clone", "17").by(Exec, Subprocess),
	never("exec", "{program}").by(Exec),
	never("exec", "{otherprogram}"),
	never("exec-self-away", "{shell}"),
	always("signal", "{self}"),
	never("signal", "{host}").by(Signal),
	never("signal", "{other}").by(Signal),
	never("ptrace", "{other}"),
	never("ptrace", "{host}"),
	never("peek", "{host}"),
	never("limit-other", "{other}"),
	never("renice-other", "{other}"),
	never("pin-other", "{other}"),
	never("task-port", "others"),
	always("process-info", "self"),
	never("process-info", "others"),
	never("process-list", "others"),
	always("sysctl", "hw.ncpu"),
	always("sysctl", "kern.osproductversion"),
	always("sysctl", "vm.swapusage"),
	never("sysctl", "kern.procargs2"),
	never("sysctl", "kern.procargs2.1"),
	never("sysctl", "kern.proc.all"),
	never("sysctl", "kern.proc.pid.1"),
	never("sysctl", "net.routetable.0.0.3.0").by(Network),
	never("sysctl", "net.inet.tcp.pcblist_n"),

	// The system.
	never("chroot", "{data}"),
	never("sethostname"),
	never("unshare"),
	never("mount", "{data}"),
	never("umount", "{root}"),
	never("keyring"),
	never("apple-event").by(AppleEvents),
	always("mach-service", "com.apple.system.logger"),
	never("mach-service", Service).by(Mach),
	never("mach-service", "com.apple.trustd").by(Network),
	never("mach-service", "com.apple.coreservices.launchservicesd").by(AppleEvents),
	never("mach-service", "com.apple.pasteboard.1"),
	never("mach-service", "com.apple.tccd"),
	never("mach-service", "com.apple.windowserver.active"),
	never("mach-service", "com.apple.FSEvents"),
	never("mach-service", "com.apple.securityd.xpc"),
	never("xpc-service", "com.apple.anything"),
	never("launch"),
	never("job"),
	never("preferences"),
	never("set-preferences"),
	never("device"),
	never("authorization"),
	never("shared-memory", "com.example.memory"),
	never("pty"),
	never("open-read", "/dev/tty").notLinux("the child's session has none: ENXIO"),
	never("open-write", "/dev/ptmx").notLinux("there it is /dev/pts, which no grant shows"),
}
