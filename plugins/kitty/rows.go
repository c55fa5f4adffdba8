package kitty

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Metadata of a row that the plugin itself goes by.
const (
	metaSocket   = "socket"
	metaWindow   = "kitty_window"
	metaPlatform = "window_id"
)

// maxRows bounds the catalogue, which the host refuses whole above its quota.
const maxRows = 5000

// window is one window of a kitty, in one of its tabs.
type window struct {
	socket   string
	pid      int   // of kitty, 0 where it is not known
	platform int64 // the window system's number of the window that it is in
	id       int64
	tab      int64
	tabTitle string
	title    string
	cwd      string
	command  string
	focused  bool
}

// parse reads what `ls` answers. Environments, which hold secrets, are looked at
// for kitty's pid only.
func parse(socket, data string) ([]window, error) {
	o, err := protocol.ParseObject([]byte(`{"os":` + data + `}`))
	if err != nil {
		return nil, errReply
	}
	var out []window
	o.Objects("os", func(osWindow *protocol.Object) {
		platform, _ := osWindow.OptInt("platform_window_id")
		inFront, _ := osWindow.OptBool("is_focused")
		osWindow.Objects("tabs", func(tab *protocol.Object) {
			tabID, tabTitle := tab.Int("id"), text(tab, "title")
			active, _ := tab.OptBool("is_active_tab")
			if a, ok := tab.OptBool("is_active"); ok { // since 0.27
				active = active || a
			}
			tab.Objects("windows", func(w *protocol.Object) {
				win := window{
					socket: socket, platform: platform, id: w.Int("id"), tab: tabID, tabTitle: tabTitle,
					title: text(w, "title"), cwd: text(w, "cwd"), command: foreground(w),
				}
				focused, _ := w.OptBool("is_focused")
				win.focused = focused && inFront && active
				if env := w.OptObject("env"); env != nil {
					pid, _ := env.OptString("KITTY_PID")
					if n, err := strconv.ParseInt(pid, 10, 32); err == nil && n > 0 {
						win.pid = int(n)
					}
					env.IgnoreRest()
				}
				w.IgnoreRest()
				out = append(out, win)
			})
			tab.IgnoreRest()
		})
		osWindow.IgnoreRest()
	})
	if o.Err() != nil {
		return nil, errReply
	}
	return out, nil
}

func text(o *protocol.Object, key string) string {
	s, _ := o.OptString(key)
	return s
}

// foreground is the name of the program that has the terminal: the last of its
// foreground processes, else what the window was opened with.
func foreground(w *protocol.Object) string {
	var name string
	if w.Has("foreground_processes") {
		w.Objects("foreground_processes", func(p *protocol.Object) {
			if argv, ok := p.OptStrings("cmdline"); ok && len(argv) > 0 {
				name = argv[0]
			}
			p.IgnoreRest()
		})
	}
	if name == "" {
		if argv, ok := w.OptStrings("cmdline"); ok && len(argv) > 0 {
			name = argv[0]
		}
	}
	return strings.TrimPrefix(filepath.Base(name), "-")
}

func rowsOf(windows []window, focusedApp bool) []protocol.Row {
	rows := []protocol.Row{}
	size := 2
	for _, w := range windows {
		row := w.row(focusedApp)
		size += protocol.RowsSize([]protocol.Row{row})
		if len(rows) == maxRows || size > protocol.MaxCatalogBytes {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

func (w window) row(focusedApp bool) protocol.Row {
	title := strings.TrimSpace(w.title)
	if title == "" {
		title = w.command
	}
	if title == "" {
		title = "window " + strconv.FormatInt(w.id, 10)
	}
	var parts []string
	if w.tabTitle != "" && w.tabTitle != title {
		parts = append(parts, w.tabTitle)
	}
	if w.command != "" && w.command != title && w.command != "." {
		parts = append(parts, w.command)
	}
	if w.cwd != "" {
		parts = append(parts, shorten(w.cwd))
	}
	metadata := map[string]string{
		protocol.MetaKind: "kitty_window",
		metaSocket:        w.socket,
		metaWindow:        strconv.FormatInt(w.id, 10),
	}
	if len(parts) > 0 {
		metadata[protocol.MetaSubtitle] = clip(strings.Join(parts, " · "), protocol.MaxTitle)
	}
	if w.pid > 0 {
		metadata[protocol.MetaPID] = strconv.Itoa(w.pid)
	}
	if w.platform > 0 {
		metadata[metaPlatform] = strconv.FormatInt(w.platform, 10)
	}
	if w.focused && focusedApp {
		metadata[protocol.MetaCurrentLocation] = "true"
	}
	return protocol.Row{Source: source, Title: clip(title, protocol.MaxTitle), Metadata: protocol.NewMetadata(metadata)}
}

// shorten writes the home directory as ~.
func shorten(path string) string {
	home := os.Getenv("HOME")
	if rest, ok := strings.CutPrefix(path, home); ok && len(home) > 1 && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
