package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// stage is where the new root is mounted while it is built. Every Linux
	// has it, nothing is bound from it, and the namespace gets a new one
	// anyway.
	stage = "/proc"
	// placeholderCap bounds the entries copied as placeholders from one
	// directory; names past it answer ENOENT instead of EACCES.
	placeholderCap = 4096
)

// rootBuilder writes down how a child's root is built on a tmpfs, relative to
// the working directory. What exists it sees from the host; what has gone
// until the shim comes to it either does not matter or fails the start.
type rootBuilder struct {
	*script
	placed []mount         // what stands already
	made   map[string]bool // directories on a tmpfs that were filled with placeholders
	tmpfs  []string        // to be made read-only at the end
	closed uint32          // address of the name of the file that is closed
}

// buildRoot replaces the root of the shim's mount namespace by the planned
// one. Inside some containers the kernel refuses a fresh /proc; the child then
// has an empty one.
func (s *script) buildRoot(plan []mount) {
	b := &rootBuilder{script: s, made: map[string]bool{}}
	b.do("make mounts private", unix.SYS_MOUNT, b.text(""), b.text("/"), b.text(""), unix.MS_REC|unix.MS_PRIVATE, 0)
	b.mountTmpfs("mount the new root", stage, 0, "mode=0755,size=16m")
	b.do("enter the new root", unix.SYS_CHDIR, b.text(stage))
	b.tmpfs = append(b.tmpfs, ".")
	b.closed = b.text(closed)
	b.do("make the closed file", unix.SYS_MKNODAT, atCWD, b.closed, unix.S_IFREG, 0)
	b.directory("/")
	for _, m := range plan {
		b.place(m)
	}
	b.directory("/dev")
	b.mountProc()
	for _, dir := range b.tmpfs {
		b.setattr("make read-only "+dir, atCWD, dir, 0, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
	here := b.text(".")
	b.do("pivot_root", unix.SYS_PIVOT_ROOT, here, here)
	b.do("detach the old root", unix.SYS_UMOUNT2, here, unix.MNT_DETACH)
	b.do("enter the root", unix.SYS_CHDIR, b.text("/"))
}

func (b *rootBuilder) place(m mount) {
	var st unix.Stat_t
	if err := unix.Lstat(m.Path, &st); err != nil {
		// What has gone since the policy was made is left out. Landlock keeps
		// a secret closed that comes later.
		return
	}
	for _, dir := range parents(m.Path) {
		b.directory(dir)
	}
	directory := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case m.Kind == mountDir:
		b.directory(m.Path)
	case m.Kind == mountBind:
		b.bind(m, directory)
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		// The policy resolved it: its target is masked.
	case directory:
		rel := relative(m.Path)
		b.mountTmpfs("mask "+m.Path, rel, unix.MS_NOEXEC, "mode=0000,size=1m")
		b.tmpfs = append(b.tmpfs, rel)
		b.placed = append(b.placed, m)
	default:
		b.maskFile(m.Path)
		b.placed = append(b.placed, m)
	}
}

// bind attaches a copy of what stands at the same path outside, recursively.
func (b *rootBuilder) bind(m mount, directory bool) {
	gone := b.unless(b.do("copy the mount of "+m.Path, unix.SYS_OPEN_TREE, atCWD, b.text(m.Path),
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE), unix.ENOENT, unix.EACCES)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID, Propagation: unix.MS_PRIVATE}
	if !m.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !m.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	b.setattr("attributes of "+m.Path, own, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)
	if !b.bound(m.Path) {
		b.entry(m.Path, directory, b.masked(m.Path))
	}
	b.attach(m.Path)
	b.join(gone)
	b.placed = append(b.placed, m)
}

// attach puts the tree that is open where a path is, and closes it.
func (b *rootBuilder) attach(path string) {
	b.do("attach "+path, unix.SYS_MOVE_MOUNT, own, b.text(""), atCWD, b.text(relative(path)), unix.MOVE_MOUNT_F_EMPTY_PATH)
	b.do("close "+path, unix.SYS_CLOSE, own)
}

// bound says whether a path shows the real thing so far.
func (b *rootBuilder) bound(path string) bool {
	around, ok := enclosing(b.placed, path)
	return ok && around.Kind == mountBind
}

// masked says whether a path is on the tmpfs over a secret.
func (b *rootBuilder) masked(path string) bool {
	around, ok := enclosing(b.placed, path)
	return ok && around.Kind == mountMask
}

// directory makes a walkable directory of placeholders, unless a bound tree
// has the real one. A placeholder keeps the name and shuts the door: what is
// not granted answers EACCES or EROFS, as it does without a namespace.
func (b *rootBuilder) directory(path string) {
	if b.made[path] || b.bound(path) {
		return
	}
	b.walkable(path)
	b.made[path] = true
	if path == "/dev" {
		return // a hundred devices that nobody asks for
	}
	f, err := os.Open(path)
	if err != nil {
		return // not readable for the host: nothing to imitate
	}
	defer f.Close()
	entries, _ := f.ReadDir(placeholderCap)
	masked := b.masked(path)
	for _, e := range entries {
		b.placeholder(filepath.Join(path, e.Name()), e, masked)
	}
}

// walkable makes a directory that can be walked through and listed; within a
// mask only walked through: it leads to what is granted inside a secret, and
// the names beside that are the secret's.
func (b *rootBuilder) walkable(path string) {
	rel, mode := b.text(relative(path)), uint32(0o555)
	if b.masked(path) {
		mode = 0o111
	}
	b.try("make "+path, unix.SYS_MKDIRAT, []uint32{atCWD, rel, mode}, unix.EEXIST)
	b.do("open "+path, unix.SYS_FCHMODAT, atCWD, rel, mode)
}

func (b *rootBuilder) placeholder(real string, e os.DirEntry, masked bool) {
	if e.Type()&os.ModeSymlink == 0 {
		b.entry(real, e.IsDir(), masked)
		return
	}
	if link, err := os.Readlink(real); err == nil {
		b.try(stepPlaceholder, unix.SYS_SYMLINKAT, []uint32{b.text(link), atCWD, b.text(relative(real))})
	}
}

const (
	// stepPlaceholder names the steps of which there are hundreds. One may fail:
	// the name is there already, or answers ENOENT; what needs it says so.
	stepPlaceholder = "placeholder"
	// closed is the one file, unreadable and empty, behind every name of a file
	// that is not granted: a name costs the kernel a fraction of a file.
	closed = ".closed"
)

// entry makes sure that there is a closed directory or file of that name.
func (b *rootBuilder) entry(path string, directory, masked bool) {
	rel := b.text(relative(path))
	switch {
	case directory:
		b.try(stepPlaceholder, unix.SYS_MKDIRAT, []uint32{atCWD, rel, 0})
	case masked: // another file system: no name there is one of the closed file
		b.try(stepPlaceholder, unix.SYS_MKNODAT, []uint32{atCWD, rel, unix.S_IFREG, 0})
	default:
		b.try(stepPlaceholder, unix.SYS_LINKAT, []uint32{atCWD, b.closed, atCWD, rel, 0})
	}
}

// maskFile covers a file with the closed one.
func (b *rootBuilder) maskFile(path string) {
	name := "mask " + path
	b.do(name, unix.SYS_OPEN_TREE, atCWD, b.closed, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	b.setattr(name, own, "", unix.AT_EMPTY_PATH, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC})
	b.attach(path)
}

func (b *rootBuilder) mountProc() {
	b.walkable("/proc")
	proc := b.text("proc")
	b.try("mount /proc", unix.SYS_MOUNT, []uint32{proc, proc, proc, unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, 0})
}

func (b *rootBuilder) mountTmpfs(name, path string, flags uint32, options string) {
	tmpfs := b.text("tmpfs")
	b.do(name, unix.SYS_MOUNT, tmpfs, b.text(path), tmpfs, unix.MS_NOSUID|unix.MS_NODEV|flags, b.text(options))
}

func (b *rootBuilder) setattr(name string, fd uint32, path string, flags uint32, a unix.MountAttr) {
	b.do(name, unix.SYS_MOUNT_SETATTR, fd, b.text(path), flags,
		b.quads(a.Attr_set, a.Attr_clr, a.Propagation, a.Userns_fd), uint32(unsafe.Sizeof(a)))
}

// relative turns an absolute path into one below the directory a root is
// built in.
func relative(path string) string {
	if path == "/" {
		return "."
	}
	return strings.TrimPrefix(path, "/")
}
