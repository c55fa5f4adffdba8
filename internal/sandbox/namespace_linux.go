package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shimTimeout bounds how long a shim may build its namespaces. A start takes
// about 5 ms; a machine under load or swapping gets a second's worth of
// hundreds.
const shimTimeout = 10 * time.Second

// startNamespace starts a child through the shim.
func startNamespace(ctx context.Context, p *Process, cmd Command, pl plan, s Support, std *stdio) error {
	policy := cmd.Policy
	var sockets []string
	if len(policy.UnixSockets) > 0 {
		sockets = boundSockets()
	}
	rules := policy.carve(policy.grants(), pl.mask, readDir)
	// The namespace's own /proc shows its own processes only.
	rules = append(rules, rule{"/proc", rightsRead})
	for _, dir := range policy.SocketDirs {
		rules = append(rules, rule{dir, rightList})
	}
	spec := shimSpec{
		UID: os.Geteuid(), GID: os.Getegid(),
		Mounts: policy.mounts(topLevel(), sockets),
		Domain: domainSpec{
			ABI: min(s.LandlockABI, abiKnown), Rules: rules,
			Network: policy.Network, Signals: pl.signals, Abstract: pl.abstract,
		},
		Filter: filterSpec{
			Network: policy.Network, Unix: len(policy.UnixSockets) > 0, Fork: pl.init,
			Metadata: pl.metadata, Truncate: pl.truncate, KeepDie: !pl.init,
		},
		Limits: limitsOf(policy, true), Memory: memoryOf(policy),
		Path: cmd.Argv[0], Argv: cmd.Argv, Env: cmd.Env, Dir: cmd.Dir, Init: pl.init,
	}
	p.description = fmt.Sprintf("landlock %d, seccomp, namespaces", spec.Domain.ABI)
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS)
	if pl.netns {
		flags |= unix.CLONE_NEWNET
	}
	return runInShim(ctx, p, spec, flags, std)
}

// boundSockets lists the path sockets that somebody listens on now.
func boundSockets() []string {
	raw, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var list []string
	for line := range strings.Lines(string(raw)) {
		// Num RefCount Protocol Flags Type St Inode Path; a path may hold spaces.
		if i := strings.Index(line, " /"); i >= 0 {
			list = append(list, resolveFar(osFiles{}, strings.TrimSuffix(line[i+1:], "\n")))
		}
	}
	return sortedUnique(list)
}

func topLevel() []string {
	var list []string
	for _, e := range readDir("/") {
		if e.Type()&os.ModeSymlink == 0 {
			list = append(list, "/"+e.Name())
		}
	}
	return list
}

func runInShim(ctx context.Context, p *Process, spec shimSpec, flags uintptr, std *stdio) error {
	began := time.Now()
	order, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	specR, specW, err := pipe()
	if err != nil {
		return err
	}
	statusR, statusW, err := pipe()
	if err != nil {
		unix.Close(specR)
		unix.Close(specW)
		return err
	}
	status := &shimStatus{read: make(chan struct{})}
	if status.file, err = pollable(statusR, "shim status"); err != nil {
		for _, fd := range []int{specR, specW, statusR, statusW} {
			unix.Close(fd)
		}
		return err
	}
	orders, err := pollable(specW, "shim order")
	if err != nil {
		status.file.Close()
		for _, fd := range []int{specR, specW, statusW} {
			unix.Close(fd)
		}
		return err
	}
	err = spawn(p, forkSpec{
		path: "/proc/self/exe", argv: []string{shimName},
		// The shim is a Go program of its own for a few milliseconds, or for
		// the child's life: small either way.
		env: []string{"GOMAXPROCS=1", "GOGC=50", "GODEBUG=madvdontneed=1"},
		dir: "/", files: append(std.files(), uintptr(specR), uintptr(statusW)),
		// The runtime forks with shared memory only without CLONE_NEWUSER,
		// because its parent writes the id maps. Here the shim does, and a
		// big host need not be copied.
		flags:   flags | unix.CLONE_VM | unix.CLONE_VFORK,
		ambient: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE},
		report:  status.exit,
	})
	unix.Close(specR)
	unix.Close(statusW)
	if err != nil {
		orders.Close()
		status.file.Close()
		return err
	}
	deadline := time.Now().Add(shimTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	orders.SetDeadline(deadline)
	status.file.SetReadDeadline(deadline)
	_, writeErr := orders.Write(order)
	orders.Close()
	pid, err := status.started(spec.Init || spec.Probe)
	status.file.SetReadDeadline(time.Time{})
	close(status.read)
	if err != nil {
		p.Kill()
		p.Wait()
		return errors.Join(err, ignorePipe(writeErr))
	}
	if spec.Init {
		p.pid = hostPID(p.leader, pid)
	} else if err := spec.Memory.applyTo(p.leader); err != nil {
		p.Kill()
		p.Wait()
		return err
	}
	p.timings.Sandbox = time.Since(began) - p.timings.Spawn
	return nil
}

// ignorePipe drops the write error of a shim that ended first: its own words
// are better.
func ignorePipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// shimStatus reads what the shim says: "started PID", "error TEXT", and from
// an init "exit CODE SIGNAL".
type shimStatus struct {
	file *os.File
	rest []byte
	read chan struct{} // closed when the starter has read its part
}

func (s *shimStatus) line() (string, error) {
	buf := make([]byte, 512)
	for {
		if line, rest, ok := bytes.Cut(s.rest, []byte("\n")); ok {
			s.rest = rest
			return string(line), nil
		}
		n, err := s.file.Read(buf)
		s.rest = append(s.rest, buf[:n]...)
		if err != nil && n == 0 {
			return "", err
		}
	}
}

// started waits for the plugin to run. Without an init the shim becomes the
// plugin: success is the pipe closing on exec, failure one more line.
func (s *shimStatus) started(stays bool) (pid int, err error) {
	line, err := s.line()
	if err != nil {
		return 0, fmt.Errorf("the namespace shim ended without a word: %w", err)
	}
	if text, ok := strings.CutPrefix(line, "error "); ok {
		return 0, fmt.Errorf("namespace shim: %s", text)
	}
	number, ok := strings.CutPrefix(line, "started ")
	if !ok {
		return 0, fmt.Errorf("the namespace shim said %q", line)
	}
	if pid, err = strconv.Atoi(number); err != nil {
		return 0, fmt.Errorf("the namespace shim said %q", line)
	}
	if stays {
		return pid, nil
	}
	line, err = s.line()
	if errors.Is(err, io.EOF) {
		return pid, nil
	}
	if err != nil {
		return 0, fmt.Errorf("the namespace shim did not execute in time: %w", err)
	}
	return 0, fmt.Errorf("namespace shim: %s", strings.TrimPrefix(line, "error "))
}

// exit reads an init's last word. The init is gone, so the pipe ends.
func (s *shimStatus) exit() (Exit, bool) {
	<-s.read
	defer s.file.Close()
	for {
		line, err := s.line()
		if err != nil {
			return Exit{}, false
		}
		var code, sig int
		if n, _ := fmt.Sscanf(line, "exit %d %d", &code, &sig); n == 2 {
			return Exit{Code: code, Signal: syscall.Signal(sig)}, true
		}
	}
}

// hostPID finds the init's child whose pid in the namespace is inner.
func hostPID(init, inner int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", init, init))
	if err != nil {
		return init
	}
	for _, field := range strings.Fields(string(raw)) {
		pid, err := strconv.Atoi(field)
		if err == nil && innerPID(pid) == inner {
			return pid
		}
	}
	return init
}

func innerPID(pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, ok := strings.Cut(string(raw), "NSpid:")
	if !ok {
		return 0
	}
	line, _, _ := strings.Cut(after, "\n")
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}
