package wlipc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/environ"
)

// Hyprland has two sockets in one folder: a question each connection on the one,
// and events as lines NAME>>DATA on the other.
const (
	hyprAsk    = ".socket.sock"
	hyprEvents = ".socket2.sock"
	hyprLock   = "hyprland.lock"
	// oldPlace is where the folders were before Hyprland 0.40.
	oldPlace = "/tmp/hypr"
	// maxLine is what an event may be: a title is at most a few kilobytes, and the
	// rest of a longer one is thrown away.
	maxLine = 64 << 10
	// maxLock is more than the two lines of a lock file.
	maxLock = 4096
	// maxInstances is how many folders are looked at.
	maxInstances = 64
)

// hyprland is a session of Hyprland.
type hyprland struct{ env []string }

// folders are where its sockets may be: the one that the environment names, else,
// for a host that was started outside the session or outlived it, the one whose
// lock file names the Wayland display.
func (h hyprland) folders() []string {
	place := filepath.Join(environ.Lookup(h.env, "XDG_RUNTIME_DIR"), "hypr")
	var out []string
	if sig := environ.Lookup(h.env, "HYPRLAND_INSTANCE_SIGNATURE"); sig != "" && filepath.IsLocal(sig) {
		out = append(out, filepath.Join(place, sig), filepath.Join(oldPlace, sig))
	}
	display := environ.Lookup(h.env, "WAYLAND_DISPLAY")
	if display == "" || environ.Lookup(h.env, "XDG_RUNTIME_DIR") == "" {
		return out
	}
	locks, _ := filepath.Glob(filepath.Join(place, "*", hyprLock))
	for _, lock := range locks[:min(len(locks), maxInstances)] {
		if lines := strings.Fields(readLock(lock)); len(lines) == 2 && lines[1] == filepath.Base(display) {
			out = append(out, filepath.Dir(lock))
		}
	}
	return out
}

func readLock(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, _ := io.ReadAll(io.LimitReader(f, maxLock))
	return string(b)
}

func (h hyprland) dial(ctx context.Context, socket string) (net.Conn, error) {
	err := errors.New("HYPRLAND_INSTANCE_SIGNATURE is not set")
	for _, folder := range h.folders() {
		c, problem := dial(ctx, filepath.Join(folder, socket))
		if problem == nil {
			return c, nil
		}
		err = problem
	}
	return nil, err
}

// ask asks one question. The answer ends with the connection.
func (h hyprland) ask(ctx context.Context, question string) ([]byte, error) {
	c, err := h.dial(ctx, hyprAsk)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	if _, err := io.WriteString(c, question); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(c, maxMessage+1))
	if err == nil && len(b) > maxMessage {
		err = errWire
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", question, err)
	}
	return b, nil
}

// readLine takes one line without its end, cut to maxLine.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		if err == nil {
			return strings.TrimSuffix(string(line), "\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}
