package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// sandboxExec confines a command by a profile.
const sandboxExec = "/usr/bin/sandbox-exec"

// deed is something that a plugin may or may not do, done by a program of
// macOS's own under the profile that Flash generates. Each is done without the
// profile first: what fails there too proves nothing of a sandbox.
type deed struct {
	id, title string
	argv      func(d *deeds) []string
	allowed   bool
	// done looks for what the deed leaves, and takes it away; nil: the exit code
	// says it all.
	done func(d *deeds, o output) bool
}

// deeds is what the deeds find around them.
type deeds struct {
	data, other, home string // the plugin's own folder, another's, the user's
	port              int
	socket            string
	accepted          func() bool // somebody has connected
}

// secretText is in every file that must not be read.
const secretText = "not for plugins"

func reads(text string) func(*deeds, output) bool {
	return func(_ *deeds, o output) bool { return strings.Contains(o.stdout, text) }
}

func makes(path func(*deeds) string) func(*deeds, output) bool {
	return func(d *deeds, _ output) bool { return os.Remove(path(d)) == nil }
}

func connects(d *deeds, _ output) bool { return d.accepted() }

var allDeeds = []deed{
	{id: "own-read", title: "A plugin reads its own data", allowed: true, done: reads("its own"),
		argv: func(d *deeds) []string { return []string{"/bin/cat", filepath.Join(d.data, "own.txt")} }},
	{id: "own-write", title: "A plugin writes its own data", allowed: true, done: makes(func(d *deeds) string { return filepath.Join(d.data, "new.txt") }),
		argv: func(d *deeds) []string { return []string{"/usr/bin/touch", filepath.Join(d.data, "new.txt")} }},
	{id: "secret-read", title: "A plugin reads no key of ssh", done: reads(secretText),
		argv: func(d *deeds) []string { return []string{"/bin/cat", filepath.Join(d.home, ".ssh/id_verify")} }},
	{id: "other-read", title: "A plugin reads no other plugin's data", done: reads(secretText),
		argv: func(d *deeds) []string { return []string{"/bin/cat", filepath.Join(d.other, "data.txt")} }},
	{id: "home-read", title: "A plugin reads no document", done: reads(secretText),
		argv: func(d *deeds) []string { return []string{"/bin/cat", filepath.Join(d.home, "Documents/letter.txt")} }},
	{id: "home-write", title: "A plugin writes no document", done: makes(func(d *deeds) string { return filepath.Join(d.home, "Documents/new.txt") }),
		argv: func(d *deeds) []string { return []string{"/usr/bin/touch", filepath.Join(d.home, "Documents/new.txt")} }},
	{id: "network", title: "A plugin without the network reaches none", done: connects,
		argv: func(d *deeds) []string {
			return []string{"/usr/bin/nc", "-z", "-w", "2", "127.0.0.1", strconv.Itoa(d.port)}
		}},
	{id: "socket", title: "A plugin connects to no socket that it does not name", done: connects,
		argv: func(d *deeds) []string { return []string{"/usr/bin/nc", "-U", d.socket} }},
	{id: "signal", title: "A plugin signals no process outside",
		argv: func(*deeds) []string { return []string{"/bin/kill", "-0", strconv.Itoa(os.Getpid())} }},
	{id: "exec", title: "A plugin runs no program that it does not name",
		argv: func(*deeds) []string { return []string{"/usr/bin/id"} }},
}

// deedsManifest names the programs that the deeds are done by, so that what is
// denied to them is denied for what they do.
const deedsManifest = `{"id":"verify-deeds","name":"Verification deeds","version":"1.0.0","description":"Never started.",
"exec":["/usr/bin/true"],"sandbox":{"exec":["/bin/cat","/usr/bin/touch","/usr/bin/nc","/bin/kill"]},"sources":[{"name":"verify-deeds.none"}]}
`

const deedsID = "verify-deeds"

// profileOf takes the profile out of what `flash plugin-dev profile` prints.
func profileOf(text string) (string, error) {
	const head = "\nmacOS, a profile of sandbox-exec"
	_, rest, ok := strings.Cut(text, head)
	if !ok {
		return "", errors.New("flash plugin-dev profile printed no profile of macOS")
	}
	_, rest, _ = strings.Cut(rest, "\n")
	var b strings.Builder
	for line := range strings.Lines(rest) {
		b.WriteString(strings.TrimPrefix(line, "  "))
	}
	if !strings.HasPrefix(b.String(), "(version 1)") {
		return "", errors.New("what flash plugin-dev profile printed does not begin like a profile")
	}
	return b.String(), nil
}

// prepareDeeds lays out the files and takes the profile.
func (s *session) prepareDeeds(ctx context.Context) (*deeds, error) {
	d := &deeds{data: s.paths.PluginData(deedsID), other: s.paths.PluginData("verify-other"), home: s.home()}
	root := filepath.Join(s.base, deedsID)
	for path, text := range map[string]string{
		filepath.Join(root, "manifest.json"):          deedsManifest,
		filepath.Join(d.data, "own.txt"):              "its own",
		filepath.Join(d.other, "data.txt"):            secretText,
		filepath.Join(d.home, ".ssh/id_verify"):       secretText,
		filepath.Join(d.home, "Documents/letter.txt"): secretText,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	o := s.call(ctx, "plugin-dev", "profile", root, "--platform", "darwin")
	if !o.ok() {
		return nil, errors.New("flash plugin-dev profile: " + o.said())
	}
	profile, err := profileOf(o.stdout)
	s.profile = profile
	return d, err
}

// listen has somebody to connect to.
func (d *deeds) listen(dir string) (stop func(), err error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d.port, d.socket = tcp.Addr().(*net.TCPAddr).Port, filepath.Join(dir, "verify.sock")
	_ = os.Remove(d.socket)
	unix, err := net.Listen("unix", d.socket)
	if err != nil {
		tcp.Close()
		return nil, err
	}
	connections := make(chan struct{}, 64)
	for _, l := range []net.Listener{tcp, unix} {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				select {
				case connections <- struct{}{}:
				default:
				}
				_ = c.Close()
			}
		}()
	}
	d.accepted = func() bool {
		// The connection may be told of after the program that made it has ended.
		select {
		case <-connections:
			return true
		case <-time.After(200 * time.Millisecond):
			return false
		}
	}
	return func() { tcp.Close(); unix.Close() }, nil
}

// check tries the deed without the profile and with it.
func (x deed) check(ctx context.Context, s *session) finding {
	d, err := s.prepareDeeds(ctx)
	if err != nil {
		return fail(err.Error())
	}
	stop, err := d.listen(s.base)
	if err != nil {
		return fail(err.Error())
	}
	defer stop()
	argv := x.argv(d)
	do := func(argv []string) (o output, did bool) {
		o = s.runner.run(ctx, command{argv: argv, env: s.environ, dir: d.data, timeout: stepTimeout})
		if x.done != nil {
			return o, x.done(d, o)
		}
		return o, o.ok()
	}
	if o, did := do(argv); !did {
		return skip(fmt.Sprintf("%s does not work without a sandbox either: %s", strings.Join(argv, " "), o.said()))
	}
	o, did := do(append([]string{sandboxExec, "-p", s.profile}, argv...))
	return x.judge(o, did)
}

// judge says what a deed under the profile shows.
func (x deed) judge(o output, did bool) finding {
	const refusedProfile = 65
	switch {
	case o.err != nil:
		return fail(o.said())
	case o.code == refusedProfile:
		return fail("seatbelt does not take the profile: " + o.said())
	case did && !x.allowed:
		return fail("it was done in spite of the sandbox")
	case !did && x.allowed:
		return fail("the sandbox denies it: " + o.said())
	}
	return pass("")
}
