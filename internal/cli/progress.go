package cli

import (
	"fmt"
	"io"
	"os"
)

// progress is a line on a terminal that is overwritten, and nothing in a pipe
// or where a line cannot be.
type progress struct{ w io.Writer }

func newProgress(w io.Writer) progress {
	if !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return progress{}
	}
	return progress{w}
}

func (p progress) show(format string, args ...any) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

func (p progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
