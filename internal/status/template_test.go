package status

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/printable"
)

// rendered is what a template shows with cpu's segments as given.
func rendered(t *testing.T, template string, kv ...string) string {
	t.Helper()
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values(kv...))
	got, _ := ParseTemplate(template).Render(r.Snapshot(), clock.Now())
	return got
}

func TestATemplateRendersWhatThereIs(t *testing.T) {
	for in, want := range map[string]string{
		"[#{flash.plugin.cpu.summary}|#{flash.plugin.cpu.percent}]": "[3% [31m x|]",
		"":                                 "",
		"50% of # and #1 ##{x}":            "50% of # and #1 #{x}",
		"a, b} c] #, #} #]":                "a, b} c] #, #} #]",
		"#{l:a#,b#}##}":                    "a,b}#",
		"#[fg=red]#{flash.plugin.ghost.x}": "",
	} {
		tpl := ParseTemplate(in)
		assert.Empty(t, tpl.Faults(), in)
		assert.Equal(t, want, rendered(t, in, "summary", "3%\n\x1b[31m\u2028x"), in)
	}
}

func TestConditionsHoldAsTmuxHasThem(t *testing.T) {
	const seg = "flash.plugin.cpu.percent"
	for _, c := range []struct{ template, value, want string }{
		{"#{?" + seg + ",yes,no}", "7%", "yes"},
		{"#{?" + seg + ",yes,no}", "0", "no"},
		{"#{?" + seg + ",yes,no}", "0%", "yes"},
		{"#{?" + seg + ",yes,no}", "", "no"},
		{"#{?" + seg + ",yes}", "", ""},
		{"#{?#{" + seg + "},a#,b,c}", "1", "a,b"},
		{"#{?#{>=:" + seg + ",90},hot,#{>=:" + seg + ",50},warm,cold}", "95%", "hot"},
		{"#{?#{>=:" + seg + ",90},hot,#{>=:" + seg + ",50},warm,cold}", "50%", "warm"},
		{"#{?#{>=:" + seg + ",90},hot,#{>=:" + seg + ",50},warm,cold}", "9%", "cold"},
		{"#{==:#{" + seg + "},on}", "on", "1"},
		{"#{!=:" + seg + ",on}", "on", "0"},
		{"#{<:" + seg + ",on}", "off", "1"},
		{"#{>:" + seg + ",80}", "9%", "0"},
		{"#{e|>:" + seg + ",80}", "100 %", "1"},
		{"#{e|>:" + seg + ",80}", "much", ""},
		{"#{e|*|f|1:" + seg + ",2.5}", "3", "7.5"},
		{"#{e|/:" + seg + ",2}", "7", "3"},
		{"#{e|/:" + seg + ",0}", "7", ""},
		{"#{e|m:" + seg + ",4}", "7", "3"},
		{"#{&&:" + seg + ",#{<:" + seg + ",9}}", "5", "1"},
		{"#{||:flash.plugin.cpu.summary," + seg + "}", "5", "1"},
		{"#{!:" + seg + "}", "5", "0"},
		{"#{?" + seg + ",#{?#{==:" + seg + ",1},one,more},none}", "2", "more"},
	} {
		require.Empty(t, ParseTemplate(c.template).Faults(), c.template)
		assert.Equal(t, c.want, rendered(t, c.template, "percent", c.value), "%s of %q", c.template, c.value)
	}
}

func TestTextIsCutAndPaddedByColumnsOfWholeLetters(t *testing.T) {
	const seg = "flash.plugin.cpu.summary"
	for _, c := range []struct{ template, value, want string }{
		{"#{=4:" + seg + "}", "abcdef", "abcd"},
		{"#{=-4:" + seg + "}", "abcdef", "cdef"},
		{"#{=/3/…:" + seg + "}", "abcdef", "abc…"},
		{"#{=/-3/…:" + seg + "}", "abcdef", "…def"},
		{"#{=/9/…:" + seg + "}", "abcdef", "abcdef"},
		{"#{=3:" + seg + "}", "名前です", "名"},
		{"#{=2:" + seg + "}", "e\u0301e\u0301e\u0301", "e\u0301e\u0301"},
		{"#{p6:" + seg + "}|", "名前", "名前  |"},
		{"#{p-6:#{" + seg + "}}|", "7%", "    7%|"},
	} {
		require.Empty(t, ParseTemplate(c.template).Faults(), c.template)
		assert.Equal(t, c.want, rendered(t, c.template, "summary", c.value), c.template)
	}
}

func TestHistoriesAndSharesAreDrawn(t *testing.T) {
	const seg = "flash.plugin.cpu.history"
	for _, c := range []struct{ template, value, want string }{
		{"#{spark:" + seg + "}", "0 50 100", "▁▅█"},
		{"#{spark:" + seg + "}", "[1,2,4]", "▃▅█"},
		{"#{spark//100:" + seg + "}", "0% 50% 250%", "▁▅█"},
		{"#{spark/2:" + seg + "}", "1 2 4", "▅█"},
		{"#{spark:" + seg + "}", "▁▄█", "▂▅█"},
		{"#{spark:" + seg + "}", "nothing", ""},
		{"#{meter:" + seg + "}", "50%", "████░░░░"},
		{"#{meter/4:" + seg + "}", "100%", "████"},
		{"#{meter/4/1000:" + seg + "}", "125", "▌░░░"},
		{"#{meter:" + seg + "}", "-5", "░░░░░░░░"},
		{"#{meter:" + seg + "}", "x", ""},
	} {
		require.Empty(t, ParseTemplate(c.template).Faults(), c.template)
		assert.Equal(t, c.want, rendered(t, c.template, "history", c.value), "%s of %q", c.template, c.value)
	}
}

func TestABarThatDrawsGetsTheFiguresBehindAGraph(t *testing.T) {
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values("history", "0 5 10", "percent", "25%"))
	line, _ := ParseTemplate("#{spark:flash.plugin.cpu.history}#{meter/9:flash.plugin.cpu.percent}").Line(r.Snapshot(), clock.Now())
	require.Len(t, line.Left, 2)
	assert.Equal(t, &Graph{Values: []float64{0, 0.5, 1}, Cells: 20}, line.Left[0].Graph)
	assert.Equal(t, &Graph{Values: []float64{0.25}, Meter: true, Cells: 9}, line.Left[1].Graph)
	assert.Equal(t, "cpu", line.Left[1].Name)
}

func TestStylesAndSidesAreThoseOfTmux(t *testing.T) {
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values("summary", "3%", "percent", "95%"))
	tpl := ParseTemplate("a#[fg=#FF8000,bg=colour196 bold]b#[nobold,dim]c#[default]d" +
		"#[align=centre,fg=#{?#{>=:flash.plugin.cpu.percent,90},red,green}]#{flash.plugin.cpu.summary}" +
		"#[align=right,none]#{?flash.plugin.cpu.percent,#[italics#,underscore#,reverse]e,f}")
	require.Empty(t, tpl.Faults())
	line, _ := tpl.Line(r.Snapshot(), clock.Now())
	assert.Equal(t, Line{
		Left: []Run{
			{Text: "a"},
			{Text: "b", Style: Style{FG: "#ff8000", BG: "#ff0000", Bold: true}},
			{Text: "c", Style: Style{FG: "#ff8000", BG: "#ff0000", Dim: true}},
			{Text: "d"},
		},
		Centre: []Run{{Text: "3%", Style: Style{FG: "red"}, Name: "cpu"}},
		Right:  []Run{{Text: "e", Style: Style{FG: "red", Italic: true, Underline: true, Reverse: true}}},
	}, line)
}

func TestPartsOfALineCanBeNamedClickedAndHoveredOver(t *testing.T) {
	r, clock, _ := start(t)
	r.SetDeclared(map[string][]string{"cpu": {"summary", "percent", "details"}})
	r.Merge("cpu", 1, values("summary", "3%", "percent", "3", "details", "2 processors: 3%, 4%"))
	tpl := ParseTemplate("#[range=user|load,click=:cpu refresh,click3=top of #{flash.plugin.cpu.percent}]CPU #{flash.plugin.cpu.summary}#[norange] | " +
		"#[hover=all of it#, really]#{flash.plugin.cpu.percent}#[nohover]#{flash.plugin.cpu.summary}")
	require.Empty(t, tpl.Faults())
	line, _ := tpl.Line(r.Snapshot(), clock.Now())
	clicks := []string{":cpu refresh", "", "top of 3"}
	assert.Equal(t, []Run{
		{Text: "CPU 3%", Name: "load", Clicks: clicks},
		{Text: " | "},
		{Text: "3", Name: "cpu", Hover: "all of it, really"},
		{Text: "3%", Name: "cpu"},
	}, line.Left)
	assert.Equal(t, ":cpu refresh", line.Action("load", 1))
	assert.Equal(t, "top of 3", line.Action("load", 3))
	assert.Empty(t, line.Action("load", 2))
	assert.Empty(t, line.Action("load", 0))
	assert.Empty(t, line.Action("cpu", 1))

	line, _ = tpl.Hovering().Line(r.Snapshot(), clock.Now())
	assert.Equal(t, "2 processors: 3%, 4%", line.Left[len(line.Left)-1].Hover)
	assert.Equal(t, []string{"details", "percent", "summary"}, tpl.Hovering().References()["cpu"])
	assert.Equal(t, []string{"percent", "summary"}, tpl.References()["cpu"])
}

func TestARangeEndsWithItsSideAndClickedNeighboursAreOneGroup(t *testing.T) {
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values("summary", "3%", "percent", "3"))
	line, _ := ParseTemplate("#[click=!x]CPU #{flash.plugin.cpu.summary} #[bold]#{flash.plugin.cpu.percent}#[align=right]z").Line(r.Snapshot(), clock.Now())
	groups := Groups(line.Left)
	require.Len(t, groups, 1)
	assert.Equal(t, "cpu", groups[0].Name)
	assert.Equal(t, "CPU 3% 3", groups[0].Text())
	assert.Equal(t, "!x", groups[0].Click(1))
	assert.Equal(t, []Run{{Text: "z", Style: Style{Bold: true}}}, line.Right)
}

func TestAPluginsTextIsNeverTemplate(t *testing.T) {
	evil := "#[fg=red,click=:system shutdown]#{flash.plugin.cpu.percent},x}]"
	assert.Equal(t, evil, rendered(t, "#{flash.plugin.cpu.summary}", "summary", evil))
	assert.Equal(t, evil, rendered(t, "#{?1#{flash.plugin.cpu.summary},#{flash.plugin.cpu.summary},}", "summary", evil))
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values("summary", "red,click=:system shutdown,bold"))
	line, _ := ParseTemplate("#[fg=#{flash.plugin.cpu.summary}]a").Line(r.Snapshot(), clock.Now())
	assert.Equal(t, []Run{{Text: "a", Style: Style{FG: "red", Bold: true}}}, line.Left, "looks at most")
}

func TestAFaultNamesItsColumnAndTheTextStands(t *testing.T) {
	for in, want := range map[string]string{
		"ab #{host}":                      "column 4: \"host\" is no segment",
		"#{flash.plugin.cpu}":             "column 1: \"flash.plugin.cpu\" is no segment",
		"é #{flash.plugin.cpu.x":          "column 4: `#{` is not closed",
		"#[fg=red":                        "column 1: `#[` is not closed",
		"x#[fg=pale]y":                    "column 4: \"pale\" is no colour",
		"#[blink]":                        "column 3: \"blink\" is no style",
		"#[bold,align=up]":                "column 8: \"up\" is no side",
		"#{?on,a,b}":                      "column 4: the condition \"on\" is no segment",
		"#{?flash.plugin.cpu.x}":          "column 1: a condition has no part",
		"#{==:a}":                         "column 1: == has 1 operands",
		"#{==:a,b,c}":                     "column 1: == has 3 operands",
		"#{spark:1 2 3}":                  "column 1: \"1 2 3\" is no segment",
		"#{spark/0:flash.plugin.a.b}":     "column 1: \"0\" is no size",
		"#{meter/9999:flash.plugin.a.b}":  "column 1: \"9999\" is no size",
		"#{meter/8/NaN:flash.plugin.a.b}": "column 1: \"8/NaN\" is no size",
		"#{s/a/b/:flash.plugin.a.b}":      "column 1: \"s/a/b/\" is nothing",
		"#{e|^:1,2}":                      "column 1: \"e|^\" is no calculation",
		"#{e|+|f|99:1,2}":                 "column 1: \"e|+|f|99\" is no calculation",
		"#{T:%q}":                         "column 1: the time format",
		"#(date)":                         "column 1: `#(` runs a program",
		"#[click9=x]":                     "column 3: \"click9\" is no style",
		"#{=5000:flash.plugin.a.b}":       "column 1: \"=5000\" is nothing",
		strings.Repeat("#{!:", 40) + strings.Repeat("}", 40): "column 129: is nested deeper than 32",
	} {
		tpl := ParseTemplate(in)
		require.NotEmpty(t, tpl.Faults(), in)
		assert.Contains(t, tpl.Faults()[0].Error(), want, in)
		assert.Contains(t, tpl.Faults()[0].Error(), "; ", "the remedy of %s", in)
		if !strings.HasPrefix(in, "#{!:") {
			got, _ := tpl.Render(&Snapshot{}, time.Time{})
			assert.Equal(t, in, got)
		}
	}
}

func TestAFaultSpoilsNothingAroundIt(t *testing.T) {
	assert.Equal(t, "3% #{host} 3%", rendered(t, "#{flash.plugin.cpu.summary} #{host} #{flash.plugin.cpu.summary}", "summary", "3%"))
	assert.Equal(t, "#{ 3%", rendered(t, "#{ #{flash.plugin.cpu.summary}", "summary", "3%"))
	assert.Equal(t, "[#{x}]", rendered(t, "#{?flash.plugin.cpu.summary,[#{x}],no}", "summary", "3%"))
}

func TestConditionsStylesAndHoversCountAsShown(t *testing.T) {
	tpl := ParseTemplate("#{?#{>=:flash.plugin.a.x,9},#{flash.plugin.b.c.y},#[fg=#{flash.plugin.d.z},hover=#{flash.plugin.e.details}]}#{spark:flash.plugin.f.h}")
	require.Empty(t, tpl.Faults())
	assert.Equal(t, map[string][]string{"a": {"x"}, "b.c": {"y"}, "d": {"z"}, "e": {"details"}, "f": {"h"}}, tpl.References())
}

func TestAClockTurnsWithItsSmallestUnit(t *testing.T) {
	at := time.Date(2026, 3, 9, 7, 5, 3, 400, time.FixedZone("X", 5*3600+30*60))
	for format, want := range map[string]struct {
		text string
		next time.Duration
	}{
		"%a %e %b %H:%M": {"Mon  9 Mar 07:05", 57*time.Second - 400},
		"%T":             {"07:05:03", time.Second - 400},
		"%F %j 100%%":    {"2026-03-09 068 100%", 57*time.Second - 400},
		"noon":           {"noon", 0},
	} {
		got, next := ParseTemplate("#{T:"+format+"}").Render(&Snapshot{}, at)
		assert.Equal(t, want.text, got)
		if want.next == 0 {
			assert.True(t, next.IsZero())
		} else {
			assert.Equal(t, at.Add(want.next), next, format)
		}
	}
}

func TestAHostileTemplateIsReadInNoTime(t *testing.T) {
	for _, s := range []string{"#{", "#[", "#{?", "#{?#[", "}", "#{==:", "#", "#{?a,"} {
		in := strings.Repeat(s, 16384/len(s))
		assert.NotPanics(t, func() { ParseTemplate(in).Render(&Snapshot{}, time.Time{}) }, s)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"a #{flash.plugin.cpu.summary} #{flash.plugin.a.b.c}} #{x",
		"#[align=right,fg=#{?flash.plugin.a.b,red,#00ff00}]#{?#{e|>=|f|1:flash.plugin.a.b,8},x#,y,z}",
		"#{spark/3:flash.plugin.a.b}#{meter//9:#{flash.plugin.a.b}}#[click=:a b,hover=#{flash.plugin.a.b}]",
		"#{=/-3/…:flash.plugin.a.b}#{p-9:flash.plugin.a.b}#{T:%H}#{l:##}",
	} {
		f.Add(s, "7% 8%\x1b#[x]")
	}
	f.Fuzz(func(t *testing.T, in, value string) {
		r := New(nowhen{})
		r.SetDeclared(map[string][]string{"a": {"b"}})
		r.Merge("a", 1, values("b", value))
		tpl := ParseTemplate(in).Hovering()
		line, _ := tpl.Line(r.Snapshot(), time.Unix(0, 0).UTC())
		if len(in) > 0 && !strings.Contains(in, "#") {
			if got, _ := tpl.Render(r.Snapshot(), time.Time{}); got != printable.Line(in) || len(tpl.Faults()) > 0 {
				t.Fatalf("plain text %q became %q", in, got)
			}
		}
		for _, f := range tpl.Faults() {
			if f.Column < 1 || f.Column > len(in) || f.Problem == "" || f.Remedy == "" {
				t.Fatalf("fault %+v of %q", f, in)
			}
		}
		for _, part := range [][]Run{line.Left, line.Centre, line.Right} {
			for _, r := range part {
				for _, s := range []string{r.Text, r.Hover, r.Name, fmt.Sprint(r.Clicks)} {
					if s != printable.Line(s) {
						t.Fatalf("control characters in %q", s)
					}
				}
				if r.Text == "" {
					t.Fatal("an empty run")
				}
			}
		}
	})
}

// nowhen is a time at which nothing happens.
type nowhen struct{ nowhenTimer }

func BenchmarkLine(b *testing.B) {
	r := New(nowhen{})
	r.SetDeclared(map[string][]string{"cpu": {"summary", "percent", "history", "details"}})
	r.Merge("cpu", 1, values("summary", "cpu 3%", "percent", "3%", "history", "▁▂▃▄▅▆▇█", "details", "2 processors"))
	tpl := ParseTemplate("#[align=right]#{spark:flash.plugin.cpu.history} #[fg=#{?#{>=:flash.plugin.cpu.percent,80},red,default}]#{flash.plugin.cpu.summary}").Hovering()
	s, now := r.Snapshot(), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		tpl.Line(s, now)
	}
}

func TestTheExamplesOfTheDocumentationHold(t *testing.T) {
	page, err := os.ReadFile("../../docs/status-bar.md")
	require.NoError(t, err)
	examples := 0
	for i, block := range strings.Split(string(page), "```") {
		if i%2 == 0 {
			continue
		}
		for line := range strings.Lines(block) {
			_, template, ok := strings.Cut(strings.TrimSpace(line), "template = ")
			if !ok && !strings.HasPrefix(line, "#[") {
				continue
			}
			if !ok {
				template = line
			}
			examples++
			assert.Empty(t, ParseTemplate(template).Faults(), line)
		}
	}
	assert.Equal(t, 2, examples)
}
