package emit

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/status"
)

func format(t testing.TB, name string) Format {
	t.Helper()
	f, err := New(name)
	require.NoError(t, err)
	return f
}

var sample = status.Line{
	Left:  []status.Run{{Text: "cpu <3%> & 'x'", Name: "cpu", Hover: "all \"of\" it", Clicks: []string{":cpu refresh"}}, {Text: " | "}},
	Right: []status.Run{{Text: "#[fg=red]#", Style: status.Style{FG: "brightred", Bold: true}, Name: "mem"}},
}

func TestAnUnknownFormatNamesThoseThereAre(t *testing.T) {
	_, err := New("dzen")
	assert.ErrorContains(t, err, "i3bar, sketchybar, text, tmux, waybar")
}

func TestI3barGetsAHeaderAndOneArrayALine(t *testing.T) {
	f := format(t, "i3bar")
	assert.Equal(t, fmt.Sprintf("{\"version\":1,\"click_events\":true,\"stop_signal\":%d,\"cont_signal\":%d}\n[\n", StopSignal, ContinueSignal), f.Begin())
	var blocks []map[string]any
	data, ok := strings.CutSuffix(f.Line(sample), ",\n")
	require.True(t, ok)
	require.NoError(t, json.Unmarshal([]byte(data), &blocks))
	require.Len(t, blocks, 4)
	assert.Equal(t, map[string]any{"name": "cpu", "full_text": "cpu <3%> & 'x'", "separator": false, "separator_block_width": 0.0}, blocks[0])
	assert.Equal(t, "   ", blocks[2]["full_text"])
	assert.Equal(t, `<span foreground="#ff5050" weight="bold">#[fg=red]#</span>`, blocks[3]["full_text"])
	assert.Equal(t, "pango", blocks[3]["markup"])
	assert.Equal(t, "[],\n", f.Line(status.Line{}))
}

func TestAClickIsReadFromTheEndlessArray(t *testing.T) {
	for in, want := range map[string]Click{
		"[":                         {},
		`{"name":"cpu","button":1}`: {"cpu", 1},
		`,{"name":"cpu","instance":"x","button":3,"x":1,"modifiers":["Shift"]}` + "\n": {"cpu", 3},
		`,{"button":1}`:               {},
		`,{"name":"cpu","button":-1}`: {},
		`,{"name":7}`:                 {},
		"":                            {},
	} {
		got, ok := ParseClick([]byte(in))
		assert.Equal(t, want, got, in)
		assert.Equal(t, want != Click{}, ok, in)
	}
}

func TestWaybarGetsMarkupAndATooltip(t *testing.T) {
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(format(t, "waybar").Line(sample)), &got))
	assert.Equal(t, map[string]string{
		"text":    `cpu &lt;3%&gt; &amp; &#39;x&#39; |    <span foreground="#ff5050" weight="bold">#[fg=red]#</span>`,
		"tooltip": "all &quot;of&quot; it",
		"class":   "flash",
	}, got)
	assert.JSONEq(t, `{"text":"","tooltip":"flash is not running","class":"off"}`, format(t, "waybar").Say("flash is not running"))
	assert.Contains(t, format(t, "waybar").Line(status.Line{}), `"class":"empty"`)
}

func TestTmuxGetsStylesAndNoneThatAPluginWrote(t *testing.T) {
	assert.Equal(t, "#[range=user|cpu]cpu <3%> & 'x'#[norange] |    #[fg=brightred,bold]##[fg=red]###[default]\n", format(t, "tmux").Line(sample))
	long := status.Line{Left: []status.Run{{Text: "a", Name: "a-name-of-sixteen", Clicks: []string{":x"}}}}
	assert.Equal(t, "a\n", format(t, "tmux").Line(long))
}

func TestTextIsTheLineAlone(t *testing.T) {
	assert.Equal(t, "cpu <3%> & 'x' |   #[fg=red]#\n", format(t, "text").Line(sample))
	assert.Equal(t, "\n", format(t, "text").Line(status.Line{}))
}

func TestSketchybarIsToldOnlyOfItemsThatChanged(t *testing.T) {
	f := format(t, "sketchybar")
	assert.Equal(t, `--set flash.cpu drawing=on label='cpu <3%> & '\''x'\''' --set flash.mem drawing=on label='#[fg=red]#' label.color=0xffff5050`+"\n", f.Line(sample))
	assert.Empty(t, f.Line(sample))
	assert.Equal(t, "--set flash.cpu drawing=off --set flash.mem drawing=on label='a b' label.color=0xffffffff\n",
		f.Line(status.Line{Left: []status.Run{{Text: "a ", Name: "mem"}, {Text: "|"}, {Text: "b", Name: "mem"}}}))
	assert.Equal(t, "--set flash.flash drawing=on label='gone' --set flash.mem drawing=off\n", f.Say("gone"))
}

func TestSketchybarsArgumentsSurviveAShell(t *testing.T) {
	evil := "$(reboot) `x` \\ ' \" ; & | > * ~"
	line := format(t, "sketchybar").Line(status.Line{Left: []status.Run{{Text: evil, Name: "a'b c"}}})
	out, err := exec.Command("sh", "-c", "printf '%s\\n' "+line).Output()
	require.NoError(t, err)
	assert.Equal(t, "--set\nflash.a_b_c\ndrawing=on\nlabel="+evil+"\n", string(out))
}

func FuzzEmit(f *testing.F) {
	f.Add("a<b>&'\"", "n", "h", ":c", "red")
	f.Fuzz(func(t *testing.T, text, name, hover, click, colour string) {
		tpl := status.ParseTemplate("#[fg=" + colour + ",range=user|" + name + ",click=" + click + ",hover=" + hover + "]" + text)
		line := status.Line{Left: []status.Run{{Text: text, Name: name, Hover: hover, Clicks: []string{click}}}}
		parsed, _ := tpl.Line(&status.Snapshot{}, time.Time{})
		for _, l := range []status.Line{line, parsed} {
			var blocks []struct {
				Text   string `json:"full_text"`
				Markup string
			}
			data := strings.TrimSuffix(format(t, "i3bar").Line(l), ",\n")
			if err := json.Unmarshal([]byte(data), &blocks); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			for _, b := range blocks {
				if b.Markup != "" {
					wellFormed(t, b.Text)
				}
			}
			var w waybarLine
			if err := json.Unmarshal([]byte(format(t, "waybar").Line(l)), &w); err != nil {
				t.Fatal(err)
			}
		}
		wellFormed(t, pango(parsed.Left))
	})
}

// wellFormed fails on markup that a parser of XML, whose rules Pango's are, refuses.
func wellFormed(t *testing.T, markup string) {
	t.Helper()
	if !utf8.ValidString(markup) || strings.ContainsFunc(markup, func(r rune) bool { return r == 0xfffe || r == 0xffff }) {
		return // no text of a plugin: those are checked before they come here
	}
	d := xml.NewDecoder(strings.NewReader("<m>" + markup + "</m>"))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", markup, err)
		}
	}
}
