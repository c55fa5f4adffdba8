package manifest

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// FileName is the file that makes a folder a plugin.
const FileName = "manifest.json"

// maxManifest bounds what is read of a manifest: the largest in the field are
// tens of kilobytes.
const maxManifest = 1 << 20

// Dir is a folder of plugin folders.
type Dir struct {
	Path     string
	Official bool
}

// Fault is a plugin folder that cannot be used as it is.
type Fault struct {
	ID       string // the folder's name; "" where a whole Dir cannot be read
	Path     string // the file or folder at fault
	Problems []string
}

func (f Fault) Error() string { return f.Path + ": " + strings.Join(f.Problems, "; ") }

// Option changes how Load and Watch look at the world.
type Option func(*options)

type options struct {
	executable string
	loginPath  string
	platform   string
	config     func(id string) PluginConfig
	time       event.Time
}

func newOptions(opts []Option) options {
	o := options{
		loginPath: os.Getenv("PATH"),
		platform:  runtime.GOOS,
		config:    func(string) PluginConfig { return PluginConfig{} },
		time:      event.System(),
	}
	// Without its own path official executables are looked up like any other.
	o.executable, _ = os.Executable()
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithLoginPath looks bare names up over the user's login PATH, which a desktop
// session often does not hand on.
func WithLoginPath(path string) Option { return func(o *options) { o.loginPath = path } }

// WithExecutable looks for official executables beside path.
func WithExecutable(path string) Option { return func(o *options) { o.executable = path } }

// WithPlatform takes the plugins of another platform than this one.
func WithPlatform(goos string) Option { return func(o *options) { o.platform = goos } }

// WithConfig gives each definition what the user configured for it.
func WithConfig(config func(id string) PluginConfig) Option {
	return func(o *options) { o.config = config }
}

// WithTime waits on t.
func WithTime(t event.Time) Option { return func(o *options) { o.time = t } }

// Load reads every <dir>/<id>/manifest.json. A manifest with any fault yields a
// Fault that lists all of them and no Definition. Of two plugins with one id the
// first counts, in the order of dirs. Plugins for other platforms are left out;
// a Dir that does not exist holds none.
func Load(dirs []Dir, opts ...Option) (Set, []Fault) {
	o := newOptions(opts)
	l := loader{options: o, resolver: newResolver(o.executable, o.loginPath), roots: map[string]string{}}
	for _, dir := range dirs {
		l.dir(dir)
	}
	slices.SortFunc(l.set, func(a, b Definition) int { return cmp.Compare(a.ID(), b.ID()) })
	return l.set, l.faults
}

type loader struct {
	options
	resolver resolver
	set      Set
	roots    map[string]string // id → the folder it was taken from
	faults   []Fault
}

func (l *loader) fault(id, path string, problems ...string) {
	l.faults = append(l.faults, Fault{ID: id, Path: path, Problems: problems})
}

func (l *loader) dir(dir Dir) {
	root, err := filepath.Abs(dir.Path)
	if err != nil {
		l.fault("", dir.Path, err.Error())
		return
	}
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.fault("", root, reason(err))
		return
	}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			l.folder(e.Name(), path, dir.Official)
		}
	}
}

func (l *loader) folder(id, root string, official bool) {
	path := filepath.Join(root, FileName)
	data, err := readManifest(path)
	if err != nil {
		l.fault(id, path, reason(err))
		return
	}
	m, err := protocol.DecodeManifest(data)
	var faults protocol.ManifestErrors
	switch {
	case errors.As(err, &faults):
		problems := make([]string, len(faults))
		for i, f := range faults {
			problems[i] = f.Error()
		}
		l.fault(id, path, problems...)
		return
	case err != nil:
		l.fault(id, path, err.Error())
		return
	case m.ID != id:
		l.fault(id, path, fmt.Sprintf("id: is %q, but must be the folder's name, %q", m.ID, id))
		return
	case official && len(m.Install) > 0:
		l.fault(id, path, "install: is for third-party plugins only")
		return
	}
	if other, ok := l.roots[id]; ok {
		l.fault(id, path, fmt.Sprintf("id: %q is taken by %s, which comes first: remove one of them", id, other))
		return
	}
	l.roots[id] = root
	d := Definition{Manifest: m, Root: root, Official: official, Config: l.config(id), sum: sha256.Sum256(data)}
	switch {
	case !m.Supports(l.platform):
		d.Unsupported = "is for " + platformNames(m.Platforms) + " only"
	case len(m.Exec) > 0:
		d.Argv, d.ExecFault = l.resolver.resolve(root, m.Exec)
		d.files = filesOf(root, d.Argv)
	}
	l.set = append(l.set, d)
}

// readManifest reads a regular file of bounded size: a pipe in its place would
// block for ever.
func readManifest(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		return nil, fmt.Errorf("is over %d bytes", maxManifest)
	}
	return data, err
}

// reason is err without the path, which the Fault names already.
func reason(err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist: a plugin folder needs a " + FileName
	case errors.As(err, &p):
		return "cannot be read: " + p.Err.Error()
	}
	return err.Error()
}

// platformNames writes platforms the way people do.
func platformNames(goos []string) string {
	names := make([]string, len(goos))
	for i, name := range goos {
		switch name {
		case "darwin", protocol.PlatformMacOS:
			name = "macOS"
		case "linux":
			name = "Linux"
		}
		names[i] = name
	}
	return strings.Join(names, " and ")
}
