package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheRunningApplicationsAreRead(t *testing.T) {
	app := func(pid int64, id, name Value, policy int64) Value {
		return Value{Kind: List, List: []Value{{Kind: Int, Int: pid}, id, name, {Kind: Int, Int: policy}}}
	}
	text := func(s string) Value { return Value{Kind: String, Str: s} }
	got := RunningOf([]Value{
		app(70, text("com.example.one"), text("One"), 0), app(71, Value{}, text("no bundle"), 2),
		app(-1, text("com.example.ended"), text("Ended"), 0), {Kind: List, List: []Value{{Kind: Int, Int: 5}}}, {}, text("x"),
	})
	assert.Equal(t, []RunningApp{
		{App{70, "com.example.one"}, "One", 0}, {App{71, ""}, "no bundle", 2},
	}, got)
	assert.Empty(t, RunningOf(nil))
}

func TestTextsAreReadFromWhatHoldsOthers(t *testing.T) {
	assert.Equal(t, []string{"a", "b"}, Strings([]Value{{Kind: String, Str: "a"}, {}, {Kind: Int, Int: 1}, {Kind: String}, {Kind: String, Str: "b"}}))
	assert.Empty(t, Strings(nil))
}
