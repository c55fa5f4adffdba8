package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAHotKeyOrAnAliasTakesARowACommandOrAText(t *testing.T) {
	c, faults := parseTest(`
[hotkeys.bind]
"super+a" = "@windows "
"super+b" = { query = ":clip" }
"super+c" = { row = "tmux/0123456789abcdef" }
"volumeup" = { command = ":media up" }
"print" = ""
[aliases]
tw = "@tmux.windows "
"two words" = { command = "!g cats" }
`)
	require.Empty(t, faults)
	assert.Equal(t, map[string]Target{
		"super+a": {Query: "@windows "}, "super+b": {Query: ":clip"}, "super+c": {Row: "tmux/0123456789abcdef"}, "volumeup": {Command: ":media up"},
	}, c.Hotkeys.Bind)
	assert.Equal(t, map[string]Target{"tw": {Query: "@tmux.windows "}, "two words": {Command: "!g cats"}}, c.Aliases)
	assert.Equal(t, ":media up", c.Hotkeys.Bind["volumeup"].Text())

	shown, err := c.Show()
	require.NoError(t, err)
	again, faults := parseTest(string(shown))
	require.Empty(t, faults)
	assert.Equal(t, c.Hotkeys, again.Hotkeys)
	assert.Equal(t, c.Aliases, again.Aliases)
}

func TestWhatAHotKeyOrAnAliasCannotDoIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"[hotkeys.bind]\n\"super+a\" = 1":                                    `2:1: hotkeys.bind."super+a": is a whole number, neither a string nor a table; ` + targetRemedy,
		"[hotkeys.bind]\n\"super+a\" = {}":                                   `2:1: hotkeys.bind."super+a": does not say one thing to do; ` + targetRemedy,
		"[hotkeys.bind]\n\"super+a\" = { query = \"x\", command = \":y\" }":  `2:1: hotkeys.bind."super+a": does not say one thing to do; ` + targetRemedy,
		"[hotkeys.bind]\n\"super+a\" = { row = \"x\" }":                      `"x" is no row id`,
		"[hotkeys.bind]\n\"super+a\" = { comand = \":y\" }":                  `did you mean "command"?`,
		"[hotkeys.bind]\n\"super+a\" = { command = \"y\" }":                  `begins with neither : nor !`,
		"[hotkeys.bind]\n\"super+a\" = { query = 1 }":                        `is a whole number, not a string`,
		"[hotkeys.bind]\n\"super+a\" = \"x\"\n\"cmd+a\" = { query = \"y\" }": `is bound twice`,
		"[hotkeys.bind]\n\"mute\" = \"x\"\n\"a\" = \"y\"":                    `has no modifier`,
		"[aliases]\n\" x\" = \"y\"":                                          `is no name that could be typed`,
		"[aliases]\n\":x\" = \"y\"":                                          `begins with ":"`,
		"[aliases]\nx = []":                                                  `is a list, neither`,
		"aliases = 1":                                                        `is a whole number, not a table`,
	} {
		_, faults := parseTest(text)
		if assert.Len(t, faults, 1, "%s: %v", text, faults) {
			assert.True(t, strings.Contains(faults[0].Error(), want), "%s: %s", text, faults[0].Error())
		}
	}
}
