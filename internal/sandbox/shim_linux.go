package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// shimName is argv[0] of a process that is the namespace shim.
	shimName = "flash-sandbox-shim"
	// The shim's own descriptors, closed before the plugin runs.
	shimSpecFD   = 3
	shimStatusFD = 4
	// shimFailed is the exit status of a shim that could not start its
	// plugin; the reason went over the status pipe.
	shimFailed = 125
)

// shimSpec is what the host tells the shim.
type shimSpec struct {
	UID, GID int
	Mounts   []mount
	Domain   domainSpec
	Filter   filterSpec
	Limits   limits
	Memory   limits // an init sets them, otherwise the host
	Path     string
	Argv     []string
	Env      []string
	Dir      string
	Init     bool
	Probe    bool // build everything, then exit 0 instead of executing
}

// init makes any binary that links this package its own shim and keeps
// restricted threads off the leader; see the package comment.
func init() {
	runtime.LockOSThread()
	if len(os.Args) == 1 && os.Args[0] == shimName {
		shimMain()
	}
}

// shimMain is the shim: the first process of its user, pid and mount
// namespaces, on the main thread, before anything else of the binary has run.
func shimMain() {
	unix.CloseOnExec(shimSpecFD)
	unix.CloseOnExec(shimStatusFD)
	status := os.NewFile(shimStatusFD, "status")
	err := runShim(status)
	fmt.Fprintf(status, "error %v\n", err)
	os.Exit(shimFailed)
}

func runShim(status io.Writer) error {
	var spec shimSpec
	in := os.NewFile(shimSpecFD, "spec")
	if err := json.NewDecoder(in).Decode(&spec); err != nil {
		return fmt.Errorf("read the start order: %w", err)
	}
	in.Close()
	// The host's thread may have died before this was set; then its end of
	// the status pipe is gone, and the first write ends the shim.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent-death signal: %w", err)
	}
	if err := mapIDs(spec.UID, spec.GID); err != nil {
		return err
	}
	if _, err := buildRoot(spec.Mounts); err != nil {
		return err
	}
	if err := spec.Limits.applyTo(0); err != nil {
		return err
	}
	if err := confineShim(&spec); err != nil {
		return err
	}
	if spec.Probe {
		fmt.Fprintln(status, "started 1")
		os.Exit(0)
	}
	if err := unix.Chdir(spec.Dir); err != nil {
		return fmt.Errorf("working directory %q: %w", spec.Dir, err)
	}
	if spec.Init {
		return runInit(&spec, status)
	}
	if _, err := fmt.Fprintln(status, "started 1"); err != nil {
		return err
	}
	return explainExec(syscall.Exec(spec.Path, spec.Argv, spec.Env))
}

// mapIDs maps the user to itself. The shim writes the maps, not the host: a
// host that cannot be dumped owns no files below /proc to write them.
func mapIDs(uid, gid int) error {
	for _, f := range []struct{ path, text string }{
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/gid_map", fmt.Sprintf("%d %d 1", gid, gid)},
		{"/proc/self/uid_map", fmt.Sprintf("%d %d 1", uid, uid)},
	} {
		if err := os.WriteFile(f.path, []byte(f.text), 0); err != nil {
			return fmt.Errorf("user namespace: %w", err)
		}
	}
	return nil
}

// confineShim drops what the shim still has. Landlock comes after the last
// mount, which it forbids; seccomp last.
func confineShim(spec *shimSpec) error {
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := noNewPrivileges(); err != nil {
		return err
	}
	ruleset, err := spec.Domain.ruleset()
	if err != nil {
		return err
	}
	if err := restrictThread(ruleset); err != nil {
		return err
	}
	unix.Close(ruleset)
	return spec.Filter.build().install()
}

// runInit starts the plugin and stays as pid 1: it reaps orphans, passes
// SIGTERM on (the kernel drops it for a pid 1 without a handler) and ends
// with the plugin, upon which the kernel ends the rest of the namespace.
func runInit(spec *shimSpec, status io.Writer) error {
	// The plugin is in the same Landlock domain and could read its memory.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the init non-dumpable: %w", err)
	}
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	pid, err := syscall.ForkExec(spec.Path, spec.Argv, &syscall.ProcAttr{
		Env: spec.Env, Dir: spec.Dir, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return explainExec(err)
	}
	if err := spec.Memory.applyBelow(pid); err != nil {
		return err
	}
	// The streams belong to the plugin alone: their end must be its end.
	for fd := range 3 {
		unix.Close(fd)
	}
	if _, err := io.WriteString(status, "started "+strconv.Itoa(pid)+"\n"); err != nil {
		return err
	}
	go func() {
		for range terms {
			syscall.Kill(pid, syscall.SIGTERM)
		}
	}()
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == syscall.EINTR || err == nil && got != pid {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		exit := exitOf(ws)
		fmt.Fprintf(status, "exit %d %d\n", exit.Code, int(exit.Signal))
		os.Exit(max(exit.Code, 0))
	}
}
