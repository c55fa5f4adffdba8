package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/procid"
)

// Record is what the pid file says of a worker. A pid alone names nothing for
// long; with its start time and its program it names one process for ever.
type Record struct {
	Schema     int    `json:"schema"`
	PID        int    `json:"pid"`
	Start      uint64 `json:"start"`
	Executable string `json:"executable"`
}

const recordSchema = 1

// ErrRunning says that another worker holds the pid file.
var ErrRunning = errors.New("a pointer worker is running already")

// PIDFile is where a worker of this state folder says that it runs.
func PIDFile(state string) string { return filepath.Join(state, "pointer.pid") }

// pidLock is a held pid file.
type pidLock struct {
	file *os.File
	path string
}

// acquire takes the pid file for this process. Its lock, not its content,
// keeps a second worker out; what a dead one left is overwritten.
func acquire(path string) (*pidLock, error) {
	f, err := lock(path)
	if err != nil {
		return nil, err
	}
	l := &pidLock{file: f, path: path}
	if err := l.write(); err != nil {
		l.release()
		return nil, fmt.Errorf("pid file %s: %w", path, err)
	}
	return l, nil
}

// lock opens and locks the file at path. The holder removes the file when it
// ends, so the file that was locked must still be the one at path.
func lock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("pid file: %w", err)
	}
	for deadline := time.Now().Add(endWithin); ; {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("pid file: %w", err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			if !errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("pid file %s: %w", path, err)
			}
			// One that was killed keeps its lock for as long as the kernel
			// takes it apart, and one that has just begun has not written yet.
			if r, err := readRecord(path); err == nil && r.alive() || time.Now().After(deadline) {
				return nil, ErrRunning
			}
			time.Sleep(pace)
			continue
		}
		mine, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
	}
}

func (l *pidLock) write() error {
	r := Record{Schema: recordSchema, PID: os.Getpid()}
	var err error
	if r.Start, r.Executable, err = identify(r.PID); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(data, '\n'), 0)
	return err
}

// release removes the file while it is still locked, so that no other worker's
// file can be the one that goes.
func (l *pidLock) release() {
	os.Remove(l.path)
	l.file.Close()
}

// readRecord reads the pid file; fs.ErrNotExist when there is none.
func readRecord(path string) (Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != recordSchema || r.PID <= 1 {
		return Record{}, fmt.Errorf("pid file %s is not of a pointer worker of this version", path)
	}
	return r, nil
}

// alive reports whether the process that the record names still runs. A
// process that has ended and was not collected has no program, so it is none.
func (r Record) alive() bool {
	start, exe, err := identify(r.PID)
	return err == nil && start == r.Start && exe == r.Executable
}

// identify is a process's start and its program.
func identify(pid int) (start uint64, exe string, err error) {
	if start, err = procid.StartTime(pid); err != nil {
		return 0, "", err
	}
	exe, err = executable(pid)
	return start, exe, err
}

// clean removes a pid file that no worker holds.
func clean(path string) error {
	f, err := lock(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// program is the path of a running program without the mark that the kernel
// adds when an upgrade has replaced its file.
func program(path string) string { return strings.TrimSuffix(path, " (deleted)") }
