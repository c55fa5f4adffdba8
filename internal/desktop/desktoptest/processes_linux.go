package desktoptest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func dieWithThread(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

type process struct {
	pid, parent, session int
	name                 string
}

// Find gives the pids of a program that runs in the session, whoever started
// it. The name is that of its executable.
func (s *Session) Find(name string) []int {
	var out []int
	for _, p := range s.processes() {
		exe, err := os.Readlink("/proc/" + strconv.Itoa(p.pid) + "/exe")
		if err == nil && filepath.Base(exe) == name {
			out = append(out, p.pid)
		}
	}
	return out
}

// processes are the live ones of the session: those of a kernel session that
// was started in it, those whose environment has its runtime directory, and
// their descendants. A program may leave the first and overwrite the second.
func (s *Session) processes() []process {
	s.mu.Lock()
	defer s.mu.Unlock()
	mark := []byte("XDG_RUNTIME_DIR=" + s.runtimeDir() + "\x00")
	var all []process
	in := map[int]bool{}
	dir, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range dir {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		p, ok := readProcess(pid)
		if !ok {
			continue
		}
		all = append(all, p)
		environ, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		in[pid] = s.sessions[p.session] || bytes.Contains(environ, mark)
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
			}
		}
	}
	out := all[:0]
	for _, p := range all {
		if in[p.pid] {
			out = append(out, p)
		}
	}
	return out
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := bytes.Fields(stat[end+1:])
	if len(f) < 4 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return process{}, false // ended: whose it is to reap is not ours to see to
	}
	p := process{pid: pid, name: string(stat[open+1 : end])}
	p.parent, _ = strconv.Atoi(string(f[1]))
	p.session, _ = strconv.Atoi(string(f[3]))
	return p, true
}
