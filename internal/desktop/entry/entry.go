// Package entry reads the freedesktop.org Desktop Entry format: the file, its
// localised values, its Exec line and the field codes in it.
//
// It owns the format and nothing else. It opens no file, looks up no program,
// starts nothing and knows no desktop: callers hand it bytes and get values.
package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxFile is the largest file worth reading. The biggest entries in the field
// (office suites, 100 languages, a dozen actions) stay under 100 KiB.
const MaxFile = 1 << 20

// ErrNotApplication is what Parse answers for a well-formed entry of another
// type (Link, Directory or one that a desktop made up).
var ErrNotApplication = errors.New("not an application entry")

// Entry is one application, in the reader's language.
type Entry struct {
	Name, GenericName, Comment string
	// PlainName and PlainGenericName are the values without a language, ""
	// where they say the same: people type the English name as well.
	PlainName, PlainGenericName string
	Keywords                    []string
	Icon                        string
	Exec                        string // as written; ParseExec reads it
	TryExec                     string
	WorkDir                     string // the key Path
	StartupWMClass              string
	OnlyShowIn, NotShowIn       []string
	Actions                     []Action // in the order of the key Actions
	Terminal                    bool
	NoDisplay                   bool
	Hidden                      bool // the user deleted it: it hides lower-ranked files of the same id
	DBusActivatable             bool
}

// Action is one of the extra things an application offers ("New Window").
type Action struct{ ID, Name, Icon, Exec string }

// ShownIn reports whether the entry wants to be listed in a session whose
// XDG_CURRENT_DESKTOP names these desktops, most specific first.
func (e *Entry) ShownIn(desktops []string) bool {
	for _, d := range desktops {
		if slices.Contains(e.OnlyShowIn, d) {
			return true
		}
		if slices.Contains(e.NotShowIn, d) {
			return false
		}
	}
	return len(e.OnlyShowIn) == 0
}

const mainGroup = "Desktop Entry"

// Parse reads one entry. It is strict about what makes an application (the
// first group, Type, Name, something to run) and tolerant about the rest:
// unknown keys, unknown groups, broken lines, CRLF, a byte order mark and
// invalid UTF-8 do not hide an application from its user. An entry that is
// Hidden needs nothing else.
func Parse(data []byte, loc Locale) (*Entry, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%d bytes: larger than the %d that a desktop entry may have", len(data), MaxFile)
	}
	groups, err := scan(data, loc)
	if err != nil {
		return nil, err
	}
	g := groups[mainGroup]
	e := &Entry{
		Icon: g.text("Icon"), Exec: g.str("Exec"), TryExec: g.str("TryExec"), WorkDir: g.str("Path"),
		StartupWMClass: g.text("StartupWMClass"), OnlyShowIn: g.list("OnlyShowIn"), NotShowIn: g.list("NotShowIn"),
		Terminal: g.flag("Terminal"), NoDisplay: g.flag("NoDisplay"), Hidden: g.flag("Hidden"), DBusActivatable: g.flag("DBusActivatable"),
		Keywords: g.list("Keywords"), Comment: g.text("Comment"),
	}
	e.Name, e.PlainName = g.both("Name")
	e.GenericName, e.PlainGenericName = g.both("GenericName")
	if e.Hidden {
		return e, nil
	}
	switch typ := g.str("Type"); {
	case typ == "":
		return nil, errors.New("no Type key in [Desktop Entry]")
	case typ != "Application":
		return nil, fmt.Errorf("%w: Type=%s", ErrNotApplication, clean(typ))
	case e.Name == "":
		return nil, errors.New("no Name key in [Desktop Entry]")
	case e.Exec == "" && !e.DBusActivatable:
		return nil, errors.New("no Exec key in [Desktop Entry], and DBusActivatable is not true")
	}
	for _, id := range g.list("Actions") {
		a := groups["Desktop Action "+id]
		if a == nil || slices.ContainsFunc(e.Actions, func(have Action) bool { return have.ID == id }) {
			continue
		}
		act := Action{ID: id, Name: a.text("Name"), Icon: a.text("Icon"), Exec: a.str("Exec")}
		if act.Name == "" || (act.Exec == "" && !e.DBusActivatable) {
			continue
		}
		e.Actions = append(e.Actions, act)
	}
	return e, nil
}

// group holds the raw values of one group, the best language of each key.
type group map[string]value

type value struct {
	best  string // the value whose language ranks first
	plain string // the one without a language
	rank  int
}

// scan splits data into groups. Of a key that comes twice the later one
// counts, and a group that comes twice goes on: that is what the desktops'
// own reader does, and files rely on it.
func scan(data []byte, loc Locale) (map[string]group, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	groups := map[string]group{}
	var cur group
	seen := false
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			name := groupName(line)
			if !seen && name != mainGroup {
				return nil, errors.New("the first group is not [Desktop Entry]")
			}
			seen = true
			cur = nil
			if name == mainGroup || strings.HasPrefix(name, "Desktop Action ") {
				if cur = groups[name]; cur == nil {
					cur = group{}
					groups[name] = cur
				}
			}
			continue
		}
		if !seen {
			return nil, errors.New("text before the first group")
		}
		if cur != nil {
			cur.add(line, loc)
		}
	}
	if !seen {
		return nil, errors.New("no [Desktop Entry] group")
	}
	return groups, nil
}

func groupName(line []byte) string {
	if line[len(line)-1] != ']' {
		return ""
	}
	return string(line[1 : len(line)-1])
}

func (g group) add(line []byte, loc Locale) {
	eq := bytes.IndexByte(line, '=')
	if eq <= 0 {
		return
	}
	key, raw := strings.TrimSpace(string(line[:eq])), bytes.TrimSpace(line[eq+1:])
	lang := ""
	if i := strings.IndexByte(key, '['); i >= 0 {
		if !strings.HasSuffix(key, "]") {
			return
		}
		key, lang = key[:i], key[i+1:len(key)-1]
	}
	if !known(key) {
		return
	}
	rank := loc.rank(lang)
	if rank < 0 {
		return
	}
	v, ok := g[key]
	if lang == "" {
		v.plain = string(raw)
	}
	if !ok || rank <= v.rank {
		v.best, v.rank = string(raw), rank
	}
	g[key] = v
}

// known says which keys are kept at all: an entry may carry a hundred
// languages of keys that nobody here reads.
func known(key string) bool {
	switch key {
	case "Type", "Name", "GenericName", "Comment", "Keywords", "Icon", "Exec", "TryExec", "Path", "StartupWMClass",
		"OnlyShowIn", "NotShowIn", "Actions", "Terminal", "NoDisplay", "Hidden", "DBusActivatable":
		return true
	}
	return false
}

func (g group) str(key string) string  { return unescape(g[key].best) }
func (g group) text(key string) string { return clean(g.str(key)) }

func (g group) both(key string) (best, plain string) {
	best, plain = g.text(key), clean(unescape(g[key].plain))
	if plain == best {
		plain = ""
	}
	return best, plain
}

// flag accepts the 1 of entries older than the specification.
func (g group) flag(key string) bool {
	v := g[key].best
	return v == "true" || v == "1"
}

func (g group) list(key string) []string {
	var out []string
	var b strings.Builder
	add := func() {
		if s := clean(unescape(b.String())); s != "" {
			out = append(out, s)
		}
		b.Reset()
	}
	raw := g[key].best
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && raw[i+1] == ';':
			b.WriteByte(';')
			i++
		case c == '\\' && i+1 < len(raw):
			b.WriteByte(c)
			b.WriteByte(raw[i+1])
			i++
		case c == ';':
			add()
		default:
			b.WriteByte(c)
		}
	}
	add()
	return out
}

// unescape resolves the escapes of string values. A backslash before any other
// character stays as it is: Exec lines have their own quoting on top.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 's':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '\\':
			b.WriteByte('\\')
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// clean makes a value fit to show on one line: valid UTF-8, no control
// characters, no runs of blanks.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) }), " ")
}
