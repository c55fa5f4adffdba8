package browsers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// storeDir and storeFile are where Firefox writes its session, every 15 s at
// most, while it runs.
const (
	storeDir  = "sessionstore-backups"
	storeFile = "recovery.jsonlz4"
)

// firefoxDir is where profiles are.
func firefoxDir(home string, mac bool) string {
	if mac {
		return filepath.Join(home, "Library/Application Support/Firefox")
	}
	return filepath.Join(home, ".mozilla", "firefox")
}

// defaultProfile reads which profile Firefox starts with by itself: what an
// installation has locked, else the one marked as default.
func defaultProfile(dir string) string {
	if path := iniValue(filepath.Join(dir, "installs.ini"), "Default"); path != "" {
		return absoluteIn(dir, path)
	}
	b, err := os.ReadFile(filepath.Join(dir, "profiles.ini"))
	if err != nil {
		return ""
	}
	var path, marked, last string
	section := func() {
		if marked == "1" {
			path = last
		} else if path == "" {
			path = last
		}
		marked, last = "", ""
	}
	for in := bufio.NewScanner(bytes.NewReader(b)); in.Scan(); {
		line := strings.TrimSpace(in.Text())
		switch key, value, _ := strings.Cut(line, "="); {
		case strings.HasPrefix(line, "[Install"):
			section()
		case strings.HasPrefix(line, "["):
			section()
		case key == "Path":
			last = value
		case key == "Default":
			marked = value
		}
	}
	section()
	return absoluteIn(dir, path)
}

func absoluteIn(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// iniValue is the first value of a key in a file.
func iniValue(file, key string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && k == key {
			return v
		}
	}
	return ""
}

var errNoStore = errors.New("no session was written by Firefox yet")

// readStore reads the tabs of a session.
func readStore(path string) ([]tab, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errNoStore
		}
		return nil, withoutPath(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxStore))
	if err != nil {
		return nil, withoutPath(err)
	}
	text, err := unpack(b)
	if err != nil {
		return nil, err
	}
	return parseStore(text)
}

// parseStore reads titles and addresses, and nothing else of what a session
// holds: cookies and what was typed into forms are in it too.
func parseStore(text []byte) ([]tab, error) {
	o, err := protocol.ParseObject(text)
	if err != nil {
		return nil, errLZ4
	}
	var out []tab
	inUse, _ := o.OptInt("selectedWindow")
	n := int64(0)
	o.Objects("windows", func(w *protocol.Object) {
		n++
		shown, _ := w.OptInt("selected")
		k := int64(0)
		w.Objects("tabs", func(t *protocol.Object) {
			k++
			at, _ := t.OptInt("index")
			hidden, _ := t.OptBool("hidden")
			entry := int64(0)
			var found tab
			if t.Has("entries") {
				t.Objects("entries", func(e *protocol.Object) {
					entry++
					if entry == at || at == 0 {
						found.url, _ = e.OptString("url")
						found.title, _ = e.OptString("title")
					}
					e.IgnoreRest()
				})
			}
			if found.url == "" {
				found.url, _ = t.OptString("userTypedValue")
			}
			t.IgnoreRest()
			if hidden || found.url == "" && found.title == "" {
				return
			}
			found.front = k == shown
			found.focused = found.front && n == inUse
			out = append(out, found)
		})
		w.IgnoreRest()
	})
	if o.Err() != nil {
		return nil, errLZ4
	}
	return out, nil
}

// withoutPath leaves the file's name out of an error that is logged.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
