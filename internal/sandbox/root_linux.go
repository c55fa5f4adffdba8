package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// stage is where the new root is mounted while it is built. Every Linux
	// has it, and the namespace gets a new one anyway.
	stage = "/proc"
	// placeholderCap bounds the entries copied as placeholders from one
	// directory; names past it answer ENOENT instead of EACCES.
	placeholderCap = 4096
)

// rootBuilder builds a child's root on a tmpfs, relative to the working
// directory.
type rootBuilder struct {
	trees  map[string]int  // path → detached copy of what is bound there
	placed []mount         // what stands already
	made   map[string]bool // directories on a tmpfs that were filled with placeholders
	tmpfs  []string        // to be made read-only at the end
}

// buildRoot replaces the root of this mount namespace by the planned one. It
// reports whether a fresh /proc could be mounted: inside some containers the
// kernel refuses it, and the child then has an empty /proc.
func buildRoot(plan []mount) (proc bool, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return false, fmt.Errorf("make mounts private: %w", err)
	}
	b := &rootBuilder{trees: map[string]int{}, made: map[string]bool{}}
	if err := b.openTrees(plan); err != nil {
		return false, err
	}
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"); err != nil {
		return false, fmt.Errorf("mount the new root: %w", err)
	}
	if err := unix.Chdir(stage); err != nil {
		return false, fmt.Errorf("enter the new root: %w", err)
	}
	b.tmpfs = append(b.tmpfs, ".")
	if err := b.directory("/"); err != nil {
		return false, err
	}
	for _, m := range plan {
		if err := b.place(m); err != nil {
			return false, fmt.Errorf("%s %q: %w", m.Kind, m.Path, err)
		}
	}
	if err := b.directory("/dev"); err != nil {
		return false, err
	}
	proc = b.mountProc() == nil
	for _, dir := range b.tmpfs {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return false, fmt.Errorf("make %q read-only: %w", dir, err)
		}
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return false, fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return false, fmt.Errorf("detach the old root: %w", err)
	}
	return proc, unix.Chdir("/")
}

// openTrees copies every bound tree before the stage covers anything. What
// has gone since the policy was made is left out.
func (b *rootBuilder) openTrees(plan []mount) error {
	for _, m := range plan {
		if m.Kind != mountBind {
			continue
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, m.Path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy the mount of %q: %w", m.Path, err)
		}
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID, Propagation: unix.MS_PRIVATE}
		if !m.Device {
			attr.Attr_set |= unix.MOUNT_ATTR_NODEV
		}
		if !m.Write {
			attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
		}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return fmt.Errorf("attributes of %q: %w", m.Path, err)
		}
		b.trees[m.Path] = fd
	}
	return nil
}

func (b *rootBuilder) place(m mount) error {
	tree, bound := b.trees[m.Path]
	if m.Kind == mountBind && !bound {
		return nil
	}
	for _, dir := range parents(m.Path) {
		if err := b.directory(dir); err != nil {
			return err
		}
	}
	switch m.Kind {
	case mountDir:
		return b.directory(m.Path)
	case mountMask:
		return b.mask(m)
	}
	if err := b.target(tree, m.Path); err != nil {
		return err
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, relative(m.Path), unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	unix.Close(tree)
	b.placed = append(b.placed, m)
	return nil
}

// directory makes a walkable directory of placeholders, unless a bound tree
// has the real one. A placeholder keeps the name and shuts the door: what is
// not granted answers EACCES or EROFS, as it does without a namespace.
func (b *rootBuilder) directory(path string) error {
	if around, ok := enclosing(b.placed, path); ok && around.Kind == mountBind || b.made[path] {
		return nil
	}
	rel := relative(path)
	if err := unix.Mkdir(rel, 0o555); err != nil && err != unix.EEXIST {
		return err
	}
	if err := unix.Chmod(rel, 0o555); err != nil {
		return err
	}
	b.made[path] = true
	if path == "/dev" {
		return nil // a hundred devices that nobody asks for
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // not readable for the host: nothing to imitate
	}
	defer f.Close()
	entries, _ := f.ReadDir(placeholderCap)
	for _, e := range entries {
		if err := b.placeholder(path, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *rootBuilder) placeholder(dir string, e os.DirEntry) error {
	real := filepath.Join(dir, e.Name())
	rel := relative(real)
	var err error
	switch {
	case e.IsDir():
		err = unix.Mkdir(rel, 0)
	case e.Type()&os.ModeSymlink != 0:
		link, readErr := os.Readlink(real)
		if readErr != nil {
			return nil
		}
		err = unix.Symlink(link, rel)
	default:
		var fd int
		if fd, err = unix.Open(rel, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			unix.Close(fd)
		}
	}
	if err != nil && err != unix.EEXIST {
		return fmt.Errorf("placeholder %q: %w", real, err)
	}
	return nil
}

// target makes sure that there is something to mount on.
func (b *rootBuilder) target(tree int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	rel := relative(path)
	var err error
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		err = unix.Mkdir(rel, 0)
	} else {
		var fd int
		if fd, err = unix.Open(rel, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			unix.Close(fd)
		}
	}
	if err == unix.EEXIST || err == unix.EROFS {
		// A placeholder, or the entry of a bound tree.
		return nil
	}
	return err
}

// mask covers a secret inside a bound tree, if it exists.
func (b *rootBuilder) mask(m mount) error {
	var st unix.Stat_t
	rel := relative(m.Path)
	if err := unix.Lstat(rel, &st); err != nil {
		return nil // Landlock keeps it closed should it appear later
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil // the policy resolved it: its target is masked
	case unix.S_IFDIR:
		if err := unix.Mount("tmpfs", rel, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0000,size=1m"); err != nil {
			return err
		}
		b.tmpfs = append(b.tmpfs, rel)
	default:
		if err := b.maskFile(rel); err != nil {
			return err
		}
	}
	b.placed = append(b.placed, m)
	return nil
}

// maskFile covers a file with an unreadable, empty one of the root's tmpfs.
func (b *rootBuilder) maskFile(rel string) error {
	const closed = ".closed"
	fd, err := unix.Open(closed, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	unix.Close(fd)
	tree, err := unix.OpenTree(unix.AT_FDCWD, closed, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC}); err != nil {
		return err
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, rel, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func (b *rootBuilder) mountProc() error {
	rel := relative("/proc")
	if err := unix.Mkdir(rel, 0o555); err != nil && err != unix.EEXIST {
		return err
	}
	if err := unix.Chmod(rel, 0o555); err != nil {
		return err
	}
	return unix.Mount("proc", rel, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// relative turns an absolute path into one below the directory a root is
// built in.
func relative(path string) string {
	if path == "/" {
		return "."
	}
	return strings.TrimPrefix(path, "/")
}
