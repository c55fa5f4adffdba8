package kitty

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/protocol"
)

const (
	// patience is how long kitty may take to answer, a busy one included.
	patience = 3 * time.Second
	// maxReply is far more than the windows of one kitty are.
	maxReply = 8 << 20
	// maxSockets bounds the sockets that are looked at.
	maxSockets = 32

	begin = "\x1bP@kitty-cmd"
	end   = "\x1b\\"
	// wireVersion is the oldest kitty whose answers are understood; it is what
	// kitty compares with to refuse a client that is newer than itself.
	wireVersion = "[0,20,0]"
)

// routeError is a kitty that cannot be reached, which its configuration mends.
type routeError string

func (e routeError) Error() string { return string(e) + remedy(runtime.GOOS, os.Getuid()) }

// remedy is what makes kitty reachable. macOS has no folder for sockets; the one
// below /tmp the plugin makes.
func remedy(goos string, uid int) string {
	place := "${XDG_RUNTIME_DIR}/kitty"
	if goos == "darwin" {
		place = "/tmp/kitty-" + strconv.Itoa(uid)
	}
	return "put `allow_remote_control socket-only` and `listen_on unix:" + place + "/kitty` in kitty.conf and start kitty again"
}

const (
	errNothing = routeError("kitty has no socket that can be reached; ")
	errDead    = routeError("nothing listens at kitty's socket any more; start kitty again, or ")
	errClosed  = routeError("kitty closed the connection; ")
)

var (
	errTimeout = errors.New("kitty did not answer in 3 s")
	errReply   = errors.New("kitty's answer cannot be read; update kitty")
)

// routes are the sockets that may be kitty's: those that the user named, that of
// the environment, and those in the places where kitty's configuration puts them.
func routes(named []string, env func(string) string) []string {
	var out []string
	add := func(path string) {
		if filepath.IsAbs(path) && !slices.Contains(out, path) && len(out) < maxSockets {
			out = append(out, filepath.Clean(path))
		}
	}
	for _, to := range append(slices.Clone(named), env("KITTY_LISTEN_ON")) {
		path, ok := strings.CutPrefix(to, "unix:")
		if !ok && strings.Contains(to, ":") {
			continue // tcp, which is nobody's alone
		}
		if path == "" || path[0] == '@' {
			continue // an abstract socket, which the sandbox does not let through
		}
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(env("HOME"), rest)
		}
		if _, err := os.Lstat(path); err == nil {
			add(path)
		}
		// kitty adds its pid to a path in its configuration.
		found, _ := filepath.Glob(globQuote(path) + "-[0-9]*")
		for _, f := range found {
			add(f)
		}
	}
	uid := strconv.Itoa(os.Getuid())
	runtime := env("XDG_RUNTIME_DIR")
	if runtime == "" {
		runtime = "/run/user/" + uid
	}
	places := []string{runtime + "/kitty/*", "/tmp/kitty-" + uid + "/*", runtime + "/*kitty*", "/tmp/*kitty*"}
	if tmp := env("TMPDIR"); filepath.IsAbs(tmp) && tmp != "/tmp" {
		places = append(places, globQuote(tmp)+"/*kitty*")
	}
	for _, place := range places {
		found, _ := filepath.Glob(place)
		for _, f := range found {
			add(f)
		}
	}
	return slices.DeleteFunc(out, func(path string) bool { return !mine(path) })
}

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// mine says whether a path is a socket of this user's: what somebody else puts
// in /tmp is not asked.
func mine(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// dial connects without waiting: a socket that nobody listens at says so at once.
func dial(path string) (*os.File, error) {
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	if err = unix.SetNonblock(fd, true); err == nil {
		for {
			if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); !errors.Is(err, unix.EINTR) {
				break
			}
		}
	}
	if err != nil {
		unix.Close(fd)
		if errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ENOENT) {
			return nil, errDead
		}
		return nil, err
	}
	return os.NewFile(uintptr(fd), "kitty"), nil
}

// ask sends one command to kitty and returns its data, "" where it has none.
func ask(ctx context.Context, path, command string, payload []byte) (string, error) {
	f, err := dial(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	deadline := time.Now().Add(patience)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	_ = f.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = f.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	request := protocol.NewObject(nil).Str("cmd", command).Raw("version", []byte(wireVersion)).Bool("no_response", false)
	if payload != nil {
		request.Raw("payload", payload)
	}
	if _, err := f.WriteString(begin + string(request.Bytes()) + end); err != nil {
		return "", plain(ctx, err)
	}
	reply, err := readReply(f)
	if err != nil {
		return "", plain(ctx, err)
	}
	return decodeReply(reply)
}

func plain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout
	case errors.Is(err, io.EOF), errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET):
		return errClosed
	}
	return err
}

// readReply reads up to the end of an answer.
func readReply(r io.Reader) ([]byte, error) {
	var b []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		from := max(len(b)-len(end), 0)
		b = append(b, chunk[:n]...)
		if i := bytes.Index(b[from:], []byte(end)); i >= 0 {
			return b[:from+i], nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) > maxReply {
			return nil, errReply
		}
	}
}

// decodeReply takes an answer apart. What kitty refuses is not repeated: it may
// hold what was asked for.
func decodeReply(b []byte) (string, error) {
	i := bytes.Index(b, []byte(begin))
	if i < 0 {
		return "", errReply
	}
	o, err := protocol.ParseObject(b[i+len(begin):])
	if err != nil {
		return "", errReply
	}
	ok := o.Bool("ok")
	if o.Err() != nil {
		return "", errReply
	}
	if !ok {
		return "", errRefused
	}
	// Not every answer has data, and of some it is a number.
	raw := o.Raw("data")
	if len(raw) == 0 || raw[0] != '"' {
		return "", nil
	}
	return o.String("data"), o.Err()
}

var errRefused = errors.New("kitty refused it: no window matches, or its remote control wants a password")
