package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// stdio is the three pipes of a child. The parent's ends are non-blocking, so
// that deadlines and Close work on them; the child's ends block, because
// programs in other languages expect that.
type stdio struct {
	child  [3]int
	parent [3]*os.File
}

func newStdio(name string) (*stdio, error) {
	s := &stdio{child: [3]int{-1, -1, -1}}
	for i, stream := range []string{"stdin", "stdout", "stderr"} {
		r, w, err := pipe()
		if err != nil {
			s.close()
			return nil, fmt.Errorf("%s pipe: %w", stream, err)
		}
		child, parent := w, r
		if i == 0 {
			child, parent = r, w
		}
		s.child[i] = child
		f, err := pollable(parent, name+" "+stream)
		if err != nil {
			syscall.Close(parent)
			s.close()
			return nil, err
		}
		s.parent[i] = f
	}
	return s, nil
}

func pollable(fd int, name string) (*os.File, error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("%s: non-blocking: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// closeChild closes the child's ends once the child has them.
func (s *stdio) closeChild() {
	for i, fd := range s.child {
		if fd >= 0 {
			syscall.Close(fd)
			s.child[i] = -1
		}
	}
}

func (s *stdio) close() {
	s.closeChild()
	for _, f := range s.parent {
		if f != nil {
			f.Close()
		}
	}
}
