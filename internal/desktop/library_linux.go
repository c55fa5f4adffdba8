package desktop

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"

	"github.com/flash-launcher/flash/internal/desktop/entry"
)

// maxDepth bounds subdirectories of an applications directory. Vendors nest
// one or two; a link that leads back up must end somewhere.
const maxDepth = 8

// library reads the .desktop files of a session. A file is parsed again only
// when its size or times changed, so a look costs one stat a file.
type library struct {
	dirs     []string // applications directories, the most important first
	locale   entry.Locale
	desktops []string // XDG_CURRENT_DESKTOP
	env      environ

	mu    sync.Mutex
	files map[string]parsed
}

type parsed struct {
	size    int64
	mtime   int64
	ctime   int64
	inode   uint64
	entry   *entry.Entry // nil when err is not
	command entry.Command
	err     error
}

// item is one application under its id.
type item struct {
	id, file string
	*entry.Entry
	command entry.Command // nil when it is started over D-Bus only
	program string        // resolved path of the program, "" when not found
	// hidden says why it is not listed; it can still open files or own a
	// process.
	hidden string
}

// shelf is one reading of the library.
type shelf struct {
	items map[string]*item
	order []string
	// broken counts files that are no readable entries.
	broken int
}

func newLibrary(env environ) *library {
	l := &library{env: env, locale: entry.LocaleOf(env.get), files: map[string]parsed{}}
	for _, d := range dataDirs(env) {
		l.dirs = append(l.dirs, filepath.Join(d, "applications"))
	}
	for _, d := range strings.Split(env.get("XDG_CURRENT_DESKTOP"), ":") {
		if d != "" {
			l.desktops = append(l.desktops, d)
		}
	}
	return l
}

// dataDirs is XDG_DATA_HOME and XDG_DATA_DIRS, most important first. The
// specification has relative paths ignored.
func dataDirs(env environ) []string {
	return baseDirs(env, "XDG_DATA_HOME", ".local/share", "XDG_DATA_DIRS", "/usr/local/share:/usr/share")
}

func configDirs(env environ) []string {
	return baseDirs(env, "XDG_CONFIG_HOME", ".config", "XDG_CONFIG_DIRS", "/etc/xdg")
}

func baseDirs(env environ, homeKey, homeDefault, dirsKey, dirsDefault string) []string {
	home := env.get(homeKey)
	if !filepath.IsAbs(home) {
		home = ""
		if h := env.get("HOME"); filepath.IsAbs(h) {
			home = filepath.Join(h, homeDefault)
		}
	}
	list := env.get(dirsKey)
	if list == "" {
		list = dirsDefault
	}
	var out []string
	seen := map[string]bool{}
	for _, d := range append([]string{home}, strings.Split(list, ":")...) {
		if !filepath.IsAbs(d) {
			continue
		}
		if d = filepath.Clean(d); !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// read looks at the disk.
func (l *library) read() *shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &shelf{items: map[string]*item{}}
	seen := map[string]bool{}
	for _, dir := range l.dirs {
		l.walk(s, seen, dir, "", 0)
	}
	for file := range l.files {
		if !seen[file] {
			delete(l.files, file)
		}
	}
	sort.Strings(s.order)
	return s
}

// walk adds what dir holds. The first file of an id wins, across directories
// by their order and inside one by name, and a file that cannot be read leaves
// its id to the next.
func (l *library) walk(s *shelf, seen map[string]bool, dir, prefix string, depth int) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, d := range list {
		file := filepath.Join(dir, d.Name())
		name, desktop := strings.CutSuffix(d.Name(), ".desktop")
		if !desktop {
			if depth < maxDepth && (d.IsDir() || d.Type()&fs.ModeSymlink != 0) {
				l.walk(s, seen, file, prefix+d.Name()+"-", depth+1)
			}
			continue
		}
		id := prefix + name
		if s.items[id] != nil {
			continue
		}
		seen[file] = true
		p := l.parse(file)
		if p.err != nil {
			if !errors.Is(p.err, entry.ErrNotApplication) && !errors.Is(p.err, fs.ErrNotExist) {
				s.broken++
			}
			continue
		}
		s.items[id] = l.shelve(id, file, p)
		s.order = append(s.order, id)
	}
}

func (l *library) parse(file string) parsed {
	info, err := os.Stat(file)
	if err != nil {
		return parsed{err: err}
	}
	p := parsed{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p.inode, p.ctime = st.Ino, st.Ctim.Nano()
	}
	if old, ok := l.files[file]; ok && old.size == p.size && old.mtime == p.mtime && old.ctime == p.ctime && old.inode == p.inode {
		return old
	}
	p.entry, p.command, p.err = parseFile(file, l.locale)
	l.files[file] = p
	return p
}

func parseFile(file string, loc entry.Locale) (*entry.Entry, entry.Command, error) {
	data, err := readBounded(file, entry.MaxFile+1)
	if err != nil {
		return nil, nil, err
	}
	e, err := entry.Parse(data, loc)
	if err != nil || e.Hidden || e.Exec == "" {
		return e, nil, err
	}
	cmd, err := entry.ParseExec(e.Exec)
	return e, cmd, err
}

// readBounded reads at most limit bytes of a regular file: opening anything
// else could block, and reading it never end.
func readBounded(file string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", file)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

func (l *library) shelve(id, file string, p parsed) *item {
	it := &item{id: id, file: file, Entry: p.entry, command: p.command}
	if it.command != nil {
		it.program = l.env.lookPath(it.command.Program())
	}
	switch {
	case it.Hidden:
		it.hidden = "Hidden=true"
	case it.NoDisplay:
		it.hidden = "NoDisplay=true"
	case !it.ShownIn(l.desktops):
		it.hidden = "not for this desktop"
	case it.TryExec != "" && l.env.lookPath(it.TryExec) == "":
		it.hidden = "TryExec is not installed"
	case it.command != nil && it.program == "" && !it.DBusActivatable:
		it.hidden = "its program is not installed"
	}
	return it
}

// lookPath finds a program in this environment's PATH, not in the host's own.
func (e environ) lookPath(name string) string {
	if name == "" {
		return ""
	}
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) && executable(name) {
			return name
		}
		return ""
	}
	for _, dir := range filepath.SplitList(e.get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p := filepath.Join(dir, name); executable(p) {
			return p
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
