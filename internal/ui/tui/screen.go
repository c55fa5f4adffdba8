package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/edit"
)

// screen is what the flashlight and the picker share: a prompt, a list under
// it, notices and a status line.
type screen struct {
	ruler  ruler
	theme  theme
	width  int
	height int
	prompt edit.Line
	sign   string // before the prompt
	list   list
	top    int // line of the screen where the list begins
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
	before := s.prompt.Text()
	switch key.String() {
	case "left", "ctrl+b":
		s.prompt.Left(false)
	case "right", "ctrl+f":
		s.prompt.Right(false)
	case "home", "ctrl+a":
		s.prompt.Home(false)
	case "end", "ctrl+e":
		s.prompt.End(false)
	case "alt+b", "ctrl+left", "alt+left":
		s.prompt.WordLeft(false)
	case "alt+f", "ctrl+right", "alt+right":
		s.prompt.WordRight(false)
	case "backspace", "ctrl+h", "shift+backspace":
		s.prompt.Backspace()
	case "delete", "ctrl+d":
		s.prompt.Delete()
	case "ctrl+u":
		s.prompt.CutToStart()
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		s.prompt.CutWord()
	default:
		if text := key.Key().Text; text != "" && key.Key().Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0 {
			s.prompt.Insert(text)
		}
	}
	return s.prompt.Text() != before
}

// navigate lets a key move the selection, and says whether it was such a key.
func (s *screen) navigate(key tea.KeyPressMsg) bool {
	switch key.String() {
	case "down", "ctrl+n":
		s.list.Move(1)
	case "up", "ctrl+p":
		s.list.Move(-1)
	case "pgdown":
		s.list.Page(1)
	case "pgup":
		s.list.Page(-1)
	case "ctrl+home":
		s.list.Select(0)
	case "ctrl+end":
		s.list.Select(s.list.Len() - 1)
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
			s.list.Move(1)
		case tea.MouseWheelUp:
			s.list.Move(-1)
		}
	case tea.MouseClickMsg:
		i := s.list.Top() + m.Y - s.top
		if m.Button != tea.MouseLeft || m.Y < s.top || m.Y >= s.top+s.list.Height || i >= s.list.Len() {
			return false
		}
		if i == s.list.At() {
			return true
		}
		s.list.Select(i)
	}
	return false
}

// view lays the screen out. aside stands at the right end of the prompt's line,
// empty in place of an empty list.
func (s *screen) view(aside, empty string, notices []choose.Notice, status choose.Notice) tea.View {
	width, height := max(1, s.width), max(1, s.height)
	ruled, said := height >= 6, height >= 3
	notices = s.wrap(notices, width, min(maxNotices, max(0, height-4)))
	s.top = 1
	if ruled {
		s.top = 2
	}
	s.list.Height = max(0, height-s.top-len(notices))
	if said {
		s.list.Height = max(0, s.list.Height-1)
	}
	s.list.Scroll()

	lines := make([]string, 0, height)
	promptLine, cursor := s.promptLine(width, aside)
	lines = append(lines, promptLine)
	if ruled {
		l := s.line(width)
		l.put(strings.Repeat(s.theme.rule, width), s.theme.faint, width)
		lines = append(lines, l.String())
	}
	for i := range s.list.Height {
		l := s.line(width)
		switch at := s.list.Top() + i; {
		case at < s.list.Len():
			s.drawItem(l, s.list.item(at), at == s.list.At())
		case i == 0 && s.list.Len() == 0:
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
func (s *screen) wrap(notices []choose.Notice, width, lines int) []choose.Notice {
	var out []choose.Notice
	for _, n := range notices {
		rest := n.Text
		for rest != "" && len(out) < lines {
			part := rest
			if !s.ruler.fits(rest, width) && len(out) < lines-1 {
				part = rest[:s.ruler.breakAt(rest, width)]
			}
			out = append(out, choose.Notice{Text: strings.TrimSpace(part), Warn: n.Warn})
			rest = strings.TrimLeft(rest[len(part):], " ")
		}
	}
	return out
}

func (s *screen) noticeLine(n choose.Notice, width int) string {
	style := s.theme.faint
	if n.Warn {
		style = s.theme.warn
	}
	l := s.line(width)
	l.put(n.Text, style, width)
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
	text, before := s.prompt.Text(), s.ruler.width(s.prompt.Text()[:s.prompt.Caret()])
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
