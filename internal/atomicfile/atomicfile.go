// Package atomicfile replaces small files in one step: whoever reads meanwhile,
// is killed or loses power has the old file or the new one, whole. It knows
// nothing of what is in them, and is not for folders that a plugin can write to:
// there a name may become a link at any moment.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes data what path holds, and the folders that it is in, private. A
// link stays one, and what it leads to is replaced.
func Write(path string, data []byte, mode fs.FileMode) (err error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, leftovers(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync() // before the rename, or a power cut could leave an empty file
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// RemoveLeftovers removes what a writer of path left that was killed before its
// rename.
func RemoveLeftovers(path string) {
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), leftovers(path)))
	for _, n := range names {
		_ = os.Remove(n)
	}
}

// leftovers is a pattern for os.CreateTemp and filepath.Glob alike.
func leftovers(path string) string { return "." + filepath.Base(path) + ".*.new" }
