package devtool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk/probe"
)

// ProbeID is the fixture that serves every surface of the wire.
const ProbeID = "conformance"

// ErrNotFound is what names no plugin.
var ErrNotFound = errors.New("no such plugin")

// World is where plugins are looked for and what they are started with.
type World struct {
	Paths  config.Paths
	Config config.Config
	dirs   []manifest.Dir
	exe    string // beside it are official executables
}

// Open reads the user's paths and configuration. A faulty configuration counts
// as far as it can be read, as in the host.
func Open() (*World, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the path of this program: %w", err)
	}
	return OpenAt(exe)
}

// OpenAt is Open for the program exe.
func OpenAt(exe string) (*World, error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	w := &World{Paths: paths, exe: exe}
	w.Config, _ = config.Load(paths.ConfigFile)
	if dir := manifest.OfficialDir(w.exe); dir != "" {
		w.dirs = append(w.dirs, manifest.Dir{Path: dir, Official: true})
	}
	for _, dir := range w.Config.Plugins.Dirs {
		w.dirs = append(w.dirs, manifest.Dir{Path: dir})
	}
	w.dirs = append(w.dirs, manifest.Dir{Path: filepath.Join(paths.ConfigDir, "plugins")})
	return w, nil
}

// Checkout is the project's source tree that this program was built in, "" if
// it was not.
func (w *World) Checkout() string {
	base := filepath.Dir(filepath.Dir(w.exe))
	data, err := os.ReadFile(filepath.Join(base, "go.mod"))
	if err != nil || !strings.HasPrefix(string(data), "module github.com/flash-launcher/flash\n") {
		return ""
	}
	return base
}

func (w *World) load(dirs ...manifest.Dir) (manifest.Set, []manifest.Fault) {
	return manifest.Load(dirs, manifest.WithExecutable(w.exe), manifest.WithLoginPath(manifest.LoginPath()),
		manifest.WithConfig(func(id string) manifest.PluginConfig {
			return manifest.PluginConfig{Table: w.Config.For(id).Table}
		}))
}

// All are the plugins that can be started, by id, and what cannot be used.
func (w *World) All() (manifest.Set, []manifest.Fault) {
	set, faults := w.load(w.dirs...)
	return slices.DeleteFunc(set, func(d manifest.Definition) bool { return len(d.Manifest.Exec) == 0 || d.Unsupported != "" }), faults
}

// Free says why a new plugin must not be called id, or notes who else is: of
// two plugins with one id a host takes the first, official ones before others.
func (w *World) Free(id string) (note string, err error) {
	if id == ProbeID {
		return "", fmt.Errorf("plugin id %q: the conformance scenarios take a plugin of that id for their probe; take another", id)
	}
	set, _ := w.load(w.dirs...)
	def, ok := set.Find(id)
	switch {
	case !ok:
		return "", nil
	case def.Official:
		return "", fmt.Errorf("plugin id %q: an official plugin has it, in %s; take another", id, def.Root)
	}
	return "flash has a plugin of that id already, in " + def.Root, nil
}

// Find takes a plugin's id, or the path of its folder. What it returns can be
// started.
func (w *World) Find(what string) (manifest.Definition, error) {
	def, err := w.find(what)
	if err != nil {
		return manifest.Definition{}, err
	}
	if len(def.Manifest.Exec) == 0 {
		return def, fmt.Errorf("plugin %s: its manifest has no exec, so that it is never started", def.ID())
	}
	if def.Unsupported != "" {
		return def, fmt.Errorf("plugin %s %s", def.ID(), def.Unsupported)
	}
	if fault := Fault(def); fault != "" {
		return def, fmt.Errorf("plugin %s: %s", def.ID(), fault)
	}
	return def, nil
}

// Fault says why def cannot be started as it is, and the remedy; "" if it can.
func Fault(def manifest.Definition) string {
	if def.ExecFault == "" {
		return programFault(def.Argv[0], manifest.LoginPath())
	}
	program := def.Manifest.Exec[0]
	if !filepath.IsAbs(program) {
		program = filepath.Join(def.Root, program)
	}
	if _, err := os.Stat(program); strings.ContainsRune(def.Manifest.Exec[0], filepath.Separator) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("its program %s is not there; build it first", program)
	}
	return def.ExecFault
}

func (w *World) find(what string) (manifest.Definition, error) {
	isPath := strings.ContainsRune(what, filepath.Separator) || what == "." || what == ".."
	if _, err := os.Stat(filepath.Join(what, manifest.FileName)); isPath || err == nil {
		return w.folder(what)
	}
	if what == ProbeID {
		return w.probe()
	}
	set, faults := w.load(w.dirs...)
	if def, ok := set.Find(what); ok {
		return def, nil
	}
	for _, f := range faults {
		if f.ID == what {
			return manifest.Definition{}, broken(f)
		}
	}
	var places []string
	for _, d := range w.dirs {
		places = append(places, d.Path)
	}
	return manifest.Definition{}, fmt.Errorf("%w: %q is no folder with a %s, and no id in %s", ErrNotFound, what, manifest.FileName, strings.Join(places, ", "))
}

// Folder is the folder of the plugin that what names, which may be broken.
func (w *World) Folder(what string) (string, error) {
	dir, err := filepath.Abs(what)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(filepath.Join(dir, manifest.FileName)); err == nil && info.Mode().IsRegular() {
		return dir, nil
	}
	def, err := w.find(what)
	if err != nil {
		return "", err
	}
	if isBuiltIn(def) {
		return "", fmt.Errorf("plugin %s is built in and has no folder", def.ID())
	}
	return def.Root, nil
}

func broken(f manifest.Fault) error {
	return fmt.Errorf("the manifest %s is refused:\n  %s", f.Path, strings.Join(f.Problems, "\n  "))
}

func (w *World) folder(dir string) (manifest.Definition, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return manifest.Definition{}, err
	}
	if info, err := os.Stat(root); err == nil && filepath.Base(root) == manifest.FileName && info.Mode().IsRegular() {
		root = filepath.Dir(root)
	}
	path := filepath.Join(root, manifest.FileName)
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return manifest.Definition{}, fmt.Errorf("%w: %s has no %s; make a plugin with `flash plugin-dev new ID`", ErrNotFound, root, manifest.FileName)
		}
		return manifest.Definition{}, fmt.Errorf("plugin folder %s: %w", root, err)
	}
	parent := filepath.Dir(root)
	official := manifest.OfficialDir(w.exe)
	set, faults := w.load(manifest.Dir{Path: parent, Official: official != "" && same(parent, official)})
	for _, def := range set {
		if def.Root == root {
			return def, nil
		}
	}
	for _, f := range faults {
		if filepath.Dir(f.Path) == root || f.Path == parent {
			return manifest.Definition{}, broken(f)
		}
	}
	return manifest.Definition{}, fmt.Errorf("plugin %s: its platforms leave out %s", filepath.Base(root), runtime.GOOS)
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// probe is the conformance probe, whose manifest is built in and whose
// executable stands beside this program in a checkout.
func (w *World) probe() (manifest.Definition, error) {
	m, err := protocol.DecodeManifest(probe.Manifest)
	if err != nil {
		return manifest.Definition{}, fmt.Errorf("the built-in manifest of the probe: %w", err)
	}
	exe := filepath.Join(filepath.Dir(w.exe), m.Exec[0])
	if _, err := os.Stat(exe); err != nil {
		return manifest.Definition{}, fmt.Errorf("%w: the probe's program %s is not there; run `make build` in a checkout", ErrNotFound, exe)
	}
	return manifest.Definition{Manifest: m, Root: filepath.Dir(exe), Argv: []string{exe}}, nil
}

// isBuiltIn reports whether def is the probe of probe, whose manifest is in no folder.
func isBuiltIn(def manifest.Definition) bool {
	if def.ID() != ProbeID {
		return false
	}
	_, err := os.Stat(filepath.Join(def.Root, manifest.FileName))
	return err != nil
}

// ManifestText is the text of def's manifest.
func ManifestText(def manifest.Definition) ([]byte, error) {
	if isBuiltIn(def) {
		return probe.Manifest, nil
	}
	return os.ReadFile(filepath.Join(def.Root, manifest.FileName))
}
