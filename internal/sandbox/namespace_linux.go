package sandbox

import (
	"context"
	"encoding/binary"
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
			ABI: min(s.LandlockABI, abiKnown), Rules: needed(rules),
			Network: policy.Network, Signals: pl.signals, Abstract: pl.abstract,
		},
		Filter: filterSpec{
			Network: policy.Network, Unix: len(policy.UnixSockets) > 0, Fork: pl.init,
			Metadata: pl.metadata, Truncate: pl.truncate, KeepDie: !pl.init,
		},
		Limits: append(limitsOf(policy, true), memoryOf(policy)...),
		Path:   cmd.Argv[0], Argv: cmd.Argv, Env: cmd.Env, Dir: cmd.Dir, Init: pl.init,
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
	var err error
	if spec.Limits, err = spec.Limits.within(); err != nil {
		return err
	}
	script, err := spec.script()
	if err != nil {
		return err
	}
	image, err := script.image()
	if err != nil {
		return err
	}
	defer unix.Close(image)
	statusR, statusW, err := pipe()
	if err != nil {
		return err
	}
	file, err := pollable(statusR, "shim status")
	if err != nil {
		unix.Close(statusR)
		unix.Close(statusW)
		return err
	}
	status := &shimStatus{file: file, script: script, read: make(chan struct{})}
	err = spawn(p, forkSpec{
		// By the number it gets in the child: there the fork overwrites others.
		path: fmt.Sprintf("/proc/self/fd/%d", own), argv: []string{shimName},
		dir: "/", files: append(std.files(), uintptr(statusW), uintptr(image)),
		// The runtime forks with shared memory only without CLONE_NEWUSER,
		// because its parent writes the id maps. Here the shim does, and a
		// big host need not be copied.
		flags:   flags | unix.CLONE_VM | unix.CLONE_VFORK,
		ambient: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE},
		report:  status.exit,
	})
	unix.Close(statusW)
	if err != nil {
		status.file.Close()
		return err
	}
	deadline := time.Now().Add(shimTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	status.file.SetReadDeadline(deadline)
	pid, err := status.started(spec.Init || spec.Probe)
	status.file.SetReadDeadline(time.Time{})
	status.script = nil // an init stays for the plugin's life
	close(status.read)
	if err != nil {
		p.Kill()
		p.Wait()
		return err
	}
	if spec.Init {
		p.pid = hostPID(p.leader, pid)
	}
	p.timings.Sandbox = time.Since(began) - p.timings.Spawn
	return nil
}

// shimStatus reads what the shim reports.
type shimStatus struct {
	file   *os.File
	script *script       // explains a failed step
	read   chan struct{} // closed when the starter has read its part
}

func (s *shimStatus) next() (kind, value uint64, err error) {
	var report [reportSize]byte
	if _, err := io.ReadFull(s.file, report[:]); err != nil {
		return 0, 0, err
	}
	return binary.NativeEndian.Uint64(report[:8]), binary.NativeEndian.Uint64(report[8:]), nil
}

// started waits for the plugin to run. Without an init the shim becomes the
// plugin: success is the pipe closing on exec, failure one more report.
func (s *shimStatus) started(stays bool) (pid int, err error) {
	kind, value, err := s.next()
	if err != nil {
		return 0, fmt.Errorf("the namespace shim ended without a word: %w", err)
	}
	if kind != reportStarted {
		return 0, fmt.Errorf("namespace shim: %w", s.script.explainStep(kind, value))
	}
	if stays {
		return int(value), nil
	}
	kind, failed, err := s.next()
	if errors.Is(err, io.EOF) {
		return int(value), nil
	}
	if err != nil {
		return 0, fmt.Errorf("the namespace shim did not execute in time: %w", err)
	}
	return 0, fmt.Errorf("namespace shim: %w", s.script.explainStep(kind, failed))
}

// exit reads an init's last word. The init is gone, so the pipe ends.
func (s *shimStatus) exit() (Exit, bool) {
	<-s.read
	defer s.file.Close()
	kind, value, err := s.next()
	if err != nil || kind != reportExit {
		return Exit{}, false
	}
	return exitOf(syscall.WaitStatus(value)), true
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
