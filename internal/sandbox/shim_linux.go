package sandbox

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// shimName is argv[0] of a process that is the namespace shim.
	shimName = "flash-sandbox"
	// statusFD is the shim's end of the pipe to the host. The descriptors
	// below it are the plugin's.
	statusFD = 3
	// own is the number of the shim's own image, which it closes, and of what
	// it opens after that: one file at a time, beside a ruleset ownAlso.
	own     = statusFD + 1
	ownAlso = own + 1
	// atCWD is AT_FDCWD as a word.
	atCWD = 1<<32 + unix.AT_FDCWD

	// What the shim reports beside the address of a failed step.
	reportStarted = 1 // with the plugin's pid in the namespace
	reportExit    = 2 // with its wait status
)

// shimSpec is what a shim is to do.
type shimSpec struct {
	UID, GID int
	Mounts   []mount
	Domain   domainSpec
	Filter   filterSpec
	Limits   limits
	Path     string
	Argv     []string
	Env      []string
	Dir      string
	Init     bool
	Probe    bool // build everything, then exit 0 instead of executing
}

// init keeps restricted threads off the leader; see the package comment.
func init() { runtime.LockOSThread() }

// script writes down the shim's work: the first process of its user, pid and
// mount namespaces builds a root, gives up every right, and executes the
// plugin or stays as its init.
func (spec *shimSpec) script() (*script, error) {
	s := newScript()
	s.do("name the process", unix.SYS_PRCTL, unix.PR_SET_NAME, s.text(shimName))
	s.do("keep the status pipe", unix.SYS_FCNTL, statusFD, unix.F_SETFD, unix.FD_CLOEXEC)
	s.do("close what was inherited", unix.SYS_CLOSE_RANGE, statusFD+1, ^uint32(0), 0)
	// The host's thread may have died before this was set; then its end of
	// the status pipe is gone, and the first report ends the shim.
	s.do("parent-death signal", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uint32(unix.SIGKILL))
	s.mapIDs(spec.UID, spec.GID)
	s.buildRoot(spec.Mounts)
	if err := s.confine(spec); err != nil {
		return nil, err
	}
	switch {
	case spec.Probe:
		s.do("report", unix.SYS_WRITE, statusFD, s.quads(reportStarted, 1), reportSize)
		s.do("exit", unix.SYS_EXIT_GROUP, 0)
	case spec.Init:
		s.init(spec)
	default:
		s.limit(spec.Limits)
		s.do("report", unix.SYS_WRITE, statusFD, s.quads(reportStarted, 1), reportSize)
		s.execute(spec)
	}
	return s, nil
}

// mapIDs maps the user to itself. The shim writes the maps, not the host: a
// host that cannot be dumped owns no files below /proc to write them.
func (s *script) mapIDs(uid, gid int) {
	for _, f := range []struct{ path, text string }{
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/gid_map", fmt.Sprintf("%d %d 1", gid, gid)},
		{"/proc/self/uid_map", fmt.Sprintf("%d %d 1", uid, uid)},
	} {
		s.do("user namespace: open "+f.path, unix.SYS_OPENAT, atCWD, s.text(f.path), unix.O_WRONLY)
		s.do("user namespace: write "+f.path, unix.SYS_WRITE, own, s.text(f.text), uint32(len(f.text)))
		s.do("user namespace: close "+f.path, unix.SYS_CLOSE, own)
	}
}

// confine drops what the shim still has. Landlock comes after the last mount,
// which it forbids; seccomp last.
func (s *script) confine(spec *shimSpec) error {
	s.do("capabilities: clear ambient", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	for c := range capabilities() {
		s.do("capabilities: drop from the bounding set", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, uint32(c), 0, 0, 0)
	}
	version := s.quads(unix.LINUX_CAPABILITY_VERSION_3) // and pid 0, the caller
	s.do("capabilities: drop", unix.SYS_CAPSET, version, s.quads(0, 0, 0))
	s.do("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	s.landlock(spec.Domain)
	return s.filter(spec.Filter)
}

func (s *script) filter(f filterSpec) error {
	b := f.build()
	raw, err := b.bytes()
	if err != nil {
		return err
	}
	program := s.quads(uint64(len(b.ins)), uint64(s.put(raw)))
	s.do("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, program)
	return nil
}

func (s *script) limit(l limits) {
	for _, set := range l {
		s.do("resource limit", unix.SYS_PRLIMIT64, 0, uint32(set.Resource), s.quads(set.Cur, set.Max), 0)
	}
}

// stepExecute is the name of the step that becomes the plugin.
const stepExecute = "execute"

func (s *script) execute(spec *shimSpec) {
	s.do("working directory "+spec.Dir, unix.SYS_CHDIR, s.text(spec.Dir))
	s.do(stepExecute, unix.SYS_EXECVE, s.text(spec.Path), s.texts(spec.Argv), s.texts(spec.Env))
}

// init starts the plugin and stays as pid 1: it reaps orphans, passes SIGTERM
// on (the kernel drops it for a pid 1 that does not want it) and ends with
// the plugin, upon which the kernel ends the rest of the namespace.
func (s *script) init(spec *shimSpec) {
	signals := s.quads(1<<(unix.SIGCHLD-1) | 1<<(unix.SIGTERM-1))
	zero, term, plugin := s.word(0), s.word(int32(unix.SIGTERM)), s.word(0)
	started, exit := s.quads(reportStarted, 0), s.quads(reportExit, 0)

	// The plugin is in the same Landlock domain and could read its memory.
	s.do("make the init non-dumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	s.do("block signals", unix.SYS_RT_SIGPROCMASK, uint32(unix.SIG_BLOCK), signals, 0, 8)
	fork := s.do("fork", unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK|uint32(unix.SIGCHLD), 0, 0, 0, 0)
	s.steps[fork].store, s.steps[fork].equal = plugin, zero

	s.steps[s.load("the plugin's pid", plugin)].store = started + 8
	passOn := s.load("the plugin's pid", plugin)
	// The streams belong to the plugin alone: their end must be its end.
	s.do("close the streams", unix.SYS_CLOSE_RANGE, 0, statusFD-1, 0)
	s.do("report", unix.SYS_WRITE, statusFD, started, reportSize)

	wait := s.do("wait for a signal", unix.SYS_RT_SIGTIMEDWAIT, signals, 0, 0, 8)
	reap := s.do("reap", unix.SYS_WAIT4, ^uint32(0), exit+8, unix.WNOHANG, 0)
	got := s.word(0)
	s.steps[reap].store, s.steps[reap].equal, s.steps[reap].then = got, zero, s.at(wait)
	who := s.load("who ended", got)
	s.steps[who].equal, s.steps[who].next = plugin, s.at(reap)
	s.steps[who].then = s.at(len(s.steps))
	s.try("report the exit", unix.SYS_WRITE, []uint32{statusFD, exit, reportSize})
	s.do("exit", unix.SYS_EXIT_GROUP, 0)

	kill := s.do("pass SIGTERM on", unix.SYS_KILL, 0, uint32(unix.SIGTERM))
	s.steps[passOn].store = s.at(kill) + 4 // its first argument
	s.steps[kill].next, s.steps[kill].onError = s.at(wait), s.at(wait)
	s.steps[wait].equal, s.steps[wait].then = term, s.at(kill)
	s.steps[wait].onError = s.at(wait) // interrupted

	s.steps[fork].then = s.at(len(s.steps))
	s.do("unblock signals", unix.SYS_RT_SIGPROCMASK, uint32(unix.SIG_SETMASK), s.quads(0), 0, 8)
	s.do("new session", unix.SYS_SETSID)
	s.do("parent-death signal", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uint32(unix.SIGKILL))
	s.limit(spec.Limits)
	s.execute(spec)
}

// explainStep gives a failed step its name.
func (s *script) explainStep(address, result uint64) error {
	errno := syscall.Errno(-int64(result))
	name, ok := s.name(address)
	switch {
	case !ok:
		return fmt.Errorf("it reported %#x, %d", address, int64(result))
	case name == stepExecute:
		return explainExec(errno)
	}
	return fmt.Errorf("%s: %w", name, errno)
}
