package sdk

import (
	"os"
	"syscall"
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
	if null, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
		_ = redirect(null, 0)
		_ = syscall.Close(null)
	}
	_ = redirect(2, 1)

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

// moveAway returns a copy of fd beyond the three that every program has.
func moveAway(fd int) (int, error) {
	// A program that is started meanwhile must not inherit it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var low []int
	defer func() {
		for _, fd := range low {
			_ = syscall.Close(fd)
		}
	}()
	for {
		copied, err := syscall.Dup(fd)
		if err != nil {
			return 0, err
		}
		if copied > 2 {
			syscall.CloseOnExec(copied)
			return copied, nil
		}
		low = append(low, copied)
	}
}

// pollable makes a pipe or socket non-blocking, so that waiting for it holds
// no thread, and reports whether it did. Terminals and files stay as they are:
// they are shared with others.
func pollable(fd int) bool {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return false
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFIFO, syscall.S_IFSOCK:
		return syscall.SetNonblock(fd, true) == nil
	}
	return false
}

func writeAll(raw syscall.RawConn, b []byte) error {
	var err error
	waitErr := raw.Write(func(fd uintptr) bool {
		for len(b) > 0 && err == nil {
			var n int
			if n, err = syscall.Write(int(fd), b); n > 0 {
				b = b[n:]
			}
			switch err {
			case syscall.EINTR:
				err = nil
			case syscall.EAGAIN:
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
		n, err := syscall.Write(fd, b)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}
