package broker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/protocol"
)

// proc_info(2), which libproc wraps: the call and the flavours used here.
const (
	callPIDInfo  = 2
	flavorTask   = 4  // struct proc_taskinfo
	flavorPath   = 11 // path of the executable
	taskInfoSize = 96
	pathInfoSize = 4096
)

type procTable struct{}

// SystemProcesses is this machine's process table.
func SystemProcesses() Processes { return procTable{} }

// procInfo fills buf and returns how much of it; of a path it returns 0 and no
// error. Its wrapper in libSystem takes cgo, which this build may be without.
func procInfo(pid, flavor int, buf []byte) (n int, ok bool) {
	//lint:ignore SA1019 see above
	r, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, callPIDInfo, uintptr(pid), uintptr(flavor), 0, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	return int(r), errno == 0
}

// task reads the resident bytes and the CPU time, in units of the timebase.
func task(pid int) (rss int64, used uint64) {
	buf := make([]byte, taskInfoSize)
	if n, ok := procInfo(pid, flavorTask, buf); !ok || n < taskInfoSize {
		return 0, 0
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(buf[i:]) }
	return int64(at(8)), at(16) + at(24)
}

// timebase is how many of those units a second has: nanoseconds on Intel,
// ticks of a slower clock on Apple's own processors.
func timebase() float64 {
	if hz, err := unix.SysctlUint64("hw.tbfrequency"); err == nil && hz > 0 {
		return float64(hz)
	}
	return 1e9
}

func startTime(k *unix.KinfoProc) int64 {
	return k.Proc.P_starttime.Sec*1e6 + int64(k.Proc.P_starttime.Usec)
}

func (procTable) Parent(pid int) int {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(k.Eproc.Ppid)
}

func (procTable) Table(ctx context.Context, window time.Duration) ([]protocol.Process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, refusal("the process table cannot be read")
	}
	began := time.Now()
	out := make([]protocol.Process, 0, len(list))
	used := make([]uint64, 0, len(list))
	for i := range list {
		k := &list[i]
		pid := int(k.Proc.P_pid)
		if pid < 1 {
			continue
		}
		name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
		rss, ticks := task(pid)
		p := protocol.Process{PID: pid, PPID: int(k.Eproc.Ppid), UID: int(k.Eproc.Pcred.P_ruid), Name: strings.ToValidUTF8(string(name), "�"), RSS: rss, StartTime: startTime(k)}
		buf := make([]byte, pathInfoSize)
		if _, ok := procInfo(pid, flavorPath, buf); ok && buf[0] == '/' {
			path, _, _ := bytes.Cut(buf, []byte{0})
			p.Path = strings.ToValidUTF8(string(path), "�")
			if base := filepath.Base(p.Path); strings.HasPrefix(base, p.Name) {
				p.Name = base
			}
		}
		out = append(out, p)
		used = append(used, ticks)
	}
	if window > 0 {
		timer := time.NewTimer(window)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		units := time.Since(began).Seconds() * timebase()
		for i := range out {
			if _, now := task(out[i].PID); now > used[i] {
				out[i].CPU = float64(now-used[i]) / units * 100
			}
		}
	}
	sortByPID(out)
	return out, nil
}

// Terminate checks right before the kill: macOS has no descriptor of a process
// that a signal can be sent through.
func (procTable) Terminate(_ context.Context, pid int, start int64, allow func(start int64) error) error {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return errNoProcess
	}
	if start != 0 && startTime(k) != start {
		return errOtherProcess
	}
	if err := allow(startTime(k)); err != nil {
		return err
	}
	err = unix.Kill(pid, unix.SIGTERM)
	switch {
	case errors.Is(err, unix.ESRCH):
		return errNoProcess
	case errors.Is(err, unix.EPERM):
		return errNotPermitted
	}
	return err
}
