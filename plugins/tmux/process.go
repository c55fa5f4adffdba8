package tmux

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/program"
)

const (
	// patience is how long one call of tmux may take. A local server answers
	// in milliseconds; one that does not is stopped or stuck.
	patience = 2 * time.Second
	// sshPatience leaves room for a handshake over a slow line.
	sshPatience = 6 * time.Second
	// drain is how long the pipes of an ended control client may stay open: tmux
	// hands its own to the server, which lets go of them when it next runs.
	drain = 500 * time.Millisecond
)

var (
	errTooMuch = errors.New("tmux printed more than an inventory can be")
	errTimeout = errors.New("tmux did not answer in time")
	// errNoProgram: for machines in ssh_hosts it is ssh that is missing.
	errNoProgram = errors.New("the program tmux, or ssh, is not found; install it, or set `program` in [plugin.tmux]")
)

// commandError is a call that ended badly. Its text names no path and no host:
// it is logged.
type commandError program.StatusError

func (e *commandError) Error() string { return "tmux ended with status " + strconv.Itoa(e.Status) }

// says reports whether tmux complained in one of these words.
func (e *commandError) says(words ...string) bool {
	for _, w := range words {
		if strings.Contains(e.Complaints, w) {
			return true
		}
	}
	return false
}

// run runs a command to its end and returns what it printed.
func run(ctx context.Context, argv []string, limit time.Duration) ([]byte, error) {
	out, err := program.Run(ctx, argv, environ(), limit, maxInventory)
	var ended *program.StatusError
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, program.ErrTooMuch):
		return nil, errTooMuch
	case errors.Is(err, program.ErrTimeout):
		return nil, errTimeout
	case errors.Is(err, program.ErrMissing):
		return nil, errNoProgram
	case errors.As(err, &ended):
		return nil, (*commandError)(ended)
	}
	return nil, err
}

// environ is the plugin's environment without what would make tmux take it for
// a pane of its own, or look in another place.
func environ() []string { return program.Environment("TMUX") }

// literal makes text that tmux takes as it is where it would expand a format
// and where an argument that ends in a semicolon would end the command.
func literal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] != '#' {
			continue
		}
		end := i
		for end < len(s) && s[end] == '#' {
			end++
		}
		n := end - i
		// tmux leaves number signs before a bracket alone: they are a style.
		if end >= len(s) || s[end] != '[' {
			n *= 2
		}
		for range n - 1 {
			b.WriteByte('#')
		}
		i = end - 1
	}
	out := b.String()
	if strings.HasSuffix(out, ";") {
		out = out[:len(out)-1] + `\;`
	}
	return out
}

// version is a tmux version: 3.3a is {3, 3}.
type version struct{ major, minor int }

// oldest is the first version with -N, and with the flags of control clients.
var oldest = version{3, 2}

func (v version) before(o version) bool {
	return v.major < o.major || v.major == o.major && v.minor < o.minor
}

// parseVersion reads `tmux 3.3a`, `tmux next-3.6`. A version without a number,
// such as `tmux master`, is a new one.
func parseVersion(out string) version {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(out), "tmux"))
	if strings.HasPrefix(text, "openbsd-") {
		// OpenBSD numbers tmux by its own releases; 7.0 came with 3.2.
		return version{oldest.major, oldest.minor}
	}
	text = strings.TrimPrefix(text, "next-")
	major, rest, _ := strings.Cut(text, ".")
	var v version
	var err error
	if v.major, err = strconv.Atoi(major); err != nil {
		return oldest
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	v.minor, _ = strconv.Atoi(rest[:digits])
	return v
}
