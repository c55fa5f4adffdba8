package browsers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/protocol"
)

const (
	// portFile is what a browser writes into its folder while DevTools is on.
	portFile = "DevToolsActivePort"
	// toolsPatience is how long DevTools may take; it answers in milliseconds.
	toolsPatience = time.Second
	maxTools      = 8 << 20
)

var (
	errNoTools = errors.New("DevTools is off; start the browser with --remote-debugging-port=0")
	errNoReach = errors.New("DevTools is on and the sandbox lets nothing connect to it; grant `network = true` in [plugin.browsers]")
	errTools   = errors.New("what answers at DevTools' port is not a browser")
)

// toolsPort reads the port that DevTools of the browser in dir listens at.
func toolsPort(dir string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, portFile))
	if err != nil {
		return 0, errNoTools
	}
	line, _, _ := strings.Cut(string(b), "\n")
	port, err := strconv.ParseUint(strings.TrimSpace(line), 10, 16)
	if err != nil || port == 0 {
		return 0, errNoTools
	}
	return int(port), nil
}

// toolsTabs asks DevTools for its pages, those used last first.
func toolsTabs(ctx context.Context, port int) ([]tab, error) {
	body, err := toolsAsk(ctx, port, "GET", "/json/list")
	if err != nil {
		return nil, err
	}
	return parseTools(body)
}

func parseTools(body []byte) ([]tab, error) {
	o, err := protocol.ParseObject(append(append([]byte(`{"targets":`), body...), '}'))
	if err != nil {
		return nil, errTools
	}
	var out []tab
	o.Objects("targets", func(t *protocol.Object) {
		kind, _ := t.OptString("type")
		id, url := t.String("id"), t.String("url")
		title, _ := t.OptString("title")
		t.IgnoreRest()
		if kind == "page" && !strings.HasPrefix(url, "devtools://") {
			out = append(out, tab{title: title, url: url, id: id})
		}
	})
	if o.Err() != nil {
		return nil, errTools
	}
	if len(out) > 0 {
		out[0].front = true
	}
	return out, nil
}

// toolsAsk makes one request of the loopback interface. Linking an HTTP client
// would cost each plugin more memory than this has lines.
func toolsAsk(ctx context.Context, port int, method, path string) ([]byte, error) {
	f, err := dialLoopback(port)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	deadline := time.Now().Add(toolsPatience)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	_ = f.SetDeadline(deadline)
	host := "127.0.0.1:" + strconv.Itoa(port)
	if _, err := f.WriteString(method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"); err != nil {
		return nil, toolsError(err)
	}
	var b []byte
	chunk := make([]byte, 16<<10)
	for {
		n, err := f.Read(chunk)
		b = append(b, chunk[:n]...)
		if body, done, bad := response(b, err != nil); bad != nil || done {
			return body, bad
		}
		if err != nil {
			return nil, toolsError(err)
		}
		if len(b) > maxTools {
			return nil, errTools
		}
	}
}

// response takes what came so far apart. done says that it is whole.
func response(b []byte, ended bool) (body []byte, done bool, err error) {
	head, rest, ok := bytes.Cut(b, []byte("\r\n\r\n"))
	if !ok {
		if ended {
			return nil, false, errTools
		}
		return nil, false, nil
	}
	status, fields, _ := strings.Cut(string(head), "\r\n")
	parts := strings.Fields(status)
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "HTTP/1.") {
		return nil, false, errTools
	}
	if parts[1] != "200" {
		return nil, false, errors.New("DevTools answered with status " + parts[1][:min(len(parts[1]), 3)])
	}
	for line := range strings.SplitSeq(fields, "\r\n") {
		key, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(key, "Content-Length") {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			if err != nil || n > maxTools {
				return nil, false, errTools
			}
			if len(rest) >= int(n) {
				return rest[:n], true, nil
			}
			if ended {
				return nil, false, errTools
			}
			return nil, false, nil
		}
	}
	return rest, ended, nil
}

func toolsError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("DevTools did not answer in 1 s")
	case errors.Is(err, io.EOF):
		return errTools
	}
	return withoutPath(err)
}

func dialLoopback(port int) (*os.File, error) {
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, errNoReach
	}
	// A connection on the loopback interface is made or refused at once.
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		if errors.Is(err, unix.ECONNREFUSED) {
			return nil, errNoTools
		}
		return nil, errNoReach
	}
	return os.NewFile(uintptr(fd), "devtools"), nil
}
