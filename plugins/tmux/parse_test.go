package tmux

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// record writes a record as tmux does, with the q: modifier where the formats
// have it.
func record(kind string, fields ...string) string {
	var b strings.Builder
	b.WriteString(kind + "|")
	for _, f := range fields {
		for i := range len(f) {
			if strings.IndexByte("|&;<>()$`\\\"'*?[# =%", f[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(f[i])
		}
		b.WriteByte('|')
	}
	return b.String() + "\n"
}

func windowRecord(session, id, name, path string) string {
	return record("W", session, "s"+session[1:], "1", id, "0", name, "1", "0", "sh", path, "10-20")
}

func TestAnInventoryIsReadWhateverTheNamesHold(t *testing.T) {
	inv, err := parseInventory([]byte(
		record("C", "/dev/pts/1", "77", "$0", "1000", "attached,focused,UTF-8") +
			record("C", "client-9", "9", "$0", "2000", "attached,control-mode,ignore-size,no-output,UTF-8") +
			record("C", "late", "8", "", "0", "") +
			windowRecord("$0", "@1", "a|b\nW|$0|\\", "/tmp/x\ny\xff")))
	require.NoError(t, err)
	require.Len(t, inv.windows, 1)
	assert.Equal(t, `a|b W|$0|\`, inv.windows[0].name)
	assert.Equal(t, "/tmp/x y\uFFFD", inv.windows[0].path)
	require.Len(t, inv.clients, 2)
	assert.Equal(t, []client{{name: "/dev/pts/1", pid: 77, sessionID: "$0", activity: 1000}}, inv.people())
}

func TestABrokenInventoryIsRefusedWhole(t *testing.T) {
	good := windowRecord("$0", "@1", "a", "/")
	for _, bad := range []string{
		"x", "W", "W|", "W|a|", good[:len(good)-2], good + "no server", strings.Replace(good, "@1", "1", 1),
		strings.Replace(good, "|0|a|", "|x|a|", 1), record("C", "n", "pid", "$0", "1", ""), record("C", "n", "1", "0", "1", ""), `W|\`,
	} {
		_, err := parseInventory([]byte(bad))
		assert.Error(t, err, bad)
	}
	inv, err := parseInventory(nil)
	assert.NoError(t, err)
	assert.Empty(t, inv.windows)
}

func TestATerminalThatSpeaksControlModeIsAPerson(t *testing.T) {
	assert.False(t, isObserver("attached,control-mode,UTF-8"))
	assert.False(t, isObserver("attached,ignore-size"))
	assert.True(t, isObserver("attached,focused,control-mode,ignore-size,no-output,UTF-8"))
}

func TestLiteralTextComesThroughAsItIs(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "#": "##", "a##b": "a####b", "#[x]": "#[x]", "##[": "##[", "#{x}": "##{x}", ";": `\;`, "a;b": "a;b", `\;`: `\\;`, "#;": `##\;`,
	} {
		assert.Equal(t, want, literal(in), in)
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]version{
		"tmux 3.3a\n": {3, 3}, "tmux 2.9": {2, 9}, "tmux next-3.6": {3, 6}, "tmux 3.10-rc": {3, 10}, "tmux master": oldest, "tmux openbsd-7.4": oldest, "": oldest,
	} {
		assert.Equal(t, want, parseVersion(text), text)
	}
	assert.True(t, version{2, 9}.before(oldest))
	assert.False(t, version{3, 10}.before(oldest))
}

func TestLinksNameAServerASessionAndAWindow(t *testing.T) {
	w := window{session: "a/b %|名", index: 3}
	server, session, part, ok := parseURL(windowURL("/tmp/x y", w))
	assert.True(t, ok)
	assert.Equal(t, []string{"/tmp/x y", "a/b %|名", "3"}, []string{server, session, part})
	server, session, part, ok = parseURL("tmux:///work/")
	assert.True(t, ok)
	assert.Equal(t, []string{"default", "work", ""}, []string{server, session, part})
	for _, bad := range []string{"", "tmux:", "tmux://", "tmux://x", "tmux://x/", "http://x/y", "tmux://a/b/c/d", "tmux://a/%zz"} {
		_, _, _, ok := parseURL(bad)
		assert.False(t, ok, bad)
	}
}

func TestATerminalIsFoundAboveItsClient(t *testing.T) {
	term := newTerminals([]protocol.Process{{PID: 50, PPID: 40}, {PID: 40, PPID: 30}, {PID: 30, PPID: 1}, {PID: 60, PPID: 61}, {PID: 61, PPID: 60}}, []int{30, 99})
	assert.Equal(t, 30, term.of(50))
	assert.Equal(t, 30, term.of(30))
	assert.Zero(t, term.of(60), "a loop")
	assert.Zero(t, term.of(7))
}

func TestRowsKeepWithinTheQuotas(t *testing.T) {
	long := strings.Repeat("é", 40000)
	var inv inventory
	for range maxWindows {
		inv.windows = append(inv.windows, window{sessionID: "$0", session: long, id: "@1", name: long, path: long})
	}
	for i := range inv.windows {
		inv.windows[i].id = "@" + strings.Repeat("1", i%15+1) + string(rune('0'+i%10))
	}
	rows := rowsOf([]view{{name: "default", inv: inv}})
	assert.NotEmpty(t, rows)
	_, err := protocol.DecodePublish(append(protocol.AppendRows([]byte(`{"rows":`), rows), '}'), func(string) bool { return true })
	assert.NoError(t, err)
}

// feed takes lines the way a control client does and returns what they meant.
func feed(d *decoder, text string) (got []notice, err error) {
	for line := range strings.SplitSeq(text, "\n") {
		n, err := d.line([]byte(line))
		if err != nil {
			return got, err
		}
		if n != noticeNone {
			got = append(got, n)
		}
	}
	return got, nil
}

func TestNotificationsAreToldFromRepliesAndNoise(t *testing.T) {
	var d decoder
	got, err := feed(&d, "%begin 1 5 0\n%end 1 5 0\n%session-changed $3 work\n%output %1 x\n%window-renamed @1 %begin 1 2 1\n"+
		"%begin 1 7 1\n%window-add @2\n%end 1 6 1\n%end 1 7 1")
	require.NoError(t, err)
	assert.Equal(t, []notice{noticeSession, noticeChange, noticeReply}, got)
	assert.Equal(t, "$3", d.session)
	assert.Equal(t, "%window-add @2\n%end 1 6 1\n", string(d.body))
	assert.False(t, d.refused)
	got, _ = feed(&d, "%begin 1 8 1\nno such thing\n%error 1 8 1\n%paste-buffer-changed x\n%unlinked-window-close @4\n%client-detached client-1\n%exit")
	assert.Equal(t, []notice{noticeReply, noticeChange, noticeChange}, got)
	assert.True(t, d.refused)
}

func FuzzInventory(f *testing.F) {
	f.Add([]byte(windowRecord("$0", "@1", "name", "/path")), "x|\\\n%end")
	f.Add([]byte("C|a|1|$0|1|f|\nW|"), "")
	f.Fuzz(func(t *testing.T, out []byte, name string) {
		inv, err := parseInventory(out)
		if err != nil {
			require.Empty(t, inv.windows)
		}
		for _, w := range inv.windows {
			require.True(t, isID(w.id, '@') && isID(w.sessionID, '$'))
			require.True(t, utf8.ValidString(w.name) && !strings.ContainsAny(w.name, "\n\x00"))
		}
		rowsOf([]view{{name: "default", inv: inv}})
		segmentsOf([]view{{name: "default", inv: inv}})

		// Any name comes back, and never becomes a record of its own.
		inv, err = parseInventory([]byte(windowRecord("$0", "@1", name, name) + windowRecord("$0", "@2", "next", "/")))
		require.NoError(t, err)
		require.Len(t, inv.windows, 2)
		require.Equal(t, clean(name), inv.windows[0].name)
	})
}

func FuzzControlMode(f *testing.F) {
	f.Add("%begin 1 2 1\nW|\n%end 1 2 1\n%window-add @1\n%session-changed $1 x")
	f.Add("%begin\n%end\n%error  \n%begin 1 1 1\n%begin 1 2 1")
	f.Fuzz(func(t *testing.T, text string) {
		var d decoder
		_, _ = feed(&d, text)
		require.LessOrEqual(t, len(d.body), maxInventory)
		require.True(t, d.session == "" || isID(d.session, '$'))

		// Whatever came, the reply to the next command is found once an open one ends.
		if d.inReply {
			_, _ = d.line(append(append([]byte("%end "), d.guard...), " 1"...))
			require.False(t, d.inReply)
		}
		got, err := feed(&d, "%begin 9 9 1\nbody\n%end 9 9 1")
		require.NoError(t, err)
		require.Equal(t, []notice{noticeReply}, got)
		require.Equal(t, "body\n", string(d.body))
	})
}
