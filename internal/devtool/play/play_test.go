package play_test

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/devtool/play"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

const manifest = `{"id":"p","name":"P","version":"1","description":"x","exec":["./p"],"sources":[{"name":"p.items"}],
	"bangs":{"command":"p","items":[{"token":"b","description":"x"}]},"capabilities":["open"],"listen":["core:poll:*"]}`

// played runs a shell script as the plugin.
func played(t *testing.T, script string, o play.Options) (string, error) {
	t.Helper()
	var out output
	o.Script = true
	err := playInto(t, t.Context(), &out, script, o)
	return out.String(), err
}

func playInto(t *testing.T, ctx context.Context, out *output, script string, o play.Options) error {
	t.Helper()
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	sh, err = filepath.EvalSymlinks(sh)
	require.NoError(t, err)
	m, err := protocol.DecodeManifest([]byte(manifest))
	require.NoError(t, err)
	root := t.TempDir()
	o.Manifest, o.Out = m, out
	o.Start = func(ctx context.Context) (*sandbox.Process, error) {
		return sandbox.NewRunner().Start(ctx, sandbox.Command{
			Argv: []string{sh, "-c", script}, Dir: root, Env: []string{},
			Policy: &sandbox.Policy{PluginID: "p", Root: root, DataDir: root, Argv0: sh, Disabled: true},
		})
	}
	return play.Run(ctx, o)
}

// output is what a session printed so far; heard is told of it at each line.
type output struct {
	bytes.Buffer
	heard func(text string)
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Buffer.Write(p)
	if o.heard != nil {
		o.heard(o.Buffer.String())
	}
	return n, err
}

const hello = `read -r hello; echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'; `

func TestTheScriptedHostGrantsWhatTheManifestDoes(t *testing.T) {
	out, err := played(t, hello+`read -r ping
		echo '{"id":1,"method":"host.open","params":{"url":"https://example.com/"}}'; read -r a
		echo '{"id":2,"method":"host.notify","params":{"message":"x"}}'; read -r b
		echo '{"id":3,"method":"host.storage_set","params":{"key":"k","value":"v"}}'; read -r c
		echo '{"id":4,"method":"host.storage_get","params":{"key":"k"}}'; read -r d
		echo '{"id":5,"method":"host.nothing","params":{}}'; read -r e
		echo '{"id":2,"result":{"ok":true}}'; while read -r more; do :; done`, play.Options{In: strings.NewReader("ping\n")})
	require.NoError(t, err)
	for id, result := range map[string]string{
		`→ {"id":1,"result":`: `{"ok":true}`, `→ {"id":2,"result":`: `{"ok":false,"error":"missing notify capability"}`,
		`→ {"id":4,"result":`: `{"ok":true,"present":true,"value":"v"}`, `→ {"id":5,"result":`: `{"ok":false,"error":"unknown method: host.nothing"}`,
	} {
		assert.Contains(t, out, id+result+"}\n")
	}
}

func TestWhatAHostWouldNotTakeIsRemarkedAndIsAFault(t *testing.T) {
	out, err := played(t, hello+`
		echo noise
		echo '{"method":"publish","params":{"rows":[{"source":"other","title":"t"}]}}'
		echo '{"method":"log","params":{"level":"loud"}}'
		echo '{"method":"poll","params":{}}'
		echo '{"method":"status","params":{"segments":1}}'
		echo '{"method":"shout","params":{}}'
		echo '{"id":77,"result":{"ok":true}}'
		read -r ping; echo '{"id":2,"result":{"ok":true}}'
		while read -r more; do :; done`, play.Options{In: strings.NewReader("event core:other\nping\nresolve x\n")})
	require.ErrorContains(t, err, "a host would not take 7 of the plugin's frames")
	assert.Contains(t, out, `# the manifest does not listen to "core:other"`)
	assert.Contains(t, out, "# the host would not take this: invalid frame")
	assert.Contains(t, out, `# the host would not take this: "shout" is none of`)
	assert.Contains(t, out, "# the host would not take this: a reply to what was not asked")
	assert.Contains(t, out, "# resolve takes 1 to 0")
}

func TestAnInitializeThatAHostWouldNotTakeEndsTheSession(t *testing.T) {
	for reply, want := range map[string]string{
		`{"ok":false,"error":"no database"}`: "the plugin refused initialize: no database",
		`{"ok":true,"protocol_version":2}`:   "the plugin speaks version 2 of the wire, the host 1",
		`{"fine":true}`:                      "the reply to initialize is none",
	} {
		out, err := played(t, `read -r hello; echo '{"id":1,"result":`+reply+`}'; while read -r more; do :; done`,
			play.Options{In: strings.NewReader("ping\n")})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, out, `"method":"ping"`)
	}
}

func TestAPluginThatEndsEarlyOrLateIsAFault(t *testing.T) {
	_, err := played(t, hello+"exit 3", play.Options{In: strings.NewReader("ping\n")})
	require.Error(t, err)
	_, err = played(t, hello+"trap '' TERM; while :; do sleep 1; done", play.Options{In: strings.NewReader("")})
	assert.ErrorContains(t, err, "did not end within 1s")
}

func TestAReplyThatIsThePluginsLastWordCounts(t *testing.T) {
	for range 5 {
		out, err := played(t, hello+`read -r ping; echo '{"id":2,"result":{"ok":true}}'`, play.Options{In: strings.NewReader("ping\n")})
		if err != nil {
			require.ErrorContains(t, err, "ended while it was talked to")
		}
		require.Contains(t, out, `← {"id":2,"result":{"ok":true}}`)
	}
}

func TestAnAnswerThatAHostWouldNotWaitForIsRemarked(t *testing.T) {
	out, err := played(t, hello+`read -r query; sleep 0.2; echo '{"id":2,"result":{"ok":true,"answers":[]}}'; while read -r more; do :; done`,
		play.Options{In: strings.NewReader("query x\n")})
	require.NoError(t, err)
	assert.Regexp(t, `# evaluate took \d+ ms; a host waits 50\n`, out)
}

func TestStderrIsShownToItsLastLineAndLongLinesAreCut(t *testing.T) {
	long := strings.Repeat("e", protocol.StderrLine+100)
	out, err := played(t, hello+`echo `+long+` >&2; echo next >&2; printf 'no newline' >&2; while read -r more; do :; done`,
		play.Options{In: strings.NewReader("")})
	require.NoError(t, err)
	for _, line := range []string{long[:protocol.StderrLine], "next", "no newline"} {
		assert.True(t, strings.Contains(out, "! "+line+"\n"), "%.20s", line)
	}
}

func TestTheEndOfTheContextEndsThePluginAsAHostDoes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	out := output{heard: func(text string) {
		if strings.Contains(text, "protocol_version\":1}}\n") && strings.Contains(text, "←") {
			cancel()
		}
	}}
	err := playInto(t, ctx, &out, hello+`while read -r more; do :; done; echo 'put in order' >&2`, play.Options{In: in})
	require.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, out.String(), "! put in order\n")
	assert.Contains(t, out.String(), "# the plugin ended: exit status 0\n")
}

func TestAPluginThatWritesBeforeItReadsOnHoldsNothingUp(t *testing.T) {
	// Both pipes are full until the host reads while it writes.
	frame := `{"id":9,"method":"evaluate","params":{"query":"` + strings.Repeat("q", 150<<10) + `","scope":"","surface":""}}`
	out, err := played(t, hello+`i=0; while [ $i -lt 1500 ]; do
		echo '{"method":"log","params":{"level":"info","message":"mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"}}'; i=$((i+1)); done
		while read -r more; do case $more in *evaluate*) echo '{"id":9,"result":{"ok":true,"answers":[]}}';; esac; done`,
		play.Options{In: strings.NewReader(frame + "\n")})
	require.NoError(t, err)
	assert.Contains(t, out, `← {"id":9,"result":{"ok":true,"answers":[]}}`)
}

func TestControlCharactersDoNotReachATerminal(t *testing.T) {
	script := hello + `printf '\033[31mred\n' >&2; while read -r more; do :; done`
	out, err := played(t, script, play.Options{In: strings.NewReader(""), Terminal: true})
	require.NoError(t, err)
	assert.Contains(t, out, "! ·[31mred\n")
	assert.NotContains(t, out, "\x1b")
	out, err = played(t, script, play.Options{In: strings.NewReader(""), Terminal: true, Color: true})
	require.NoError(t, err)
	assert.Contains(t, out, "\x1b[33m!\x1b[0m ·[31mred\n")
}

func TestABangIsACommandWithItsToken(t *testing.T) {
	out, err := played(t, hello+`read -r b; echo '{"id":2,"result":{"ok":true}}'; while read -r more; do :; done`,
		play.Options{In: strings.NewReader("!b x y\n")})
	require.NoError(t, err)
	assert.Contains(t, out, `{"kind":"command","command":"p","subcommand":"b","args":["x","y"],"raw":"!b x y"}`)
}

func TestARecordingThatIsNoneIsRefused(t *testing.T) {
	_, err := played(t, hello+`while read -r more; do :; done`, play.Options{Replay: strings.NewReader("nonsense\n")})
	require.ErrorContains(t, err, "line 1 of the recording")
	_, err = played(t, hello+`while read -r more; do :; done`, play.Options{Replay: strings.NewReader("")})
	assert.ErrorContains(t, err, "holds no frame of a host; record one with --record")
}

func TestAReplayComparesToTheLastWord(t *testing.T) {
	const farewell = `while read -r more; do :; done; echo '{"method":"log","params":{"level":"info","message":"bye"}}'`
	var recording bytes.Buffer
	_, err := played(t, hello+farewell, play.Options{In: strings.NewReader(""), Record: &recording})
	require.NoError(t, err)
	recorded := recording.String()
	out, err := played(t, hello+farewell, play.Options{Replay: strings.NewReader(recorded)})
	require.NoError(t, err, out)
	assert.Contains(t, out, "# 2 frames as recorded, 0 missing, 0 more\n")

	out, err = played(t, hello+`echo '{"method":"publish","params":{"rows":[]}}';`+farewell, play.Options{Replay: strings.NewReader(recorded)})
	require.ErrorContains(t, err, "0 frames are missing, 1 are more")
	assert.Contains(t, out, `# the plugin said, and the recording has not: {"method":"publish"`)

	out, err = played(t, hello+`while read -r more; do :; done`, play.Options{Replay: strings.NewReader(recorded)})
	require.ErrorContains(t, err, "1 frames are missing, 0 are more")
	assert.Contains(t, out, `# the recording has, and the plugin did not say: {"method":"log"`)
}
