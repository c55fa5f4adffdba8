package broker

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/protocol"
)

// clockTicks is the unit of CPU times in /proc; Linux fixed USER_HZ at 100 for
// all architectures that Go runs on.
const clockTicks = 100

// procTable reads /proc.
type procTable struct {
	root string
	page int64
}

// SystemProcesses is this machine's process table.
func SystemProcesses() Processes { return procTable{"/proc", int64(os.Getpagesize())} }

// stat is what /proc/<pid>/stat says and is used here.
type stat struct {
	name  string
	ppid  int
	ticks int64 // user and system time
	start int64 // ticks since boot
	pages int64
}

// parseStat reads the line. The name stands in parentheses and may hold
// anything, parentheses and newlines too: the last one closes it.
func parseStat(line []byte) (stat, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	f := bytes.Fields(line[end+1:])
	if len(f) < 22 {
		return stat{}, false
	}
	number := func(field int) int64 { // numbered as in proc(5), where the name is 2
		n, err := strconv.ParseInt(string(f[field-3]), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	return stat{
		name:  strings.ToValidUTF8(string(line[open+1:end]), "�"),
		ppid:  int(number(4)),
		ticks: number(14) + number(15),
		start: number(22),
		pages: number(24),
	}, true
}

// read returns the start of a file about a process. These files come in one
// read, never block and are many: os.File would register each with the poller.
func (t procTable) read(pid int, name string, buf []byte) []byte {
	fd, err := unix.Open(t.root+"/"+strconv.Itoa(pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

func (t procTable) stat(pid int) (stat, bool) {
	var buf [1024]byte
	return parseStat(t.read(pid, "stat", buf[:]))
}

func (t procTable) Parent(pid int) int {
	s, _ := t.stat(pid)
	return s.ppid
}

func (t procTable) Table(ctx context.Context, window time.Duration) ([]protocol.Process, error) {
	entries, err := os.ReadDir(t.root)
	if err != nil {
		return nil, refusal("the process table cannot be read")
	}
	began := time.Now()
	var out []protocol.Process
	var ticks []int64
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid < 1 {
			continue
		}
		s, ok := t.stat(pid)
		if !ok {
			continue // it ended while we looked
		}
		p := protocol.Process{PID: pid, PPID: s.ppid, UID: t.uid(pid), Name: s.name, RSS: s.pages * t.page, StartTime: s.start}
		if path, err := os.Readlink(t.root + "/" + e.Name() + "/exe"); err == nil {
			p.Path = strings.ToValidUTF8(strings.TrimSuffix(path, " (deleted)"), "�")
			// The kernel cuts names at 15 bytes; the file's name goes on.
			if base := filepath.Base(p.Path); strings.HasPrefix(base, s.name) {
				p.Name = base
			}
		}
		out = append(out, p)
		ticks = append(ticks, s.ticks)
	}
	if window > 0 {
		timer := time.NewTimer(window)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		seconds := time.Since(began).Seconds()
		for i := range out {
			if s, ok := t.stat(out[i].PID); ok && s.start == out[i].StartTime {
				out[i].CPU = max(0, float64(s.ticks-ticks[i])/clockTicks/seconds*100)
			}
		}
	}
	sortByPID(out)
	return out, nil
}

// uid is the user. The owner of the /proc directory says it cheaply, unless
// that is root: so the kernel also marks a process that may not be inspected.
func (t procTable) uid(pid int) int {
	var st unix.Stat_t
	if unix.Stat(t.root+"/"+strconv.Itoa(pid), &st) == nil && st.Uid != 0 {
		return int(st.Uid)
	}
	if uid, ok := t.status(pid, "\nUid:"); ok {
		return uid
	}
	return -1
}

// status reads the first number behind a key of /proc/<pid>/status.
func (t procTable) status(pid int, key string) (int, bool) {
	var buf [1024]byte
	_, after, ok := bytes.Cut(t.read(pid, "status", buf[:]), []byte(key))
	f := bytes.Fields(after)
	if !ok || len(f) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(string(f[0]))
	return n, err == nil
}

// Terminate holds the process by a descriptor: whatever happens to its pid
// from then on, the signal reaches it or nobody. A pid of a mere thread, which
// kill would take for its process, gives no descriptor.
func (t procTable) Terminate(_ context.Context, pid int, start int64, allow func(start int64) error) error {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		// Before Linux 5.3, or filtered away in a container: check, then kill.
		return t.kill(pid, start, allow, func() error { return unix.Kill(pid, unix.SIGTERM) })
	case err != nil:
		return errNoProcess
	}
	defer unix.Close(fd)
	return t.kill(pid, start, allow, func() error { return unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0) })
}

func (t procTable) kill(pid int, start int64, allow func(start int64) error, send func() error) error {
	s, ok := t.stat(pid)
	if !ok || !t.leads(pid) {
		return errNoProcess
	}
	if start != 0 && s.start != start {
		return errOtherProcess
	}
	if err := allow(s.start); err != nil {
		return err
	}
	err := send()
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, fs.ErrNotExist):
		return errNoProcess
	case errors.Is(err, unix.EPERM):
		return errNotPermitted
	}
	return err
}

// leads reports whether the id is that of a process and not of one of its
// further threads, which /proc answers for too.
func (t procTable) leads(pid int) bool {
	leader, ok := t.status(pid, "\nTgid:")
	return ok && leader == pid
}
