package login

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/flash-launcher/flash/internal/atomicfile"
)

// file is one of the files that the system reads: what Flash writes into it for
// a program, and which program a text of it names.
type file struct {
	path    string
	write   func(program string) string
	program func(text string) string
	// on takes back what the system's own settings do to the file to switch it
	// off; nil where they do nothing.
	on func(text string) string
}

// found is what is in a file's place.
type found struct {
	text    string
	there   bool
	ours    bool // word for word what Flash writes for the program that it names
	off     bool // but switched off by the system's own settings
	program string
}

func (f file) look() (found, error) {
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(f.path); err == nil {
			return found{there: true}, nil // a link to nothing
		}
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	text := string(data)
	is := found{text: text, there: true, program: f.program(text)}
	if f.on != nil {
		plain := f.on(text)
		is.off, text = plain != text, plain
	}
	is.ours = is.program != "" && f.write(is.program) == text
	return is, nil
}

// kept is where a file goes that was replaced. Neither launchd nor systemd nor a
// desktop reads a name that ends so.
func (f file) kept() string { return f.path + ".replaced" }

// check refuses what is not Flash's to change.
func (f file) check(force bool) (found, error) {
	is, err := f.look()
	if err == nil && is.there && !is.ours && !force {
		return is, fmt.Errorf("%s is not as Flash writes it: it was edited, or is another program's. Remove it, or say --force; it is then kept as %s", f.path, f.kept())
	}
	return is, err
}

// place brings the file in line with a program and reports whether that changed
// it. What was not Flash's is kept beside, and said.
func (f file) place(program string, force bool, r *Result) (changed bool, err error) {
	is, err := f.check(force)
	text := f.write(program)
	if err != nil || is.text == text {
		return false, err
	}
	if err := f.keep(is, r); err != nil {
		return false, err
	}
	// launchd refuses an agent that others could write.
	return true, atomicfile.Write(f.path, []byte(text), 0o644)
}

// remove takes the file away, and reports whether there was one.
func (f file) remove(force bool, r *Result) (bool, error) {
	is, err := f.check(force)
	if err != nil || !is.there {
		return false, err
	}
	if !is.ours {
		return true, f.keep(is, r)
	}
	return true, os.Remove(f.path)
}

func (f file) keep(is found, r *Result) error {
	if !is.there || is.ours {
		return nil
	}
	if err := os.Rename(f.path, f.kept()); err != nil {
		return err
	}
	r.note("what " + f.path + " said is kept in " + f.kept())
	return nil
}

// missing says that the program which a file names is gone.
func missing(path, program string) string {
	if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return ""
	}
	return fmt.Sprintf("%s starts %s, which is not there", path, program)
}
