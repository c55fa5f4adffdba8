package x11

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is a connection whose reader can let events gather without being woken
// by their arrival, and whose reads cost one wake-up of one thread.
//
// The runtime's poller watches not the connection but an epoll of the socket's
// own with the connection in it: the gate. While the gate is shut, arrival wakes
// nobody; a timer in it does, since the runtime's own timers go by milliseconds
// and wake twice. Reads are raw system calls on a connection that is known to be ready:
// one that announces itself to the scheduler wakes the runtime's monitor thread
// each time, which then sleeps in short steps; that cost more than the event.
type socket struct {
	file  *os.File // blocks when written to
	gate  *os.File
	timer *os.File // the reader's; nil until events gather for the first time
	conn  syscall.RawConn
	wait  syscall.RawConn
	open  bool // the reader's

	// What the reader is about; the functions are made once, since making them
	// for each read would allocate.
	p      []byte
	n      int
	err    error
	event  unix.EpollEvent
	after  unix.ItimerSpec
	set    bool
	take   func(conn uintptr) bool
	read   func(gate uintptr) bool
	rest   func(gate uintptr) bool
	inConn func(conn uintptr)
	inGate func(gate uintptr)
}

const gateOpen = unix.EPOLLIN | unix.EPOLLRDHUP

func dialUnix(path string) (net.Conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		_ = unix.Close(fd)
		return nil, &os.PathError{Op: "connect", Path: path, Err: err}
	}
	s := &socket{file: os.NewFile(uintptr(fd), path)}
	if err := s.makeGate(fd); err != nil {
		s.file.Close()
		return nil, err
	}
	return s, nil
}

func (s *socket) makeGate(fd int) error {
	gate, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(gate, true); err != nil { // or the runtime would not poll it
		_ = unix.Close(gate)
		return os.NewSyscallError("fcntl", err)
	}
	s.gate = os.NewFile(uintptr(gate), s.file.Name())
	if err := unix.EpollCtl(gate, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: gateOpen, Fd: int32(fd)}); err != nil {
		s.gate.Close()
		return os.NewSyscallError("epoll_ctl", err)
	}
	s.open = true
	if s.conn, err = s.file.SyscallConn(); err == nil {
		s.wait, err = s.gate.SyscallConn()
	}
	s.take = s.takeOnce
	s.read = func(uintptr) bool {
		if err := s.conn.Read(s.take); err != nil {
			s.err = err
		}
		return s.err != unix.EAGAIN
	}
	s.inConn = func(fd uintptr) {
		s.event.Fd = int32(fd)
		_ = s.wait.Control(s.inGate)
	}
	s.inGate = func(gate uintptr) {
		_ = unix.EpollCtl(int(gate), unix.EPOLL_CTL_MOD, int(s.event.Fd), &s.event)
	}
	return err
}

// takeOnce reads what is there.
func (s *socket) takeOnce(fd uintptr) bool {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(s.p))), uintptr(len(s.p)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			s.n, s.err = int(n), nil
		case unix.EINTR:
			continue
		default:
			s.n, s.err = 0, errno
		}
		return true
	}
}

// swing opens or shuts the gate.
func (s *socket) swing(open bool) {
	if s.open == open {
		return
	}
	s.event.Events = 0
	if open {
		s.event.Events = gateOpen
	}
	_ = s.conn.Control(s.inConn)
	s.open = open
}

// Read waits until there is something.
func (s *socket) Read(p []byte) (int, error) { return s.ReadAfter(p, 0) }

// ReadAfter lets events gather before it reads.
func (s *socket) ReadAfter(p []byte, d time.Duration) (int, error) {
	s.p = p
	n, err := s.readAfter(d)
	s.p = nil
	if err != nil && s.timer != nil { // nobody else has it, and nobody reads on
		s.timer.Close()
	}
	return n, err
}

func (s *socket) readAfter(d time.Duration) (int, error) {
	if d > 0 && s.makeTimer() == nil {
		s.swing(false)
		s.after.Value = unix.NsecToTimespec(int64(d))
		s.set = false
		if err := s.wait.Read(s.rest); err != nil {
			return 0, err
		}
		if s.read(0) {
			return s.result()
		}
	}
	s.swing(true)
	if err := s.wait.Read(s.read); err != nil {
		return 0, err
	}
	return s.result()
}

// makeTimer makes the timer, once.
func (s *socket) makeTimer() error {
	if s.timer != nil {
		return nil
	}
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
	if err != nil {
		return err
	}
	ctl := func(gate uintptr) {
		err = unix.EpollCtl(int(gate), unix.EPOLL_CTL_ADD, timer, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(timer)})
	}
	if failed := s.wait.Control(ctl); failed != nil || err != nil {
		_ = unix.Close(timer)
		return errors.Join(failed, err)
	}
	s.timer = os.NewFile(uintptr(timer), "timer")
	set := func(timer uintptr) {
		_, _, _ = unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, timer, 0, uintptr(unsafe.Pointer(&s.after)), 0, 0, 0)
	}
	raw, err := s.timer.SyscallConn()
	if err != nil {
		return err
	}
	// The poller has begun to listen when this is called first. The second
	// time it has heard the timer; being woken early does no harm.
	s.rest = func(uintptr) bool {
		if s.set {
			return true
		}
		s.set = true
		return raw.Control(set) != nil
	}
	return nil
}

func (s *socket) result() (int, error) {
	switch {
	case s.err != nil:
		return 0, os.NewSyscallError("recvfrom", s.err)
	case s.n == 0 && len(s.p) > 0:
		return 0, io.EOF
	}
	return s.n, nil
}

// Write sends at once what the server has room for, which is all of it but for
// pictures, and waits with the rest.
func (s *socket) Write(p []byte) (n int, err error) {
	failed := s.conn.Control(func(fd uintptr) {
		sent, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			n = int(sent)
		case unix.EAGAIN, unix.EINTR:
		default:
			err = os.NewSyscallError("sendto", errno)
		}
	})
	if err = errors.Join(failed, err); err != nil || n == len(p) {
		return n, err
	}
	rest, err := s.file.Write(p[n:])
	return n + rest, err
}

// Close ends the connection, which wakes whoever reads or writes; the numbers
// are given back when the last user has returned.
func (s *socket) Close() error {
	_ = s.conn.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	_ = s.gate.Close()
	return s.file.Close()
}

func (s *socket) LocalAddr() net.Addr              { return &net.UnixAddr{Net: "unix"} }
func (s *socket) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: s.file.Name(), Net: "unix"} }
func (s *socket) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (s *socket) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (s *socket) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
