package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/procid"
)

// RunningError says that another resident holds the socket.
type RunningError struct {
	Socket string
	PID    int // 0 when the lock does not say
}

func (e *RunningError) Error() string {
	if e.PID > 0 {
		return fmt.Sprintf("flash is already running (pid %d, socket %s); `flash stop` ends it", e.PID, e.Socket)
	}
	return fmt.Sprintf("flash is already running (socket %s); `flash stop` ends it", e.Socket)
}

// Owner is what the lock beside the socket says of the process that holds it.
// A pid alone names nothing for long, so the start time goes with it.
type Owner struct {
	Schema  int    `json:"schema"`
	PID     int    `json:"pid"`
	Start   uint64 `json:"start"`
	Version string `json:"version"`
}

const ownerSchema = 1

// Listener is a bound control socket together with the lock that makes its
// holder the only resident of this user.
type Listener struct {
	net.Listener
	path string
	lock *os.File
}

// Listen binds the socket at path and locks it for this process. It returns a
// *RunningError, and leaves the socket alone, while another process serves it;
// what a dead one left behind is replaced. The socket's folder is created for
// the owner alone.
func Listen(path, version string) (*Listener, error) {
	if err := ownerOnlyDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(lockPath(path), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("control lock: %w", err)
	}
	// Two witnesses: the lock of a live holder, and a live socket whose lock
	// file somebody removed.
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || (err == nil && answers(path)) {
		owner, _ := readOwner(path)
		lock.Close()
		return nil, &RunningError{Socket: path, PID: owner.PID}
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("control lock %s: %w", lockPath(path), err)
	}
	l, err := bind(path)
	if err != nil {
		lock.Close()
		return nil, err
	}
	if err := writeOwner(lock, version); err != nil {
		l.Close()
		lock.Close()
		return nil, fmt.Errorf("control lock %s: %w", lockPath(path), err)
	}
	return &Listener{Listener: l, path: path, lock: lock}, nil
}

// Close stops listening, removes the socket and gives the lock up. The lock
// file stays: removing it would let two processes each lock a file of its own.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	if rm := os.Remove(l.path); rm != nil && !errors.Is(rm, fs.ErrNotExist) && err == nil {
		err = rm
	}
	_ = l.lock.Truncate(0)
	l.lock.Close()
	return err
}

func lockPath(socket string) string { return socket + ".lock" }

func bind(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("control socket %s: a file of another kind is in the way; move it", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("control socket %s: stale and cannot be removed: %w", path, err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("control socket %s: %w", path, err)
	}
	// Close removes the path itself, after the lock is known to be ours.
	l.SetUnlinkOnClose(false)
	// Until this line the folder's mode and the check of each peer's uid guard it.
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("control socket %s: %w", path, err)
	}
	return l, nil
}

// ownerOnlyDir makes dir for the owner alone, or checks that it is: a folder
// that others may write would let them put their own socket in our place.
func ownerOnlyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("control socket folder: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return fmt.Errorf("control socket folder %s: %w", dir, err)
	}
	if int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("control socket folder %s belongs to uid %d, not to you; set FLASH_SOCKET to a path of your own", dir, st.Uid)
	}
	if st.Mode&0o022 != 0 {
		return fmt.Errorf("control socket folder %s can be written by others; `chmod 700 %s`", dir, dir)
	}
	return nil
}

func answers(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

func writeOwner(lock *os.File, version string) error {
	start, err := procid.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	data, err := json.Marshal(Owner{Schema: ownerSchema, PID: os.Getpid(), Start: start, Version: version})
	if err != nil {
		return err
	}
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err = lock.WriteAt(append(data, '\n'), 0)
	return err
}

func readOwner(socket string) (Owner, error) {
	data, err := os.ReadFile(lockPath(socket))
	if err != nil {
		return Owner{}, err
	}
	var o Owner
	if err := json.Unmarshal(data, &o); err != nil {
		return Owner{}, fmt.Errorf("control lock %s: %w", lockPath(socket), err)
	}
	if o.Schema != ownerSchema {
		return Owner{}, fmt.Errorf("control lock %s has schema %d, this flash reads %d", lockPath(socket), o.Schema, ownerSchema)
	}
	return o, nil
}

// Holder returns the process that serves the socket's lock, and whether it
// lives: the pid must still belong to the process that wrote the lock.
func Holder(socket string) (Owner, bool) {
	o, err := readOwner(socket)
	if err != nil || o.PID <= 1 {
		return Owner{}, false
	}
	start, err := procid.StartTime(o.PID)
	return o, err == nil && start == o.Start
}
