package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// screen is what the flashlight and the picker share: a prompt, a list under
// it, notices and a status line.
type screen struct {
	ruler  ruler
	theme  theme
	width  int
	height int
	prompt prompt
	sign   string // before the prompt
	list   list
	top    int // line of the screen where the list begins
}

// notice is a line under the list.
type notice struct {
	text string
	warn bool
}

// maxNotices bounds the lines that notices may take from the list.
const maxNotices = 4

func newScreen(width, height int, env func(string) string) screen {
	s := screen{width: width, height: height, theme: newTheme(isUnicode(env))}
	s.sign = s.theme.promptSign
	s.theme.fromEnvironment(env("COLORFGBG"))
	return s
}

// terminal takes in what the terminal says about itself, and says whether msg
// was of that kind.
func (s *screen) terminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.ModeReportMsg:
		// The renderer measures by graphemes on the very same report.
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			s.ruler.method = ansi.GraphemeWidth
		}
	case tea.ColorProfileMsg:
		s.theme.fewColors = msg.Profile < colorprofile.ANSI256
	case tea.BackgroundColorMsg:
		s.theme.onBackground(msg.IsDark())
	default:
		return false
	}
	return true
}

// edit lets a key change the prompt; changed says that its text did.
func (s *screen) edit(key tea.KeyPressMsg) (changed bool) {
	before := s.prompt.text
	switch key.String() {
	case "left", "ctrl+b":
		s.prompt.left()
	case "right", "ctrl+f":
		s.prompt.right()
	case "home", "ctrl+a":
		s.prompt.home()
	case "end", "ctrl+e":
		s.prompt.end()
	case "alt+b", "ctrl+left", "alt+left":
		s.prompt.wordLeft()
	case "alt+f", "ctrl+right", "alt+right":
		s.prompt.wordRight()
	case "backspace", "ctrl+h", "shift+backspace":
		s.prompt.backspace()
	case "delete", "ctrl+d":
		s.prompt.delete()
	case "ctrl+u":
		s.prompt.cutToStart()
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		s.prompt.cutWord()
	default:
		if text := key.Key().Text; text != "" && key.Key().Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0 {
			s.prompt.insert(text)
		}
	}
	return s.prompt.text != before
}

// navigate lets a key move the selection, and says whether it was such a key.
func (s *screen) navigate(key tea.KeyPressMsg) bool {
	switch key.String() {
	case "down", "ctrl+n":
		s.list.move(1)
	case "up", "ctrl+p":
		s.list.move(-1)
	case "pgdown":
		s.list.move(max(1, s.list.height))
	case "pgup":
		s.list.move(-max(1, s.list.height))
	case "ctrl+home":
		s.list.selectAt(0)
	case "ctrl+end":
		s.list.selectAt(s.list.len - 1)
	default:
		return false
	}
	return true
}

// mouse moves the selection; again says that the selected line was clicked again.
func (s *screen) mouse(msg tea.MouseMsg) (again bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		switch m.Button {
		case tea.MouseWheelDown:
			s.list.move(1)
		case tea.MouseWheelUp:
			s.list.move(-1)
		}
	case tea.MouseClickMsg:
		i := s.list.top + m.Y - s.top
		if m.Button != tea.MouseLeft || m.Y < s.top || m.Y >= s.top+s.list.height || i >= s.list.len {
			return false
		}
		if i == s.list.sel {
			return true
		}
		s.list.selectAt(i)
	}
	return false
}

// view lays the screen out. aside stands at the right end of the prompt's line,
// empty in place of an empty list.
func (s *screen) view(aside, empty string, notices []notice, status notice) tea.View {
	width, height := max(1, s.width), max(1, s.height)
	ruled, said := height >= 6, height >= 3
	notices = s.wrap(notices, width, min(maxNotices, max(0, height-4)))
	s.top = 1
	if ruled {
		s.top = 2
	}
	s.list.height = max(0, height-s.top-len(notices))
	if said {
		s.list.height = max(0, s.list.height-1)
	}
	s.list.scroll()

	lines := make([]string, 0, height)
	promptLine, cursor := s.promptLine(width, aside)
	lines = append(lines, promptLine)
	if ruled {
		l := s.line(width)
		l.put(strings.Repeat(s.theme.rule, width), s.theme.faint, width)
		lines = append(lines, l.String())
	}
	for i := range s.list.height {
		l := s.line(width)
		switch at := s.list.top + i; {
		case at < s.list.len:
			s.drawItem(l, s.list.item(at), at == s.list.sel)
		case i == 0 && s.list.len == 0:
			l.put("  "+empty, s.theme.faint, width)
		}
		lines = append(lines, l.String())
	}
	for _, n := range notices {
		lines = append(lines, s.noticeLine(n, width))
	}
	if said {
		lines = append(lines, s.noticeLine(status, width))
	}
	v := tea.NewView(strings.Join(lines[:min(len(lines), height)], "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.Cursor = tea.NewCursor(cursor, 0)
	v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, false
	return v
}

func (s *screen) line(width int) *line {
	return &line{r: s.ruler, width: width, more: s.theme.more}
}

// wrap breaks notices into lines of that width, as many as have room: the
// remedy stands at the end of an error and must not be cut off.
func (s *screen) wrap(notices []notice, width, lines int) []notice {
	var out []notice
	for _, n := range notices {
		rest := n.text
		for rest != "" && len(out) < lines {
			part := rest
			if !s.ruler.fits(rest, width) && len(out) < lines-1 {
				part = rest[:s.ruler.breakAt(rest, width)]
			}
			out = append(out, notice{text: strings.TrimSpace(part), warn: n.warn})
			rest = strings.TrimLeft(rest[len(part):], " ")
		}
	}
	return out
}

func (s *screen) noticeLine(n notice, width int) string {
	style := s.theme.faint
	if n.warn {
		style = s.theme.warn
	}
	l := s.line(width)
	l.put(n.text, style, width)
	return l.String()
}

// promptLine draws the prompt and returns the cursor's column. Text that has no
// room is scrolled so that the cursor shows.
func (s *screen) promptLine(width int, aside string) (string, int) {
	l := s.line(width)
	asideWidth := s.ruler.width(aside)
	if asideWidth+2 > width/3 {
		asideWidth = 0
	}
	l.put(s.sign, s.theme.prompt, width/2)
	start := l.at
	room := max(1, width-start-1)
	if asideWidth > 0 {
		room = max(1, room-asideWidth-1)
	}
	text, before := s.prompt.text, s.ruler.width(s.prompt.text[:s.prompt.at])
	for before >= room && text != "" {
		size, _, w := s.ruler.next(text)
		text, before = text[size:], before-w
	}
	l.more = ""
	l.put(text, s.theme.title, room)
	if asideWidth > 0 {
		l.padTo(width - asideWidth)
		l.put(aside, s.theme.faint, asideWidth)
	}
	return l.String(), min(start+before, width-1)
}

// drawItem draws a line of the list: marker, title, subtitle, badge.
func (s *screen) drawItem(l *line, it item, chosen bool) {
	marker, style := " ", it.style
	if chosen {
		marker = s.theme.markerSign
		style = append(append(ansi.Style{}, style...), s.theme.chosen...)
		l.under = s.theme.under()
	}
	l.put(marker, s.theme.marker, 1)
	check := " "
	if it.checked {
		check = s.theme.checkSign
	}
	l.put(check, s.theme.marker, 1)

	end := l.width
	badge := s.ruler.width(it.badge)
	if badge > 0 && l.width >= 40 {
		badge = min(badge, l.width/4)
		end -= badge + 1
	} else {
		badge = 0
	}
	room := max(0, end-l.at-1)
	title := room
	if it.subtitle != "" && room >= 30 {
		// The subtitle gets what the title leaves, and a third if it leaves less.
		title = max(room-2-s.ruler.width(it.subtitle), room*2/3)
	}
	used := l.put(it.sign, s.theme.answer, title)
	used += l.putMarked(it.title, it.marks, style, s.theme.mark, title-used)
	if it.subtitle != "" && room-used > 6 {
		l.padTo(l.at + 2)
		l.put(it.subtitle, s.theme.faint, room-used-2)
	}
	if badge > 0 {
		l.padTo(l.width - badge - 1)
		l.put(it.badge, s.theme.badge(it.badge), badge)
	}
	if len(l.under) > 0 {
		l.padTo(l.width)
	}
}

// count is a number for the end of the prompt's line.
func count(n int, pending bool, more string) string {
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	if pending {
		s += more
	}
	return s
}
