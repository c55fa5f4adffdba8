package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/procid"
)

func TestTheChildsWorldIsExactlyWhatWasGiven(t *testing.T) {
	// A descriptor without close-on-exec, as the host may inherit one.
	var leak [2]int
	require.NoError(t, unix.Pipe2(leak[:], 0))
	defer unix.Close(leak[0])
	defer unix.Close(leak[1])
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		require.Equal(t, "0 1 2", h.can("fds"))
		require.Empty(t, h.can("nonblocking"))
		env := w.env("hand")
		slices.Sort(env)
		require.Equal(t, strings.Join(env, "\n"), h.can("environ"))
		require.Equal(t, w.root, h.can("cwd"))
		ids := lines(h.can("ids"))
		pid, ppid, sid, pgrp := ids[0], ids[1], ids[2], ids[3]
		require.Equal(t, pid, pgrp)
		require.Equal(t, pid, sid)
		switch {
		case w.onThread():
			require.Equal(t, strconv.Itoa(os.Getpid()), ppid)
			require.Equal(t, strconv.Itoa(h.proc.PID()), pid)
		case forks(w):
			require.Equal(t, "1", ppid)
		default:
			require.Equal(t, "1", pid)
			require.Equal(t, "0", ppid)
		}
		host, err := unix.Getsid(0)
		require.NoError(t, err)
		child, err := unix.Getsid(h.proc.PID())
		require.NoError(t, err)
		require.NotEqual(t, host, child)
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", h.proc.PID()))
		require.NoError(t, err)
		require.Equal(t, filepath.Base(w.in.Argv[0]), filepath.Base(exe))
	})
}

func TestAnExitCodeAndASignalAreTold(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		io.WriteString(h.proc.Stdin(), `{"Op":"exit","Args":["3"]}`+"\n")
		require.Equal(t, Exit{Code: 3}, h.proc.Wait())
		require.Equal(t, Exit{Code: 3}, h.proc.Wait(), "asked twice")
		require.NoError(t, h.proc.Kill())
		require.NoError(t, h.proc.Terminate())

		p := w.start("segv")
		exit := p.Wait()
		if !w.onThread() && !forks(w) {
			// pid 1 of a namespace cannot raise a fatal signal on itself; the
			// kernel forces it only for real faults.
			require.NotZero(t, exit.Code)
			return
		}
		require.Equal(t, syscall.SIGKILL, exit.Signal)
	})
}

func TestTerminateAsksAndKillEnds(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		p := w.start("term")
		require.Equal(t, "ready", readLine(t, p))
		require.NoError(t, p.Terminate())
		require.Equal(t, "terminating", readLine(t, p))
		require.Equal(t, Exit{Code: 7}, p.Wait())

		p = w.start("deaf")
		require.Equal(t, "ready", readLine(t, p))
		require.NoError(t, p.Terminate())
		require.NoError(t, p.Kill())
		require.Equal(t, syscall.SIGKILL, p.Wait().Signal)
	})
}

// A grandchild in a session of its own, whose parent is gone, holding stdout.
func TestKillEndsEverythingTheChildStarted(t *testing.T) {
	for name, prepare := range map[string]func(*world){
		"in a namespace": func(w *world) {
			needNamespaces(w.t)
			w.in.Exec = []string{"sh", "setsid", "sleep"}
		},
		"without a sandbox": func(w *world) { w.in.Disabled = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			prepare(w)
			mark := "9" + strconv.Itoa(os.Getpid()) + "7"
			p, err := NewRunner().Start(context.Background(), Command{
				Argv: []string{"/bin/sh", "-c", "setsid sleep " + mark + " & setsid sh -c 'sleep " + mark + " & exit' & echo ready; read x"},
				Env:  []string{"PATH=/usr/bin:/bin", "FLASH_PLUGIN_ID=probe" + mark, "FLASH_PLUGIN_PARENT_PID=" + strconv.Itoa(os.Getpid())},
				Dir:  "/", Policy: w.shellPolicy(),
			})
			require.NoError(t, err)
			require.Equal(t, "ready", readLine(t, p))
			eventually(t, "two sleepers", func() bool { return len(running("sleep", mark)) == 2 })
			require.NoError(t, p.Kill())
			p.Wait()
			eventually(t, "nobody is left", func() bool { return len(running("sleep", mark)) == 0 })
		})
	}
}

func TestTheWaitEndsThoughAGrandchildHoldsStdout(t *testing.T) {
	for _, disabled := range []bool{false, true} {
		w := newWorld(t)
		if !disabled {
			needNamespaces(t)
		}
		w.in.Disabled = disabled
		w.in.Exec = []string{"sh", "sleep"}
		p, err := NewRunner().Start(context.Background(), Command{
			Argv: []string{"/bin/sh", "-c", "sleep 9999 & exit 0"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/", Policy: w.shellPolicy(),
		})
		require.NoError(t, err)
		require.Equal(t, Exit{}, p.Wait())
		// The grandchild went with its leader, so the stream ends too.
		require.NoError(t, p.Stdout().SetReadDeadline(time.Now().Add(5*time.Second)))
		_, err = io.ReadAll(p.Stdout())
		require.NoError(t, err)
	}
}

func TestNothingOutlivesAKilledHost(t *testing.T) {
	w := newWorld(t)
	host := w.hostRole("hang")
	pids := lines(host.says)
	require.GreaterOrEqual(t, len(pids), 2)
	if detect().Namespaces {
		require.Len(t, pids, 4)
	}
	for _, pid := range pids {
		require.True(t, alive(pid), "process %s", pid)
	}
	require.NoError(t, host.Process.Kill())
	host.Wait()
	deadline := time.Now().Add(2 * time.Second)
	for slices.ContainsFunc(pids, alive) {
		require.True(t, time.Now().Before(deadline), "still alive after 2 s: %v", pids)
		runtime.Gosched()
	}
}

func TestAnInitReapsOrphans(t *testing.T) {
	needNamespaces(t)
	w := newWorld(t)
	w.in.Exec = []string{"sh", "true"}
	p, err := NewRunner().Start(context.Background(), Command{
		Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 50 ]; do sh -c 'true & exit 0'; i=$((i+1)); done; echo ready; read x"},
		Env:  []string{"PATH=/usr/bin:/bin"}, Dir: "/", Policy: w.shellPolicy(),
	})
	require.NoError(t, err)
	require.Equal(t, "ready", readLine(t, p))
	require.NotEqual(t, p.leader, p.PID())
	eventually(t, "no zombie is left", func() bool {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.leader, p.leader))
		return err == nil && len(lines(string(raw))) == 1
	})
	require.NoError(t, p.Kill())
	p.Wait()
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.hand() // what is made once is made
		before := census(t)
		policy := w.policy()
		gone := w.root + "/gone"
		for _, cmd := range []Command{
			{Argv: []string{gone}, Policy: policy},
			{Argv: []string{"/usr/bin/id"}, Policy: policy},
			{Argv: w.in.Argv, Policy: policy, Dir: w.root + "/nowhere"},
		} {
			_, err := NewRunner().Start(context.Background(), cmd)
			require.ErrorContains(t, err, "probe")
		}
		eventually(t, "descriptors, goroutines and children are gone", func() bool { return census(t).noMoreThan(before) })
	})
}

func TestAStartWithoutAPolicyFails(t *testing.T) {
	_, err := NewRunner().Start(context.Background(), Command{Argv: []string{"/bin/true"}})
	require.ErrorContains(t, err, "policy")
}

func TestACancelledStartFails(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := NewRunner().Start(ctx, Command{Argv: w.in.Argv, Policy: w.policy()})
	require.ErrorIs(t, err, context.Canceled)
}

func TestManyStartsLeaveNoThreadDescriptorOrGoroutine(t *testing.T) {
	cycles := 300
	if testing.Short() || raceDetector {
		cycles = 40
	}
	profiles(t, func(t *testing.T, w *world) {
		policy := w.policy()
		cycle := func() {
			p, err := NewRunner().Start(context.Background(), Command{Argv: w.in.Argv, Env: w.env("block"), Policy: policy})
			require.NoError(t, err)
			p.Stdin().Close()
			_, err = io.Copy(io.Discard, p.Stdout())
			require.NoError(t, err)
			require.Equal(t, Exit{}, p.Wait())
			p.Stdout().Close()
			p.Stderr().Close()
		}
		for range 3 {
			cycle()
		}
		before := census(t)
		threads := threadCount(t)
		for range cycles {
			cycle()
		}
		eventually(t, "everything is back", func() bool {
			// The runtime may keep a few more idle threads of its own.
			return census(t).noMoreThan(before) && threadCount(t) <= threads+4
		})
	})
}

func TestTheHostItselfStaysUnrestricted(t *testing.T) {
	w := newWorld(t)
	w.hand()
	raw, err := os.ReadFile(w.home + "/.ssh/id_ed25519")
	require.NoError(t, err)
	require.Equal(t, "key", string(raw))
	out, err := exec.Command("/bin/echo", "free").Output()
	require.NoError(t, err)
	require.Equal(t, "free\n", string(out))
	leader, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", os.Getpid()))
	require.NoError(t, err)
	require.Contains(t, string(leader), "NoNewPrivs:\t0")
}

// Without the lock of the main goroutine a spawn can land on the leader.
func TestASpawnStepsAsideFromTheLeader(t *testing.T) {
	w := newWorld(t)
	host := w.hostRole("unlocked")
	require.Equal(t, "leader restricted in 0 of 20 starts", host.says)
}

func readLine(t *testing.T, p *Process) string {
	t.Helper()
	require.NoError(t, p.Stdout().SetReadDeadline(time.Now().Add(20*time.Second)))
	var line []byte
	for one := make([]byte, 1); ; {
		_, err := p.Stdout().Read(one)
		require.NoError(t, err)
		if one[0] == '\n' {
			return string(line)
		}
		line = append(line, one[0])
	}
}

// shellPolicy lets /bin/sh be the plugin.
func (w *world) shellPolicy() *Policy {
	in := w.in
	in.Argv = []string{"/bin/sh"}
	p, _, err := PolicyFor(in)
	require.NoError(w.t, err)
	return p
}

// host is a re-executed test binary that hosts children of its own.
type host struct {
	*exec.Cmd
	says string
}

func (w *world) hostRole(role string) host {
	w.t.Helper()
	exe, err := os.Executable()
	require.NoError(w.t, err)
	c := exec.Command(exe)
	c.Env = append(os.Environ(), roleKey+"="+role, "FLASH_TEST_HOME="+w.home, "FLASH_TEST_ROOT="+w.root, "FLASH_TEST_DATA="+w.data)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(w.t, err)
	out, err := c.StdoutPipe()
	require.NoError(w.t, err)
	require.NoError(w.t, c.Start())
	w.t.Cleanup(func() {
		in.Close()
		c.Process.Kill()
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(w.t, err)
	return host{c, strings.TrimSpace(line)}
}

func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	p, err := procid.Look(n)
	return err == nil && !p.Dead
}

// running lists processes by their whole command line.
func running(argv ...string) []string {
	want := strings.Join(argv, "\x00") + "\x00"
	var list []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		pid := filepath.Base(filepath.Dir(f))
		if raw, err := os.ReadFile(f); err == nil && string(raw) == want && alive(pid) {
			list = append(list, pid)
		}
	}
	return list
}

// count is what a finished start must not leave behind.
type count struct{ descriptors, goroutines, children int }

// noMoreThan allows less: something of an earlier test may just have ended.
func (c count) noMoreThan(before count) bool {
	return c.descriptors <= before.descriptors && c.goroutines <= before.goroutines && c.children <= before.children
}

func census(t *testing.T) count {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	c := count{descriptors: len(fds), goroutines: runtime.NumGoroutine()}
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		if raw, err := os.ReadFile(f); err == nil {
			c.children += len(lines(string(raw)))
		}
	}
	return c
}

func threadCount(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	return len(tasks)
}
