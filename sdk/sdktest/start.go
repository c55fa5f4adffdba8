package sdktest

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/flash-launcher/flash/sdk"
)

// InProcess runs p within the test. [Harness.WaitExit] returns what the process
// would have exited with.
func InProcess(t testing.TB, p sdk.Plugin, o Options) *Harness {
	t.Helper()
	h := newHarness(t, o)
	env := h.env()
	pluginIn, in := pipe(t)
	out, pluginOut := pipe(t)
	h.in = in
	go h.read(out)
	go func() {
		status := sdk.Serve(context.Background(), p, sdk.Options{
			In: pluginIn, Out: pluginOut, Err: stderrWriter{h},
			Env: func(name string) string { return lookup(env, name) },
		})
		_ = pluginOut.Close()
		h.update(func() { h.exited, h.status = true, status })
	}()
	t.Cleanup(func() {
		_ = in.Close()
		h.finish()
		_ = pluginIn.Close()
		_ = out.Close()
	})
	return h
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatalf("pipe: %v", err)
	}
	return r, w
}

// Process starts argv as the plugin, as the host would without a sandbox: with
// the host's environment for it, in a process group of its own, which is killed
// when the test ends.
func Process(t testing.TB, argv []string, o Options) *Harness {
	t.Helper()
	h := newHarness(t, o)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(h.env(), "GOMAXPROCS=1", "GOGC=25", "GOMEMLIMIT=64MiB", "FLASH_PLUGIN_PARENT_PID="+pidText())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = stderrWriter{h}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("stdin pipe: %v", err)
	}
	// Not StdoutPipe: Wait would close it before all is read.
	out, pluginOut := pipe(t)
	cmd.Stdout = pluginOut
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", argv[0], err)
	}
	_ = pluginOut.Close()
	h.in, h.pid = in, cmd.Process.Pid
	go h.read(out)
	go func() {
		_ = cmd.Wait()
		h.update(func() { h.exited, h.status = true, exitStatus(cmd.ProcessState) })
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = syscall.Kill(-h.pid, syscall.SIGKILL)
		h.finish()
		_ = out.Close()
	})
	return h
}

// exitStatus is the exit code, or minus the number of the signal that ended the
// process.
func exitStatus(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -int(ws.Signal())
	}
	return s.ExitCode()
}

const selfVariable = "FLASH_SDKTEST_PLUGIN"

// Main runs a package's tests with its own binary ready to be the plugin of
// [Self]. It is called by TestMain and does not return:
//
//	func TestMain(m *testing.M) {
//		sdktest.Main(m, map[string]func() sdk.Plugin{"hello": hello.New})
//	}
func Main(m *testing.M, plugins map[string]func() sdk.Plugin) {
	if name, ok := os.LookupEnv(selfVariable); ok {
		sdk.Run(plugins[name]())
	}
	os.Exit(m.Run())
}

// Self starts the plugin that [Main] knows by name as a process of its own.
func Self(t testing.TB, name string, o Options) *Harness {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("own executable: %v", err)
	}
	o.Env = append([]string{selfVariable + "=" + name}, o.Env...)
	return Process(t, []string{path}, o)
}
