package tmux

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxSockets bounds the servers that are looked at. Each is a file in a
// directory of the user's own.
const maxSockets = 64

// defaultSocket is the name of the server that tmux uses when it is told none.
const defaultSocket = "default"

// socketDir is where tmux keeps the sockets of this user below tmpdir.
func socketDir(tmpdir string) string {
	return filepath.Join(tmpdir, "tmux-"+strconv.Itoa(os.Getuid()))
}

// errForeign: tmux itself refuses such a directory, as somebody else could put
// a server of theirs there.
var errForeign = errors.New("the socket directory is not this user's alone; remove it and let tmux make it again")

// listSockets returns the sockets in dir, sorted. A directory that is not there
// has none.
func listSockets(dir string) ([]string, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o007 != 0 {
		return nil, errForeign
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		// A sandbox may let sockets be reached and not be listed.
		return []string{filepath.Join(dir, defaultSocket)}, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if e.Type() == fs.ModeSocket && len(list) < maxSockets {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, nil
}

// life is what a socket file says of its server.
type life int

const (
	alive   life = iota // something listens
	dead                // nothing does, or there is no file
	unknown             // it cannot be told now
)

// probe looks whether something listens at a socket, without waiting: starting
// tmux to learn that nobody is there would take far longer.
func probe(path string) (life, error) {
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return unknown, err
	}
	defer unix.Close(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return unknown, err
	}
	for {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err == nil, errors.Is(err, unix.EISCONN), errors.Is(err, unix.EINPROGRESS):
		return alive, nil
	case errors.Is(err, unix.ECONNREFUSED), errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENOTSOCK):
		return dead, nil
	}
	return unknown, err
}

// withoutPath leaves the file's name out of an error that is logged.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
