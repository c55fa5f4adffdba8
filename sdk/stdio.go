package sdk

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// takeStdio moves the two streams to descriptors that nobody else knows. What
// the plugin prints lands on stderr instead of among the frames, and programs
// that it starts inherit neither stream: none can eat the host's frames or
// hold the pipes open past the plugin's end.
func (c *conn) takeStdio() error {
	in, err := moveAway(0)
	if err != nil {
		return err
	}
	out, err := moveAway(1)
	if err != nil {
		return err
	}
	if null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		_ = unix.Dup2(null, 0)
		_ = unix.Close(null)
	}
	_ = unix.Dup2(2, 1)

	pollable(in)
	c.opts.In = os.NewFile(uintptr(in), "stdin")
	nonblocking := pollable(out)
	file := os.NewFile(uintptr(out), "stdout")
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	// Not file.Write: on a broken pipe it may end the process by SIGPIPE, and
	// a host that has gone is an ordinary end here.
	c.out.write = func(b []byte) error { return writeAll(raw, b) }
	if nonblocking {
		c.out.tryWrite = func(b []byte) (int, error) { return writeSome(out, b) }
	}
	return nil
}

func moveAway(fd int) (int, error) {
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
}

// pollable makes a pipe or socket non-blocking, so that waiting for it holds
// no thread, and reports whether it did. Terminals and files stay as they are:
// they are shared with others.
func pollable(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFSOCK:
		return unix.SetNonblock(fd, true) == nil
	}
	return false
}

func writeAll(raw syscall.RawConn, b []byte) error {
	var err error
	waitErr := raw.Write(func(fd uintptr) bool {
		for len(b) > 0 && err == nil {
			var n int
			if n, err = unix.Write(int(fd), b); n > 0 {
				b = b[n:]
			}
			switch err {
			case unix.EINTR:
				err = nil
			case unix.EAGAIN:
				err = nil
				return false
			}
		}
		return true
	})
	if err == nil {
		err = waitErr
	}
	return err
}

// writeSome writes what fits without waiting.
func writeSome(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Write(fd, b)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}
