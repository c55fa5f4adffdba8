package session

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/environ"
	"github.com/flash-launcher/flash/internal/procid"
)

// variables are what makes a session in an environment; nothing else is ever
// taken from a client. The order is that of their checks.
var variables = [...]struct {
	name  string
	check func(value string, offered []string) error
}{
	{"XDG_RUNTIME_DIR", checkRuntimeDir},
	{"DISPLAY", checkDisplay},
	{"XAUTHORITY", checkAuthority},
	{"WAYLAND_DISPLAY", checkWayland},
	{"DBUS_SESSION_BUS_ADDRESS", checkBus},
	{"XDG_SESSION_ID", checkWord},
	{"XDG_SESSION_TYPE", checkWord},
	{"XDG_CURRENT_DESKTOP", checkWord},
}

// kept are the variables that outlive a session: a user has one of each.
var kept = [...]string{"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}

// Offer is what of a client's environment (in the form of os.Environ) says which
// session it is in. `flash open` sends it.
func Offer(env []string) []string {
	var out []string
	for _, v := range variables {
		if value := environ.Lookup(env, v.name); value != "" {
			out = append(out, v.name+"="+value)
		}
	}
	return out
}

// Adoption is an environment with another session's variables.
type Adoption struct {
	Env     []string
	Refused []Refused
}

// Refused is a variable that was offered and not taken.
type Refused struct {
	Name string
	Why  error
}

// NeedsSession reports whether the session of an environment has no display that
// answers, so that another session may be adopted.
func NeedsSession(env []string) bool {
	return checkDisplay(environ.Lookup(env, "DISPLAY"), env) != nil && checkWayland(environ.Lookup(env, "WAYLAND_DISPLAY"), env) != nil
}

// Adopt replaces the session in the host's environment with the one that a
// client offers. A variable is taken only if what it names belongs to this user;
// without a display among those that are, nothing is adopted.
func Adopt(env, offered []string) (Adoption, error) {
	var a Adoption
	var taken []string
	for _, v := range variables {
		value := environ.Lookup(offered, v.name)
		if value == "" {
			continue
		}
		if err := checkText(value); err != nil {
			a.Refused = append(a.Refused, Refused{v.name, err})
		} else if err := v.check(value, offered); err != nil {
			a.Refused = append(a.Refused, Refused{v.name, err})
		} else {
			taken = append(taken, v.name+"="+value)
		}
	}
	if environ.Lookup(taken, "DISPLAY") == "" && environ.Lookup(taken, "WAYLAND_DISPLAY") == "" {
		for _, r := range a.Refused {
			if r.Name == "DISPLAY" || r.Name == "WAYLAND_DISPLAY" {
				return a, fmt.Errorf("the session is not adopted: %s: %w", r.Name, r.Why)
			}
		}
		return a, errors.New("the session is not adopted: it has no display")
	}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !isVariable(name) || slices.Contains(kept[:], name) && environ.Lookup(taken, name) == "" {
			a.Env = append(a.Env, kv)
		}
	}
	a.Env = append(a.Env, taken...)
	return a, nil
}

// Export makes the session's variables those of this process, which is where
// connections to an X server look for their authority.
func (a Adoption) Export() error {
	for _, v := range variables {
		if value := environ.Lookup(a.Env, v.name); value != "" {
			if err := os.Setenv(v.name, value); err != nil {
				return err
			}
		} else if err := os.Unsetenv(v.name); err != nil {
			return err
		}
	}
	return nil
}

func isVariable(name string) bool {
	for _, v := range variables {
		if v.name == name {
			return true
		}
	}
	return false
}

const (
	// maxValue is longer than any path that the kernel takes.
	maxValue = 4096
	maxWord  = 64
)

func checkText(value string) error {
	if len(value) > maxValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("it is no value that a session sets")
	}
	return nil
}

func checkWord(value string, _ []string) error {
	ok := len(value) <= maxWord
	for _, r := range value {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(":_.-", r))
	}
	if !ok {
		return errors.New("it is no name")
	}
	return nil
}

func checkRuntimeDir(value string, _ []string) error {
	info, err := own(value)
	switch {
	case err != nil:
		return err
	case !info.IsDir() || info.Mode().Perm()&0o077 != 0:
		return errors.New("it is no directory that is this user's alone")
	}
	return nil
}

func checkAuthority(value string, _ []string) error {
	info, err := own(value)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0:
		return errors.New("it is no file that only this user can write")
	}
	return nil
}

// own is what lies at a path, if that is absolute and this user's.
func own(path string) (os.FileInfo, error) {
	if !filepath.IsAbs(path) {
		return nil, errors.New("it is no absolute path")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.New("nothing is there")
	}
	if ownerOf(info) != os.Getuid() {
		return nil, errors.New("it belongs to another user")
	}
	return info, nil
}

// checkDisplay wants a display of this machine whose server is this user's, or
// root's, as which some display managers start it.
func checkDisplay(value string, _ []string) error {
	host, number, ok := strings.Cut(value, ":")
	number, _, _ = strings.Cut(number, ".")
	if _, err := strconv.ParseUint(number, 10, 16); !ok || err != nil || host != "" && host != "unix" {
		return errors.New("it is no display of this machine")
	}
	return answers("/tmp/.X11-unix/X"+number, 0)
}

func checkWayland(value string, offered []string) error {
	if value == "" {
		return errors.New("it is empty")
	}
	if !filepath.IsAbs(value) {
		dir := environ.Lookup(offered, "XDG_RUNTIME_DIR")
		if strings.Contains(value, "/") || checkRuntimeDir(dir, nil) != nil {
			return errors.New("it is no socket in the session's XDG_RUNTIME_DIR")
		}
		value = filepath.Join(dir, value)
	}
	return answers(value)
}

// checkBus wants one address with one socket. Others would have a program
// started, or a machine asked over the network.
func checkBus(value string, _ []string) error {
	rest, ok := strings.CutPrefix(value, "unix:")
	path := ""
	for _, kv := range strings.Split(rest, ",") {
		switch key, v, _ := strings.Cut(kv, "="); key {
		case "path":
			path = v
		case "abstract":
			path = "@" + v
		case "guid":
		default:
			ok = false
		}
	}
	if !ok || path == "" || strings.ContainsAny(value, ";%") {
		return errors.New("it is no address of one local socket")
	}
	return answers(path)
}

// answerTime bounds the look at a socket. One whose program hangs is full.
const answerTime = time.Second

// answers wants somebody who listens at a socket and is this user, or one of
// also.
func answers(path string, also ...int) error {
	if path[0] != '@' && !filepath.IsAbs(path) {
		return errors.New("it is no absolute path")
	}
	c, err := net.DialTimeout("unix", path, answerTime)
	if err != nil {
		return errors.New("nobody answers there")
	}
	defer func() { _ = c.Close() }()
	uid, err := procid.PeerUID(c.(*net.UnixConn))
	if err != nil {
		return err
	}
	if uid != os.Getuid() && !slices.Contains(also, uid) {
		return errors.New("another user answers there")
	}
	return nil
}
