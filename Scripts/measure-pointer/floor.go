//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The floor is what the kernel charges a process that does nothing with its
// input but read it, in the same minute on the same machine: woken by each
// message, or by the clock for a batch of them. The worker cannot be cheaper.

// floorEnv makes this program be such a process; its value is the length of a
// batch in nanoseconds, 0 for none.
const floorEnv = "MEASURE_POINTER_FLOOR"

// messageSize is that of a movement as the X server sends it, twice: as the
// position and as the device's own report.
const messageSize = 136 + 92

// beFloor reads file 3 to its end on a thread of its own and prints what that
// thread was charged.
func beFloor(batch string) {
	runtime.LockOSThread()
	ns, _ := strconv.ParseInt(batch, 10, 64)
	pause := unix.NsecToTimespec(ns)
	buf := make([]byte, 16<<10)
	before := ownTime()
	for wakes := 0; ; wakes++ {
		if ns > 0 && wakes > 0 {
			_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
		}
		n, _, errno := unix.RawSyscall(unix.SYS_READ, 3, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 || n == 0 {
			fmt.Println((ownTime() - before).Nanoseconds(), wakes)
			return
		}
	}
}

// ownTime is the processor time of the calling thread.
func ownTime() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", unix.Gettid()))
	check(err)
	ns, err := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
	check(err)
	return time.Duration(ns)
}

// floor sends n messages at the rate to such a process.
func floor(n int, batch time.Duration) (perMove time.Duration, wakes int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	here, there := os.NewFile(uintptr(pair[0]), "here"), os.NewFile(uintptr(pair[1]), "there")
	exe, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(exe)
	// Without the signals by which the runtime asks a busy thread to yield.
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", floorEnv, batch.Nanoseconds()), "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{there}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	there.Close()
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	message := make([]byte, messageSize)
	for range n {
		<-tick.C
		if _, err := here.Write(message); err != nil {
			return 0, 0, err
		}
	}
	here.Close()
	if err := cmd.Wait(); err != nil {
		return 0, 0, err
	}
	var ns int64
	if _, err := fmt.Sscan(out.String(), &ns, &wakes); err != nil {
		return 0, 0, fmt.Errorf("the floor says %q", out.String())
	}
	return time.Duration(ns / int64(n)), wakes, nil
}
