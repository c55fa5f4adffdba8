package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	// DefaultMemoryBytes caps a plugin's private memory. Go, Node and Python
	// all start and work within it; a leak hits it within seconds.
	DefaultMemoryBytes = 256 << 20
	// DefaultFileBytes caps one file that a plugin writes. It has to hold a
	// copied browser database, the largest thing an official plugin writes.
	DefaultFileBytes = 512 << 20
)

// Policy is what one plugin may touch. Every path is absolute with its
// symlinks resolved. The zero value allows nothing.
type Policy struct {
	PluginID string
	GOOS     string

	Argv0   string   // the plugin's own executable, as it is executed
	Links   []string // directories of the symlinks through which Start and Exec are reached
	Root    string   // the plugin's files: readable
	DataDir string   // the plugin's own data: writable

	Start       []string // executables that starting Argv0 itself needs: it, its interpreter, its loader
	Exec        []string // further programs the plugin may run, with their interpreters and loaders
	Read        []string // granted by manifest or config
	Write       []string // granted by config
	SystemRead  []string // libraries, certificates, time zones: the broad reads everyone gets
	SystemWrite []string // /dev/null
	UnixSockets []string // sockets, or directories of sockets, that may be connected to
	SocketDirs  []string // those of UnixSockets that are directories: their names may be listed
	DenyRead    []string // secrets: denied although a broader grant covers them

	Network     bool
	Subprocess  bool // may fork its own executable
	OwnProc     bool // reads /proc/self or /proc/net: only a pid namespace can give it its own
	AppleEvents bool
	Signal      bool // may signal processes outside the sandbox
	Mach        []string

	MemoryBytes int64 // 0 = no cap
	FileBytes   int64 // 0 = no cap

	// Disabled is the user's explicit `sandbox = false`: nothing above is
	// enforced; the child still gets its own session, closed descriptors and
	// ends with the host.
	Disabled bool
}

// PolicyInput is everything a policy is made from.
type PolicyInput struct {
	PluginID string
	Root     string
	DataDir  string
	Argv     []string // resolved by the manifest; Argv[0] absolute

	// From the manifest's sandbox table.
	Exec        []string
	UnixSockets []string
	Read        []string
	AppleEvents bool
	Signal      bool
	Mach        []string

	Capabilities []string

	// From the user's config.
	ConfigRead  []string
	ConfigWrite []string
	MemoryBytes *int64 // nil = DefaultMemoryBytes, 0 = no cap
	FileBytes   *int64 // nil = DefaultFileBytes, 0 = no cap
	Disabled    bool

	// From the host.
	// MakeSocketDirs lets PolicyFor make the directories of sockets that a
	// manifest names with a trailing slash: the programs that put their sockets
	// there may be started later than the plugin.
	MakeSocketDirs bool

	Home          string   // "" = the user's home
	LoginPath     string   // "" = $PATH
	PluginsData   string   // the directory that holds every plugin's data
	ControlSocket string   // the host's own socket
	ExtraSecrets  []string // what else the host keeps private

	GOOS   string              // "" = this platform
	Getenv func(string) string // nil = os.Getenv
	Files  Files               // nil = the real file system
}

// Note says what PolicyFor left out, for the plugin list and the log.
type Note struct {
	Key  string // the manifest or config key
	Path string
	Text string
}

func (n Note) String() string { return fmt.Sprintf("%s %q: %s", n.Key, n.Path, n.Text) }

// PolicyFor makes the policy of one plugin. A granted read path, program or
// socket that does not exist is skipped with a note; a missing write path or
// executable is an error, because the plugin could only fail later and less
// clearly.
func PolicyFor(in PolicyInput) (*Policy, []Note, error) {
	b := builder{in: in}
	if err := b.fill(); err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", in.PluginID, err)
	}
	return b.policy, b.notes, nil
}

type builder struct {
	in     PolicyInput
	policy *Policy
	notes  []Note
	lookup programs
}

func (b *builder) fill() error {
	in := &b.in
	if in.GOOS == "" {
		in.GOOS = runtime.GOOS
	}
	if in.Getenv == nil {
		in.Getenv = os.Getenv
	}
	if in.Files == nil {
		in.Files = &policyFiles{known: map[string]resolved{}}
	}
	if in.LoginPath == "" {
		in.LoginPath = in.Getenv("PATH")
	}
	if in.Home == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("the home directory is unknown: %w; set HOME", err)
		}
		in.Home = home
	}
	if len(in.Argv) == 0 {
		return errors.New("the manifest names no executable (key \"exec\")")
	}
	p := &Policy{
		PluginID: in.PluginID, GOOS: in.GOOS, Argv0: in.Argv[0],
		Network:     slices.Contains(in.Capabilities, "network"),
		Subprocess:  slices.Contains(in.Capabilities, "subprocess"),
		AppleEvents: in.AppleEvents, Signal: in.Signal, Mach: slices.Clone(in.Mach),
		MemoryBytes: DefaultMemoryBytes, FileBytes: DefaultFileBytes,
		Disabled: in.Disabled,
	}
	if in.MemoryBytes != nil {
		p.MemoryBytes = max(0, *in.MemoryBytes)
	}
	if in.FileBytes != nil {
		p.FileBytes = max(0, *in.FileBytes)
	}
	b.policy = p
	b.lookup = programs{files: in.Files, path: in.LoginPath, goos: in.GOOS}

	for _, step := range []func() error{b.ownDirs, b.executables, b.grants, b.secrets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) ownDirs() error {
	root, err := b.resolve(b.in.Root)
	if err != nil {
		return fmt.Errorf("plugin root %q: %w", b.in.Root, err)
	}
	data, err := b.resolve(b.in.DataDir)
	if err != nil {
		return fmt.Errorf("data directory %q: %w; create it before the start", b.in.DataDir, err)
	}
	if within(root, data) || data == "/" {
		// A writable directory above the plugin's own files would let it
		// replace the program that runs next time.
		return fmt.Errorf("data directory %q contains the plugin root %q; move one of them", data, root)
	}
	b.policy.Root, b.policy.DataDir = root, data
	return nil
}

func (b *builder) executables() error {
	p := b.policy
	start, err := b.lookup.closure(p.Argv0)
	if err != nil {
		return fmt.Errorf("executable %q: %w", p.Argv0, err)
	}
	p.Start = sortedUnique(start.exec)
	p.Links = append(p.Links, start.links...)
	p.SystemRead = append(p.SystemRead, start.read...)

	var exec []string
	for _, name := range b.in.Exec {
		path, err := b.lookup.find(b.expand(name), p.Root)
		if err != nil {
			b.note("sandbox.exec", name, "not found on the login PATH, skipped")
			continue
		}
		c, err := b.lookup.closure(path)
		if err != nil {
			b.note("sandbox.exec", name, err.Error()+", skipped")
			continue
		}
		exec = append(exec, c.exec...)
		p.Links = append(p.Links, c.links...)
		p.SystemRead = append(p.SystemRead, c.read...)
	}
	p.Exec, p.Links = sortedUnique(exec), sortedUnique(p.Links)
	return nil
}

func (b *builder) grants() error {
	p := b.policy
	readable := func(key string, list []string) {
		for _, item := range list {
			path, err := b.resolve(item)
			if err != nil {
				b.note(key, item, "does not exist, skipped")
				continue
			}
			if within(path, fmt.Sprintf("/proc/%d", os.Getpid())) {
				// /proc/self, /proc/net, /proc/mounts: this is the host's.
				p.OwnProc = true
				continue
			}
			p.Read = append(p.Read, path)
		}
	}
	readable("sandbox.read", b.in.Read)
	readable("config read", b.in.ConfigRead)
	for _, item := range b.in.ConfigWrite {
		path, err := b.resolve(item)
		if err != nil {
			return fmt.Errorf("config write %q: %w; create it or remove it from the config", item, err)
		}
		p.Write = append(p.Write, path)
	}
	for _, item := range b.in.UnixSockets {
		paths := []string{b.expand(item)}
		if strings.Contains(item, "*") {
			paths = b.in.Files.Glob(paths[0])
		}
		found := false
		for _, candidate := range paths {
			if b.in.MakeSocketDirs && strings.HasSuffix(item, "/") {
				if err := b.in.Files.MakeDir(candidate); err != nil {
					b.note("sandbox.unix_sockets", item, "cannot be made: "+err.Error())
				}
			}
			path, err := b.resolve(candidate)
			if err != nil {
				continue
			}
			p.UnixSockets = append(p.UnixSockets, path)
			if b.in.Files.IsDir(path) {
				p.SocketDirs = append(p.SocketDirs, path)
			}
			found = true
		}
		if !found {
			b.note("sandbox.unix_sockets", item, "does not exist, skipped; reload the plugin once it does")
		}
	}
	for _, item := range systemReads(b.in.GOOS) {
		if path, err := b.in.Files.Resolve(item); err == nil {
			p.SystemRead = append(p.SystemRead, path)
		}
	}
	for _, item := range systemWrites(b.in.GOOS) {
		if path, err := b.in.Files.Resolve(item); err == nil {
			p.SystemWrite = append(p.SystemWrite, path)
		}
	}
	p.Read, p.Write = sortedUnique(p.Read), sortedUnique(p.Write)
	p.SocketDirs = sortedUnique(p.SocketDirs)
	p.UnixSockets, p.SystemRead = sortedUnique(p.UnixSockets), sortedUnique(p.SystemRead)
	return nil
}

// secrets keeps every secret of the platform that no grant names outright.
// One that does not exist yet is kept too: it may appear while the plugin
// runs.
func (b *builder) secrets() error {
	p := b.policy
	list := append(Secrets(b.in.GOOS, b.expand), b.in.ExtraSecrets...)
	if b.in.PluginsData != "" {
		list = append(list, b.in.PluginsData)
	}
	if b.in.ControlSocket != "" {
		list = append(list, b.in.ControlSocket)
	}
	for _, item := range list {
		path := resolveFar(b.in.Files, b.expand(item))
		if slices.Contains(p.Read, path) || slices.Contains(p.Write, path) || path == p.DataDir {
			continue
		}
		p.DenyRead = append(p.DenyRead, path)
	}
	p.DenyRead = sortedUnique(p.DenyRead)
	return nil
}

func (b *builder) note(key, path, text string) {
	b.notes = append(b.notes, Note{Key: key, Path: path, Text: text})
}

func (b *builder) resolve(path string) (string, error) {
	path = b.expand(path)
	if !filepath.IsAbs(path) {
		return "", errors.New("not an absolute path (~ and $XDG_… are understood)")
	}
	return b.in.Files.Resolve(path)
}

func (b *builder) expand(path string) string {
	return expandPath(path, b.in.Home, b.in.Getenv)
}

// Forks says whether the plugin may create processes at all.
func (p *Policy) Forks() bool { return len(p.Exec) > 0 || p.Subprocess }

// ownProc says whether the plugin may read all of /proc: in a pid namespace
// that shows only its own processes.
func (p *Policy) ownProc() bool {
	return p.GOOS == "linux" && (p.Forks() || len(p.UnixSockets) > 0 || p.OwnProc || p.carved())
}
