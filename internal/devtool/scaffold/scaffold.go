// Package scaffold writes the folder of a new plugin. It owns the templates; it
// never overwrites a file, and never touches anything but the new folder.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/sdk/node"
	"github.com/flash-launcher/flash/sdk/python"
)

//go:embed templates
var templates embed.FS

// Languages a plugin can be written in, the first unless another is asked for.
var Languages = []string{"go", "python", "node", "sh"}

// Options say which plugin is made and where.
type Options struct {
	ID       string
	Language string // one of Languages; "" is the first
	Parent   string // the folder that gets the plugin's folder
	// Checkout is the project's own source tree, which a Go plugin builds
	// against; "" gives the plugin a copy of the SDK.
	Checkout string
}

// Result is what was made.
type Result struct {
	Dir   string
	Files []string // relative to Dir, sorted
	// Next are the commands that build and test the plugin, in Dir.
	Next []string
	// Notes are what the author should know about this machine.
	Notes []string
}

// idCap is the wire's bound of an id.
const idCap = 64

// validID is stricter than the wire, which also takes a leading dot or dash:
// the host passes over hidden folders, and a dash would be a flag.
func validID(id string) bool {
	for i, c := range []byte(id) {
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return id != "" && len(id) <= idCap
}

// CheckID says what is wrong with an id.
func CheckID(id string) error {
	if !validID(id) || strings.Contains(id, "..") {
		return usage{fmt.Sprintf("plugin id %q: take 1 to 64 of a-z 0-9 . _ - that begin with a letter or digit and have no two dots in a row", id)}
	}
	return nil
}

// ErrUsage is a wrong word of the user's.
var ErrUsage = errors.New("wrong use")

// usage is an error that wraps ErrUsage and reads as what it says.
type usage struct{ text string }

func (u usage) Error() string { return u.text }
func (u usage) Unwrap() error { return ErrUsage }

// checkNames finds a name in the folder that the program, which bears the
// plugin's id, would take. File systems that do not tell case apart count.
func (o Options) checkNames(files []file) error {
	programs, why := 0, ""
	for _, f := range files {
		first, _, below := strings.Cut(f.name, "/")
		switch {
		case f.name == o.ID && f.mode&0o111 != 0 && programs == 0:
			programs++
		case strings.EqualFold(first, o.ID) && below:
			why = "has a folder"
		case strings.EqualFold(first, o.ID):
			why = "has a file"
		}
	}
	if o.Language == "go" {
		switch {
		case o.ID == testTarget:
			why = "has a make target"
		case strings.HasSuffix(o.ID, ".go"):
			return usage{fmt.Sprintf("plugin id %q: the program bears that name, and Go would read it as source; take another", o.ID)}
		}
	}
	if why != "" {
		return usage{fmt.Sprintf("plugin id %q: the program bears that name, and the folder of a %s plugin %s of it; take another", o.ID, o.Language, why)}
	}
	return nil
}

// New writes the plugin's folder, whole or not at all.
func New(o Options) (Result, error) {
	if err := CheckID(o.ID); err != nil {
		return Result{}, err
	}
	if o.Language == "" {
		o.Language = Languages[0]
	}
	if !slices.Contains(Languages, o.Language) {
		return Result{}, usage{fmt.Sprintf("language %q: take one of %s", o.Language, strings.Join(Languages, ", "))}
	}
	parent, err := filepath.Abs(o.Parent)
	if err != nil {
		return Result{}, err
	}
	r := Result{Dir: filepath.Join(parent, o.ID)}
	if _, err := os.Lstat(r.Dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists already")
		}
		return Result{}, fmt.Errorf("plugin folder %s: %w; take another id or --dir, or remove it", r.Dir, err)
	}
	files, err := o.files(&r)
	if err != nil {
		return Result{}, err
	}
	if err := o.checkNames(files); err != nil {
		return Result{}, err
	}
	if err := write(r.Dir, files); err != nil {
		return Result{}, fmt.Errorf("plugin folder %s: %w; name a folder that you may write with --dir", r.Dir, err)
	}
	for _, f := range files {
		r.Files = append(r.Files, f.name)
	}
	slices.Sort(r.Files)
	return r, nil
}

type file struct {
	name string
	data []byte
	mode os.FileMode
}

func (o Options) files(r *Result) ([]file, error) {
	values := []string{"@ID@", o.ID, "@NAME@", strings.ToUpper(o.ID[:1]) + o.ID[1:]}
	var files []file
	switch o.Language {
	case "go":
		own, err := o.goFiles(r)
		if err != nil {
			return nil, err
		}
		files = append(files, own...)
		r.Next = append(r.Next, "make test", "make")
	case "python":
		values = append(values, "@PYTHON@", r.interpreter("python3"))
		files = append(files, file{python.FileName, python.Source, 0o644})
		r.Next = []string{"python3 -B -m unittest"}
	case "node":
		values = append(values, "@NODE@", r.interpreter("node"))
		files = append(files, file{node.FileName, node.Source, 0o644})
		r.Next = []string{"node --test"}
	case "sh":
		r.Next = []string{"sh test.sh"}
	}
	fill := strings.NewReplacer(values...)
	root := "templates/" + o.Language
	entries, err := templates.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := templates.ReadFile(path.Join(root, e.Name()))
		if err != nil {
			return nil, err
		}
		f := file{strings.TrimSuffix(e.Name(), ".txt"), []byte(fill.Replace(string(data))), 0o644}
		if f.name == "plugin" {
			f.name, f.mode = o.ID, 0o755
		}
		files = append(files, f)
	}
	return files, nil
}

// Interpreter is what the #! line of a program for it names, and what its
// author should know. A manager of versions puts a script of its own in the
// interpreter's place; that one starts programs which a plugin's sandbox does
// not allow, so the line names what it would start.
func Interpreter(name string) (line, note string) {
	env := "/usr/bin/env " + name
	found, err := exec.LookPath(name)
	if err != nil {
		return env, fmt.Sprintf("%s is not on PATH: install it to run the plugin", name)
	}
	head := make([]byte, 2)
	f, err := os.Open(found)
	if err != nil {
		return env, ""
	}
	defer f.Close()
	if _, err := f.Read(head); err != nil || string(head) != "#!" {
		return env, ""
	}
	ask := map[string][]string{"python3": {"-c", "import sys; print(sys.executable)"}, "node": {"-e", "console.log(process.execPath)"}}[name]
	out, err := exec.Command(found, ask...).Output()
	real := string(bytes.TrimSpace(out))
	if err != nil || !filepath.IsAbs(real) || strings.ContainsAny(real, " \n") {
		return env, ""
	}
	return real, fmt.Sprintf("%s is a script of a version manager, which a sandbox does not let start the real one: the plugin's first line names %s", found, real)
}

func (r *Result) interpreter(name string) string {
	line, note := Interpreter(name)
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	return line
}

// write makes the folder beside its place and moves it there, so that a host
// that watches sees it whole.
func write(dir string, files []file) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	// A hidden folder is no plugin.
	temp, err := os.MkdirTemp(parent, ".new-plugin-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	for _, f := range files {
		path := filepath.Join(temp, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	return os.Rename(temp, dir)
}
