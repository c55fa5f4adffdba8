// Command record-picture makes docs/flashlight.svg, the picture in the README:
// it runs the real flashlight in a tmux over a prepared set of applications,
// tmux windows, emojis and sums, and draws what tmux captured.
//
//	make build && go run ./Scripts/record-picture [-o docs/flashlight.svg]
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	columns = 84
	rows    = 14
	// patience bounds every wait for the screen.
	patience = 20 * time.Second
	// A key every so often, and a look at what it brought.
	keyLasts  = 90 * time.Millisecond
	lookLasts = 2200 * time.Millisecond
)

// apps are the applications of the demo: name and what it is.
var apps = [][2]string{
	{"Firefox", "Web Browser"}, {"Files", "Access and organise files"}, {"Thunderbird", "Mail and calendar"},
	{"Visual Studio Code", "Code editing"}, {"GIMP", "Image editor"}, {"LibreOffice Calc", "Spreadsheet"},
	{"Calculator", "Sums on a keypad"}, {"Déjà Dup Backups", "Keep your documents safe"}, {"Disk Usage Analyzer", "Check folder sizes"},
	{"Inkscape", "Vector graphics"}, {"VLC media player", "Play films and music"}, {"Document Viewer", "Read PDF files"},
}

// windows are the tmux windows of the demo: name, program, folder.
var windows = [][3]string{
	{"docs", "vim", "flash"}, {"api server", "go", "api"}, {"deploy staging", "ssh", "api"}, {"debug", "dlv", "api"}, {"notes", "vim", "notes"},
}

// windowServer is the tmux server of those windows; its name shows in the picture.
const windowServer = "laptop"

// scene is something typed and what is to show then.
type scene struct {
	text  string
	keys  []string // pressed after the text
	shows string
	still bool
}

var scenes = []scene{
	{text: "de", shows: "deploy staging", still: true},
	{text: "19.5% of 240", shows: "46.8"},
	{text: "fireofx", shows: "Firefox"},
	{text: "@emojis party", shows: "emojis.items"},
	{text: "vsc", shows: "Visual Studio Code"},
	{text: "vsc", keys: []string{"C-k"}, shows: "Copy the title"},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "docs/flashlight.svg", "file to write")
	bin := flag.String("bin", "bin", "folder of the built programs")
	flag.Parse()
	frames, still, err := record(*bin)
	if err != nil {
		log.Fatal(err)
	}
	svg := picture(frames, columns, rows, still)
	if err := os.WriteFile(*out, []byte(svg), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d frames, %d KiB\n", *out, len(frames), len(svg)>>10)
}

// stage is the folders, the resident and the terminal of a recording.
type stage struct {
	dir, bin string
	env      []string
	windows  bool // are open
}

func record(bin string) (frames []frame, still int, err error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, 0, errors.New("record-picture needs tmux")
	}
	bin, err = filepath.Abs(bin)
	if err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "fp") // short: it holds sockets
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	s := &stage{dir: dir, bin: bin}
	defer s.strike()
	if err := s.set(); err != nil {
		return nil, 0, err
	}
	frames, still, err = s.play()
	return frames, still, err
}

// set writes the demo's applications, opens its tmux windows, and starts the
// resident and the flashlight.
func (s *stage) set() error {
	official, err := filepath.Abs("plugins")
	if err != nil {
		return err
	}
	at := func(name string) string { return filepath.Join(s.dir, name) }
	s.env = append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"), "HOME="+at("home"), "LANG=C.UTF-8", "LC_ALL=",
		"XDG_CONFIG_HOME="+at("config"), "XDG_DATA_HOME="+at("data"), "XDG_DATA_DIRS="+at("share"), "XDG_STATE_HOME="+at("state"),
		"XDG_CACHE_HOME="+at("cache"), "XDG_RUNTIME_DIR="+at("run"), "FLASH_OFFICIAL_PLUGINS="+official, "FLASH_SOCKET=",
		"TMUX=", "TMUX_TMPDIR=", "NO_COLOR=", "COLORTERM=", "COLORFGBG=15;0", "DISPLAY=", "WAYLAND_DISPLAY=", "SHELL=/bin/sh")
	for _, d := range []string{"home", "run"} {
		if err := os.MkdirAll(at(d), 0o700); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(at("share/applications"), 0o755); err != nil {
		return err
	}
	for _, a := range apps {
		entry := fmt.Sprintf("[Desktop Entry]\nType=Application\nName=%s\nComment=%s\nExec=/bin/true %%u\n", a[0], a[1])
		if err := os.WriteFile(at("share/applications/"+strings.ReplaceAll(a[0], " ", "-")+".desktop"), []byte(entry), 0o644); err != nil {
			return err
		}
	}
	if _, err := s.run("tmux", "-L", windowServer, "list-sessions"); err == nil {
		return fmt.Errorf("a tmux server called %s runs already; the picture needs that name", windowServer)
	}
	s.windows = true
	for i, w := range windows {
		folder := at(filepath.Join("home", w[2]))
		program := at(filepath.Join("programs", w[1]))
		for _, d := range []string{folder, filepath.Dir(program)} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				return err
			}
		}
		if err := os.Symlink("/bin/sleep", program); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		args := []string{"-L", windowServer, "-f", "/dev/null", "new-window", "-d", "-t", "work"}
		if i == 0 {
			args = []string{"-L", windowServer, "-f", "/dev/null", "new-session", "-d", "-s", "work"}
		}
		if _, err := s.run("tmux", append(args, "-n", w[0], "-c", folder, "exec "+program+" 600")...); err != nil {
			return err
		}
	}
	if _, err := s.run("flash", "start"); err != nil {
		return err
	}
	if err := s.wait("the tmux windows are found", func() (bool, error) {
		found, err := s.run("flash", "query", "deploy staging")
		return strings.Contains(found, "deploy"), err
	}); err != nil {
		return err
	}
	_, err = s.tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "TERM=tmux-256color flash open")
	return err
}

// strike ends what set started.
func (s *stage) strike() {
	_, _ = s.tmux("kill-server")
	if s.windows {
		_, _ = s.run("tmux", "-L", windowServer, "kill-server")
	}
	_, _ = s.run("flash", "stop")
}

// play types each scene and captures what shows.
func (s *stage) play() (frames []frame, still int, err error) {
	typed, in := "", false
	press := func(keys ...string) error {
		_, err := s.tmux(append([]string{"send-keys"}, keys...)...)
		return err
	}
	shoot := func(text, shows string, lasts time.Duration) error {
		f, err := s.shoot(text, shows)
		f.lasts = lasts
		frames = append(frames, f)
		return err
	}
	if err := shoot("", "Type to search", 700*time.Millisecond); err != nil {
		return nil, 0, err
	}
	for _, sc := range scenes {
		if !strings.HasPrefix(sc.text, typed) || in {
			if err := press("C-u"); err != nil {
				return nil, 0, err
			}
			typed, in = "", false
		}
		for _, r := range sc.text[len(typed):] {
			if err := press("-l", string(r)); err != nil {
				return nil, 0, err
			}
			typed += string(r)
			if err := shoot(typed, "", keyLasts); err != nil {
				return nil, 0, err
			}
		}
		if len(sc.keys) > 0 {
			if err := press(sc.keys...); err != nil {
				return nil, 0, err
			}
			in = true
		} else {
			frames = frames[:len(frames)-1] // the look replaces the last key's
		}
		text := typed
		if in {
			text = ""
		}
		if sc.still {
			still = len(frames)
		}
		if err := shoot(text, sc.shows, lookLasts); err != nil {
			return nil, 0, err
		}
	}
	return frames, still, nil
}

// shoot waits until the prompt holds text, what shows is of it and holds shows,
// and captures the screen.
func (s *stage) shoot(text, shows string) (f frame, err error) {
	var plain string
	err = s.wait(fmt.Sprintf("the screen shows %q and %q", text, shows), func() (bool, error) {
		if plain, err = s.tmux("capture-pane", "-p"); err != nil {
			return false, err
		}
		first, _, _ := strings.Cut(plain, "\n")
		_, prompt, ok := strings.Cut(first, "❯")
		prompt = strings.TrimSpace(prompt)
		return ok && strings.HasPrefix(prompt, strings.TrimSpace(text)) && !strings.HasSuffix(prompt, "…") && strings.Contains(plain, shows), nil
	})
	if err != nil {
		return f, err
	}
	capture, err := s.tmux("capture-pane", "-p", "-e", "-N")
	if err != nil {
		return f, err
	}
	at, err := s.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}")
	if err != nil {
		return f, err
	}
	f.lines = parse(capture)
	_, err = fmt.Sscan(at, &f.x, &f.y)
	return f, err
}

func (s *stage) wait(what string, cond func() (bool, error)) error {
	deadline := time.After(patience)
	for {
		ok, err := cond()
		if ok || err != nil {
			return err
		}
		select {
		case <-deadline:
			return fmt.Errorf("%s: not within %v", what, patience)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *stage) tmux(args ...string) (string, error) {
	return s.run("tmux", append([]string{"-S", filepath.Join(s.dir, "tm")}, args...)...)
}

func (s *stage) run(name string, args ...string) (string, error) {
	if name == "flash" {
		name = filepath.Join(s.bin, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), cmp.Or(strings.TrimSpace(string(exit.Stderr)), err.Error()))
	}
	return string(out), err
}
