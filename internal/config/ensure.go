package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const private = 0o700

// Ensure makes the directories that Flash writes to, each 0700. The
// configuration's own is made only when it is absent and otherwise left as it
// is: it is the user's, often a link into a repository of dotfiles.
func (p Paths) Ensure() error {
	for _, dir := range []string{p.State, p.Data, p.Cache, p.Logs} {
		if err := EnsurePrivate(dir); err != nil {
			return err
		}
	}
	if err := ensureTrusted(p.Runtime); err != nil {
		return err
	}
	if _, err := os.Stat(p.ConfigDir); errors.Is(err, fs.ErrNotExist) {
		return EnsurePrivate(p.ConfigDir)
	}
	return nil
}

// EnsurePrivate makes dir and its parents, and closes dir to others when it
// was there already.
func EnsurePrivate(dir string) error {
	if err := os.MkdirAll(dir, private); err != nil {
		return fmt.Errorf("make %s: %w; make its place writable for you, or name another in the XDG variables", dir, err)
	}
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if owner(st) != os.Getuid() {
		return fmt.Errorf("%s belongs to uid %d, not to you; remove it or give it back with chown", dir, owner(st))
	}
	if st.Mode().Perm() != private {
		if err := os.Chmod(dir, private); err != nil {
			return fmt.Errorf("close %s to others: %w", dir, err)
		}
	}
	return nil
}

// ensureTrusted is EnsurePrivate for a place where others can write too: what
// is there must be a directory, no link, ours and shut, or somebody else could
// own the socket that commands are sent to. It is not repaired by chmod: one
// that was open may hold what others put there.
func ensureTrusted(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), private); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(dir), err)
	}
	err := os.Mkdir(dir, private)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("look at %s: %w", dir, err)
	case !st.IsDir():
		return fmt.Errorf("%s is not a directory; remove it", dir)
	case owner(st) != os.Getuid():
		return fmt.Errorf("%s belongs to uid %d, not to you; remove it or set XDG_RUNTIME_DIR", dir, owner(st))
	case st.Mode().Perm() != private:
		return fmt.Errorf("%s has mode %04o and others may have written there; remove it, or chmod 700 it if you trust what it holds", dir, st.Mode().Perm())
	}
	return nil
}

func owner(st fs.FileInfo) int {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
