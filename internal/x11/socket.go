package x11

import (
	"net"
	"os"
	"syscall"
	"time"
)

// socket is a connection whose reads block their thread in the kernel instead
// of parking a goroutine in the runtime's poller: while the reader lets events
// gather, nothing is woken by their arrival.
type socket struct {
	file *os.File
}

func dialUnix(path string) (net.Conn, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		_ = syscall.Close(fd)
		return nil, &os.PathError{Op: "connect", Path: path, Err: err}
	}
	return &socket{file: os.NewFile(uintptr(fd), path)}, nil
}

func (s *socket) Read(p []byte) (int, error)  { return s.file.Read(p) }
func (s *socket) Write(p []byte) (int, error) { return s.file.Write(p) }

// Close wakes a blocked reader by ending the connection; the number is given
// back when the last user of it has returned.
func (s *socket) Close() error {
	if c, err := s.file.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
	}
	return s.file.Close()
}

func (s *socket) LocalAddr() net.Addr              { return &net.UnixAddr{Net: "unix"} }
func (s *socket) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: s.file.Name(), Net: "unix"} }
func (s *socket) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (s *socket) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (s *socket) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// rest blocks the thread, where a timer of the runtime would wake others.
func rest(d time.Duration) {
	t := syscall.NsecToTimeval(int64(d))
	_ = wait(&t)
}
