package panel

import "github.com/flash-launcher/flash/internal/ui/draw"

// Theme is how the panel looks.
type Theme struct {
	Background   draw.Color
	Border       draw.Color
	Line         draw.Color // between the parts
	Text         draw.Color
	Dim          draw.Color // subtitles, hints
	Accent       draw.Color // what was found, the caret
	Selected     draw.Color // behind the selected line
	SelectedText draw.Color
	SelectedDim  draw.Color
	Hover        draw.Color // behind the line under the pointer
	Answer       draw.Color
	AnswerBack   draw.Color // behind an answer
	Warning      draw.Color
	Badge        draw.Color // behind a source's name
	Marked       draw.Color // behind text that is selected in the box

	Radius    int  // of the corners, in points
	Underline bool // under what was found, for those who do not see the accent
	Contrast  bool // a ring around what is selected

	Font, Mono string // families; "" leaves the configuration's, the desktop's
}

// Appearance is what the desktop says that the user prefers.
type Appearance struct{ Dark, HighContrast bool }

// The themes that are built in, by the names that a configuration may give.
var builtin = [...]struct {
	name  string
	theme func() Theme
}{
	{"light", lightTheme},
	{"dark", darkTheme},
	{"high-contrast-light", contrastLightTheme},
	{"high-contrast-dark", contrastDarkTheme},
}

// Auto is the built-in theme for what the user prefers.
func Auto(a Appearance) Theme {
	switch {
	case a.HighContrast && a.Dark:
		return contrastDarkTheme()
	case a.HighContrast:
		return contrastLightTheme()
	case a.Dark:
		return darkTheme()
	}
	return lightTheme()
}

func lightTheme() Theme {
	return Theme{
		Background: draw.RGB(0xfbfbfd), Border: draw.RGB(0xc9ccd4), Line: draw.RGB(0xe4e6eb),
		Text: draw.RGB(0x1b1d23), Dim: draw.RGB(0x666c7a), Accent: draw.RGB(0x1f5fd6),
		Selected: draw.RGB(0xdde7fb), SelectedText: draw.RGB(0x10131a), SelectedDim: draw.RGB(0x505a70), Hover: draw.RGB(0xf0f2f6),
		Answer: draw.RGB(0x0f6e43), AnswerBack: draw.RGB(0xe9f6ef), Warning: draw.RGB(0xb3261e),
		Badge: draw.RGB(0xeceef3), Marked: draw.RGB(0xb9d1fb), Radius: 12,
	}
}

func darkTheme() Theme {
	return Theme{
		Background: draw.RGB(0x1d1f25), Border: draw.RGB(0x3b3f4a), Line: draw.RGB(0x2c2f38),
		Text: draw.RGB(0xeceef4), Dim: draw.RGB(0x969cab), Accent: draw.RGB(0x7db0ff),
		Selected: draw.RGB(0x2f3b57), SelectedText: draw.RGB(0xffffff), SelectedDim: draw.RGB(0xb3bccf), Hover: draw.RGB(0x262932),
		Answer: draw.RGB(0x7fdcab), AnswerBack: draw.RGB(0x1f2d28), Warning: draw.RGB(0xff8d84),
		Badge: draw.RGB(0x2b2e37), Marked: draw.RGB(0x35508a), Radius: 12,
	}
}

func contrastLightTheme() Theme {
	return Theme{
		Background: draw.RGB(0xffffff), Border: draw.RGB(0x000000), Line: draw.RGB(0x000000),
		Text: draw.RGB(0x000000), Dim: draw.RGB(0x262626), Accent: draw.RGB(0x0000c8),
		Selected: draw.RGB(0x000000), SelectedText: draw.RGB(0xffffff), SelectedDim: draw.RGB(0xf0f0f0), Hover: draw.RGB(0xe0e0e0),
		Answer: draw.RGB(0x004020), AnswerBack: draw.RGB(0xffffff), Warning: draw.RGB(0xa00000),
		Badge: draw.RGB(0xffffff), Marked: draw.RGB(0xffe14d), Radius: 6, Underline: true, Contrast: true,
	}
}

func contrastDarkTheme() Theme {
	return Theme{
		Background: draw.RGB(0x000000), Border: draw.RGB(0xffffff), Line: draw.RGB(0xffffff),
		Text: draw.RGB(0xffffff), Dim: draw.RGB(0xe0e0e0), Accent: draw.RGB(0x8cd3ff),
		Selected: draw.RGB(0xffe14d), SelectedText: draw.RGB(0x000000), SelectedDim: draw.RGB(0x1a1a1a), Hover: draw.RGB(0x2a2a2a),
		Answer: draw.RGB(0x9dffcb), AnswerBack: draw.RGB(0x000000), Warning: draw.RGB(0xffa8a0),
		Badge: draw.RGB(0x000000), Marked: draw.RGB(0x0050b0), Radius: 6, Underline: true, Contrast: true,
	}
}

// found is the colour of what was found on a line.
func (t *Theme) found(selected bool) draw.Color {
	if selected && t.Contrast {
		return t.SelectedText
	}
	return t.Accent
}

// faint is the colour of what a box says while it is empty.
func (t *Theme) faint() draw.Color {
	if t.Contrast {
		return t.Dim
	}
	return t.Dim.Alpha(150)
}
