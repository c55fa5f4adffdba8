package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/broker/allow"
)

// Load reads the file at path. An absent file is the defaults and no fault.
//
// With faults the Config is what the rest of the file says, each wrong key at
// its default, except that a plugin whose `enabled` cannot be read is off: a
// slip in one line must not start what another line forbids. Of a file that is
// no TOML at all nothing is known, and the defaults come back.
func Load(path string) (Config, []Fault) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil
	}
	if err != nil {
		return Defaults(), []Fault{{File: path, Problem: err.Error(), Remedy: "make it a readable file"}}
	}
	c, faults := Parse(data)
	for i := range faults {
		faults[i].File = path
	}
	return c, faults
}

// readFile reads a bounded regular file: a pipe or a device in its place would
// block or never end.
func readFile(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("is larger than %d bytes", maxFile)
	}
	return data, nil
}

// Parse reads a configuration from memory; see Load for what faults mean.
func Parse(data []byte) (Config, []Fault) { return parseFor(data, platform, homeDir()) }

func parseFor(data []byte, goos, home string) (Config, []Fault) {
	c := defaultsFor(goos)
	doc, fault := parse(data)
	if fault != nil {
		return c, []Fault{*fault}
	}
	l := &loader{doc: doc}
	if !l.version() {
		// Keys of another format may mean something else: none is applied.
		return c, l.faults
	}
	root := l.rootTable()
	root.known = append(root.known, "version")
	l.flashlight(root.sub("flashlight"), &c.Flashlight)
	l.hotkeys(root.sub("hotkeys"), &c.Hotkeys)
	l.aliases(root.sub("aliases"), &c.Aliases)
	l.statusBar(root.sub("statusbar"), &c.StatusBar)
	l.plugins(root.sub("plugins"), &c.Plugins, home, &c.mentions)
	l.plugin(root.sub("plugin"), &c, home)
	l.logs(root.sub("logs"), &c.Logs)
	l.history(root.sub("history"), &c.History)
	pointer := root.sub("pointer")
	c.Pointer, c.pointer = l.json(pointer.path, pointer.values), pointer.values
	root.done()
	slices.SortStableFunc(l.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return c, l.faults
}

func (l *loader) version() bool {
	v, ok := l.doc.root["version"]
	if !ok {
		return true
	}
	if n, is := v.(int64); !is || n != Version {
		l.fail([]string{"version"}, fmt.Sprintf("this file is of a version that this Flash does not read (it reads %d)", Version), "upgrade Flash, or set FLASH_CONFIG to another file")
		return false
	}
	return true
}

func (l *loader) flashlight(t *table, f *Flashlight) {
	t.integer("rows", &f.Rows, minRows, maxRows)
	t.integer("width", &f.Width, minWidth, maxWidth)
	t.choice("position", &f.Position, "top", "center")
	t.text("theme", &f.Theme, 4096)
	t.text("font", &f.Font, 256)
	t.integer("font_size", &f.FontSize, minFont, maxFont)
	t.boolean("close_on_focus_loss", &f.CloseOnFocusLoss)
	t.done()
}

func (l *loader) statusBar(t *table, s *StatusBar) {
	t.boolean("enabled", &s.Enabled)
	t.text("template", &s.Template, maxTemplate)
	t.choice("position", &s.Position, "top", "bottom")
	t.integer("height", &s.Height, minBar, maxBar)
	t.boolean("menu", &s.Menu)
	t.done()
}

func (l *loader) plugins(t *table, p *Plugins, home string, mentions *[]mention) {
	id := func(s string) (string, string, string) {
		if !validID(s) {
			return "", quote(s) + " is no plugin id", idRemedy
		}
		return s, "", ""
	}
	t.list("enabled", &p.Enabled, id)
	t.list("disabled", &p.Disabled, id)
	for name, ids := range map[string][]string{"enabled": p.Enabled, "disabled": p.Disabled} {
		for _, id := range ids {
			*mentions = append(*mentions, mention{id, dotted(t.key(name)), l.doc.find(t.key(name))})
		}
	}
	t.list("dirs", &p.Dirs, func(s string) (string, string, string) { return absolute(s, home) })
	t.duration("startup_timeout", &p.StartupTimeout, minStartup, maxStartup)
	t.done()
}

func (l *loader) plugin(all *table, c *Config, home string) {
	for _, id := range sortedKeys(all.values) {
		if !validID(id) {
			all.take(id)
			all.fail(all.key(id), quote(id)+" is no plugin id", idRemedy)
			continue
		}
		t := all.sub(id)
		if t.values == nil {
			continue
		}
		p := defaultPlugin()
		if !t.boolean("enabled", &p.Enabled) {
			p.Enabled = false
		}
		t.boolean("sandbox", &p.Sandbox)
		t.boolean("network", &p.Network)
		t.integer("memory_mib", &p.MemoryMiB, minMemory, maxMemory)
		t.list("fetch_urls", &p.FetchURLs, func(s string) (string, string, string) {
			if _, err := allow.ParsePrefix(s); err != nil {
				return "", err.Error(), `write it like "https://example.com/feed/"`
			}
			return s, "", ""
		})
		path := func(s string) (string, string, string) { return absolute(s, home) }
		t.list("exec_paths", &p.ExecPaths, path)
		t.list("read", &p.Read, path)
		t.list("unix_sockets", &p.UnixSockets, path)
		p.settings = t.rest()
		p.Table = l.json(t.path, t.values)
		if c.Plugin == nil {
			c.Plugin = map[string]Plugin{}
		}
		c.Plugin[id] = p
		c.mentions = append(c.mentions, mention{id, dotted(t.path), l.doc.find(t.path)})
	}
}

func (l *loader) logs(t *table, g *Logs) {
	t.choice("level", &g.Level, "debug", "info", "warn", "error")
	t.integer("max_mib", &g.MaxMiB, minLogMiB, maxLogMiB)
	t.integer("keep", &g.Keep, minLogKeep, maxLogKeep)
	t.done()
}

func (l *loader) history(t *table, h *History) {
	// A learning switch that cannot be read is off: it is there for privacy.
	if !t.boolean("learning", &h.Learning) {
		h.Learning = false
	}
	t.done()
}

const idRemedy = "ids are lower-case letters, digits, '.', '_' and '-', without '..'"

func validID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && s != "." && len(s) <= 128 && !strings.Contains(s, "..")
}

// absolute resolves a leading ~ and refuses what depends on where Flash was started.
func absolute(s, home string) (kept, problem, remedy string) {
	const write = `write it from the root, like "/opt/x", or from your home, like "~/x"`
	if strings.ContainsRune(s, 0) {
		return "", "holds a NUL byte", write
	}
	if s == "~" || strings.HasPrefix(s, "~/") {
		if home == "" {
			return "", "starts with ~ and the home directory is not known", "set HOME"
		}
		s = home + s[1:]
	}
	if !filepath.IsAbs(s) {
		return "", quote(s) + " is not an absolute path", write
	}
	return filepath.Clean(s), "", ""
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
