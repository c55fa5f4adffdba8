package desktop

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// proc is what one process shows of itself.
type proc struct {
	pid, ppid int
	exe       string
	argv      []string
	unit      string // last component of its control group
}

// readProcs lists this user's processes. Reading one that just ended, or that
// hides itself, leaves it out.
func readProcs(root string) ([]proc, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	_ = dir.Close()
	if err != nil {
		return nil, err
	}
	var out []proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid <= 1 {
			continue
		}
		if p, ok := readProc(root, pid); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

func readProc(root string, pid int) (proc, bool) {
	base := root + "/" + strconv.Itoa(pid)
	// The link can be read for own processes only, and kernel threads
	// and zombies have none: one call sorts out most of the table.
	exe, err := os.Readlink(base + "/exe")
	if err != nil {
		return proc{}, false
	}
	p := proc{pid: pid, exe: strings.TrimSuffix(exe, " (deleted)")}
	if data := readSmall(base + "/cmdline"); len(data) > 0 {
		p.argv = strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	}
	p.ppid = parentPID(readSmall(base + "/stat"))
	p.unit = unitOf(readSmall(base + "/cgroup"))
	return p, true
}

// maxProcFile is plenty for what is looked at: a command line may be
// megabytes, and only its first words tell which application it is.
const maxProcFile = 8192

func readSmall(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, 0, 512)
	for len(buf) < maxProcFile {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, cap(buf))
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			break
		}
	}
	return buf
}

// parentPID reads stat(5): the name in brackets may itself hold brackets and
// blanks, so the fields are counted from its last bracket.
func parentPID(stat []byte) int {
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 {
		return 0
	}
	f := bytes.Fields(stat[i+1:])
	if len(f) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(f[1]))
	return ppid
}

func unitOf(cgroup []byte) string {
	for line := range bytes.Lines(cgroup) {
		if path, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("0::")); ok {
			return filepath.Base(string(path))
		}
	}
	return ""
}

// unitApp reads the application id out of a control group that a desktop made
// for it: app[-LAUNCHER]-ID-RANDOM.scope, app-[LAUNCHER-]ID[@RANDOM].service,
// with systemd's \xNN escapes in ID. known tells ids from launcher names.
func unitApp(unit string, known func(id string) bool) string {
	name, ok := strings.CutPrefix(unit, "app-")
	if !ok {
		return ""
	}
	if s, isScope := strings.CutSuffix(name, ".scope"); isScope {
		i := strings.LastIndexByte(s, '-')
		if i < 0 {
			return ""
		}
		name = s[:i]
	} else if s, isService := strings.CutSuffix(name, ".service"); isService {
		name, _, _ = strings.Cut(s, "@")
	} else {
		return ""
	}
	for {
		if id := unescapeUnit(name); known(id) {
			return id
		}
		_, rest, ok := strings.Cut(name, "-")
		if !ok {
			return ""
		}
		name = rest
	}
}

func unescapeUnit(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], `\x`) && i+4 <= len(s) {
			if v, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// owners maps processes to applications.
type owners struct {
	items map[string]*item
	// byExe and byBase hold the applications that run a program, by its
	// resolved path and by its base name; byDir those whose program lies in a
	// directory of its own.
	byExe, byBase, byDir map[string][]*item
}

func newOwners(s *shelf) *owners {
	o := &owners{items: s.items, byExe: map[string][]*item{}, byBase: map[string][]*item{}, byDir: map[string][]*item{}}
	for _, id := range s.order {
		it := s.items[id]
		// What runs in a terminal owns no window to go to.
		if it.Hidden || it.Terminal || it.program == "" {
			continue
		}
		exe := it.program
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		o.byExe[exe] = append(o.byExe[exe], it)
		base := filepath.Base(it.program)
		o.byBase[base] = append(o.byBase[base], it)
		if dir := filepath.Dir(exe); !shared(dir) {
			o.byDir[dir] = append(o.byDir[dir], it)
		}
	}
	return o
}

// shared says whether a directory holds the programs of many applications.
func shared(dir string) bool {
	switch filepath.Base(dir) {
	case "bin", "sbin", "games", "lib", "lib64", "libexec", "/":
		return true
	}
	return false
}

// find names the application of one process: by the control group its desktop
// gave it, by its executable, by the script that an interpreter runs, by the
// executable's name (a wrapper script that becomes the real program), and last
// by lying in the same private directory as the program.
func (o *owners) find(p proc) string {
	if id := unitApp(p.unit, func(id string) bool { return o.items[id] != nil }); id != "" {
		return id
	}
	base := filepath.Base(p.exe)
	if len(p.argv) > 1 && interpreter(base) {
		if filepath.IsAbs(p.argv[1]) {
			script := p.argv[1]
			if real, err := filepath.EvalSymlinks(script); err == nil {
				script = real
			}
			if it := choose(o.byExe[script], p.argv[2:]); it != nil {
				return it.id
			}
		}
	}
	var args []string
	if len(p.argv) > 1 {
		args = p.argv[1:]
	}
	for _, list := range [][]*item{o.byExe[p.exe], o.byBase[base], o.byDir[filepath.Dir(p.exe)]} {
		if it := choose(list, args); it != nil {
			return it.id
		}
	}
	return ""
}

func interpreter(base string) bool {
	for _, s := range []string{"python", "perl", "ruby", "gjs", "node", "electron", "bash", "dash", "sh", "lua", "wish", "mono", "java"} {
		if rest, ok := strings.CutPrefix(base, s); ok && strings.Trim(strings.TrimSuffix(rest, "-console"), "0123456789.") == "" {
			return true
		}
	}
	return false
}

// choose picks among applications that share a program (an office suite): the
// one most of whose own arguments the process has, listed ones first, then the
// shortest id. One with an argument that the process lacks is not it.
func choose(list []*item, args []string) *item {
	var best *item
	score := func(it *item) int {
		n := 0
		for _, want := range it.command.Literals() {
			if !slices.Contains(args, want) {
				return -1
			}
			n++
		}
		return n
	}
	bestScore := -1
	for _, it := range list {
		n := score(it)
		if n < 0 || n < bestScore {
			continue
		}
		if n > bestScore || it.hidden == "" && best.hidden != "" || (it.hidden == "") == (best.hidden == "") && len(it.id) < len(best.id) {
			best, bestScore = it, n
		}
	}
	return best
}

// running gives the pids of each application: of a process tree of one
// application only the root, which is the one a user means.
func (o *owners) running(procs []proc) map[string][]int {
	app, parent := make(map[int]string, len(procs)), make(map[int]int, len(procs))
	for _, p := range procs {
		parent[p.pid] = p.ppid
		if id := o.find(p); id != "" {
			app[p.pid] = id
		}
	}
	out := map[string][]int{}
	for pid, id := range app {
		if !under(pid, id, app, parent) {
			out[id] = append(out[id], pid)
		}
	}
	for _, pids := range out {
		slices.Sort(pids)
	}
	return out
}

func under(pid int, id string, app map[int]string, parent map[int]int) bool {
	for hops := 0; hops < 64; hops++ { // a table read while it changes may hold a loop
		pid = parent[pid]
		if pid == 0 {
			return false
		}
		if app[pid] == id {
			return true
		}
	}
	return false
}
