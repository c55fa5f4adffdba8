package tmux

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// A record is a letter and fields, each ended by a bar. Names go through tmux's
// q: modifier, which puts a backslash before bars, percent signs, blanks and
// backslashes in every version from 3.2 on. So a bare bar is never part of a
// name, no name can pass for a line of control mode, and a newline in a path is
// only content. A control character as separator would not do: from 3.4 on tmux
// writes those as octal, and without UTF-8 as an underscore.
const (
	windowFormat = `W|#{q:session_id}|#{q:session_name}|#{session_attached}|#{window_id}|#{window_index}|#{q:window_name}|` +
		`#{window_active}|#{pane_index}|#{q:pane_current_command}|#{q:pane_current_path}|#{pid}-#{start_time}|`
	clientFormat = `C|#{q:client_name}|#{client_pid}|#{q:session_id}|#{client_activity}|#{q:client_flags}|`

	// listEnd is printed last by a tmux that lists, so that a part of a list is
	// never taken for the whole.
	listEnd = "E|"

	windowFields = 11
	clientFields = 5
)

const (
	// maxInventory bounds one reading. A window takes about 200 bytes.
	maxInventory = 4 << 20
	// maxWindows bounds the windows kept of one server.
	maxWindows = 2000
	maxClients = 200
)

// window is one window as one session links it.
type window struct {
	sessionID string // "$1"
	session   string
	attached  bool // something shows the session
	id        string
	index     int
	name      string
	active    bool // the current window of its session
	pane      string
	command   string
	path      string
	instance  string // names this run of the server: ids start again in the next
}

// client is a terminal, or a program, that shows a session.
type client struct {
	name      string
	pid       int
	sessionID string
	activity  int64 // Unix seconds
	observer  bool  // a control client that only listens, as this plugin's
}

// inventory is one reading of a server, in tmux's order.
type inventory struct {
	windows []window
	clients []client
}

var errInventory = errors.New("tmux printed an inventory that cannot be read")

// parseInventory reads the output of list-clients and list-windows.
func parseInventory(out []byte) (inventory, error) {
	var inv inventory
	var fields []string
	for len(out) > 0 {
		kind := out[0]
		want := windowFields
		if kind == 'C' {
			want = clientFields
		} else if kind != 'W' {
			return inventory{}, errInventory
		}
		rest, ok := bytes.CutPrefix(out[1:], []byte{'|'})
		if !ok {
			return inventory{}, errInventory
		}
		fields = fields[:0]
		for range want {
			var field string
			if field, rest, ok = cutField(rest); !ok {
				return inventory{}, errInventory
			}
			fields = append(fields, field)
		}
		if len(rest) > 0 && rest[0] != '\n' {
			return inventory{}, errInventory
		}
		out = rest[min(1, len(rest)):]
		if !inv.add(kind, fields) {
			return inventory{}, errInventory
		}
	}
	return inv, nil
}

// cutField takes one field up to its bar, without the backslashes.
func cutField(in []byte) (field string, rest []byte, ok bool) {
	end := 0
	for end < len(in) && in[end] != '|' {
		if in[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(in) {
		return "", nil, false
	}
	raw := in[:end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw), in[end+1:], true
	}
	plain := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			i++
		}
		plain = append(plain, raw[i])
	}
	return string(plain), in[end+1:], true
}

func (inv *inventory) add(kind byte, f []string) bool {
	if kind == 'C' {
		pid, err := strconv.ParseInt(f[1], 10, 32)
		if err != nil {
			return false
		}
		at, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return false
		}
		if !isID(f[2], '$') {
			return f[2] == "" // a client that is about to go shows no session
		}
		if len(inv.clients) < maxClients {
			inv.clients = append(inv.clients, client{f[0], int(pid), f[2], at, isObserver(f[4])})
		}
		return true
	}
	index, err := strconv.Atoi(f[4])
	if err != nil || !isID(f[0], '$') || !isID(f[3], '@') {
		return false
	}
	if len(inv.windows) < maxWindows {
		inv.windows = append(inv.windows, window{
			sessionID: f[0], session: clean(f[1]), attached: f[2] != "0" && f[2] != "",
			id: f[3], index: index, name: clean(f[5]), active: f[6] == "1",
			pane: clean(f[7]), command: clean(f[8]), path: clean(f[9]), instance: clean(f[10]),
		})
	}
	return true
}

// isID says whether s is a tmux id: the mark and a number.
func isID(s string, mark byte) bool {
	if len(s) < 2 || len(s) > 20 || s[0] != mark {
		return false
	}
	for _, c := range []byte(s[1:]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isObserver tells clients that only listen from people's. A terminal that
// speaks control mode itself wants the output and has a size.
func isObserver(flags string) bool {
	list := strings.Split(flags, ",")
	return slices.Contains(list, "control-mode") && slices.Contains(list, "no-output") && slices.Contains(list, "ignore-size")
}

// clean makes text fit for one line of a list.
func clean(s string) string {
	ok := true
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// people are the clients that somebody looks at, last used first.
func (inv *inventory) people() []client {
	var list []client
	for _, c := range inv.clients {
		if !c.observer {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b client) int { return int(min(max(b.activity-a.activity, -1), 1)) })
	return list
}

// current returns the window that a session shows.
func (inv *inventory) current(sessionID string) (window, bool) {
	for _, w := range inv.windows {
		if w.sessionID == sessionID && w.active {
			return w, true
		}
	}
	return window{}, false
}

// distinct returns each window once. One that several sessions show, because
// they are grouped or it is linked, counts where somebody looks at it.
func (inv *inventory) distinct() []window {
	at := make(map[string]int, len(inv.windows))
	list := make([]window, 0, len(inv.windows))
	for _, w := range inv.windows {
		i, seen := at[w.id]
		switch {
		case !seen:
			at[w.id] = len(list)
			list = append(list, w)
		case inv.watched(w.sessionID) && !inv.watched(list[i].sessionID):
			list[i] = w
		}
	}
	return list
}

func (inv *inventory) watched(sessionID string) bool {
	for _, c := range inv.clients {
		if c.sessionID == sessionID && !c.observer {
			return true
		}
	}
	return false
}
