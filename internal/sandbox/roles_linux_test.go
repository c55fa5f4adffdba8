package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// runRole is what the re-executed binary does when it is not a hand: a
// simple plugin, or a host of its own.
func runRole(role string) {
	switch role {
	case "block":
		io.Copy(io.Discard, os.Stdin)
	case "segv":
		// Go turns a SIGSEGV that it did not cause into a panic; SIGKILL is
		// the same for every runtime.
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		os.Exit(9)
	case "term":
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		fmt.Println("ready")
		<-terms
		fmt.Println("terminating")
		os.Exit(7)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "harden":
		core := unix.Rlimit{}
		if err := HardenHost(); err != nil {
			fmt.Println(err)
		}
		unix.Getrlimit(unix.RLIMIT_CORE, &core)
		fmt.Printf("private %v, core %d\n", Available().HostPrivate, core.Cur)
		io.Copy(io.Discard, os.Stdin)
	case "hang":
		hostThatHangs()
	case "unlocked":
		hostWithoutLock()
	default:
		fmt.Fprintln(os.Stderr, "unknown role", role)
		os.Exit(1)
	}
}

func roleInput() PolicyInput {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	none := int64(0)
	return PolicyInput{
		PluginID: "probe", Root: os.Getenv("FLASH_TEST_ROOT"), DataDir: os.Getenv("FLASH_TEST_DATA"),
		Home: os.Getenv("FLASH_TEST_HOME"), Argv: []string{exe}, LoginPath: "/usr/bin:/bin", MemoryBytes: &none,
	}
}

// hostThatHangs starts a child that ignores everything on each way, one with
// a setsid grandchild, prints all pids and waits to be killed.
func hostThatHangs() {
	if err := HardenHost(); err != nil {
		fmt.Println(err)
		return
	}
	var pids []string
	start := func(change func(*PolicyInput), argv ...string) *Process {
		in := roleInput()
		change(&in)
		if len(argv) > 0 {
			in.Argv = argv
		}
		policy, _, err := PolicyFor(in)
		if err == nil {
			var p *Process
			p, err = NewRunner().Start(context.Background(), Command{
				Argv: in.Argv, Env: []string{roleKey + "=deaf", "PATH=/usr/bin:/bin"}, Policy: policy,
			})
			if err == nil {
				pids = append(pids, strconv.Itoa(p.PID()))
				return p
			}
		}
		fmt.Println(err)
		os.Exit(1)
		return nil
	}
	start(func(*PolicyInput) {})
	start(func(in *PolicyInput) { in.Disabled = true })
	if detect().Namespaces {
		p := start(func(in *PolicyInput) { in.Exec = []string{"setsid", "sleep"} },
			"/bin/sh", "-c", "trap '' TERM; setsid sleep 31337 >/dev/null & echo; while :; do sleep 9999; done")
		// The grandchild's pid, as this host sees it.
		io.ReadFull(p.Stdout(), make([]byte, 1))
		for {
			if found := running("sleep", "31337"); len(found) > 0 {
				pids = append(pids, found[0])
				break
			}
			runtime.Gosched()
		}
	}
	fmt.Println(strings.Join(pids, " "))
	select {}
}

// hostWithoutLock gives the package's lock of the main goroutine up and looks
// whether a start ever restricts the leader.
func hostWithoutLock() {
	runtime.UnlockOSThread()
	restricted := 0
	for range 20 {
		policy, _, err := PolicyFor(roleInput())
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := NewRunner().Start(context.Background(), Command{
			Argv: policy.Start[:1], Env: []string{roleKey + "=block"}, Policy: policy,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		raw, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", os.Getpid()))
		if err != nil || strings.Contains(string(raw), "NoNewPrivs:\t1") {
			restricted++
		}
		p.Kill()
		p.Wait()
	}
	fmt.Printf("leader restricted in %d of 20 starts\n", restricted)
	io.Copy(io.Discard, os.Stdin)
}
