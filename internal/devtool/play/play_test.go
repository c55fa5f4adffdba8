package play_test

import (
	"bytes"
	"context"
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
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	sh, err = filepath.EvalSymlinks(sh)
	require.NoError(t, err)
	m, err := protocol.DecodeManifest([]byte(manifest))
	require.NoError(t, err)
	root := t.TempDir()
	var out bytes.Buffer
	o.Manifest, o.Out, o.Script = m, &out, true
	o.Start = func(ctx context.Context) (*sandbox.Process, error) {
		return sandbox.NewRunner().Start(ctx, sandbox.Command{
			Argv: []string{sh, "-c", script}, Dir: root, Env: []string{},
			Policy: &sandbox.Policy{PluginID: "p", Root: root, DataDir: root, Argv0: sh, Disabled: true},
		})
	}
	err = play.Run(t.Context(), o)
	return out.String(), err
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

func TestWhatAHostWouldNotTakeIsRemarked(t *testing.T) {
	out, err := played(t, hello+`
		echo noise
		echo '{"method":"publish","params":{"rows":[{"source":"other","title":"t"}]}}'
		read -r ping; echo '{"id":2,"result":{"ok":true}}'
		while read -r more; do :; done`, play.Options{In: strings.NewReader("event core:other\nping\nresolve x\n")})
	require.NoError(t, err)
	assert.Contains(t, out, `# the manifest does not listen to "core:other"`)
	assert.Contains(t, out, "# invalid frame")
	assert.Contains(t, out, "# the host would not take this")
	assert.Contains(t, out, "# resolve takes 1 to 0")
}

func TestAPluginThatEndsEarlyOrLateIsAFault(t *testing.T) {
	_, err := played(t, hello+"exit 3", play.Options{In: strings.NewReader("ping\n")})
	require.Error(t, err)
	_, err = played(t, hello+"trap '' TERM; while :; do sleep 1; done", play.Options{In: strings.NewReader("")})
	assert.ErrorContains(t, err, "did not end within 1s")
}

func TestABangIsACommandWithItsToken(t *testing.T) {
	out, err := played(t, hello+`read -r b; echo '{"id":2,"result":{"ok":true}}'; while read -r more; do :; done`,
		play.Options{In: strings.NewReader("!b x y\n")})
	require.NoError(t, err)
	assert.Contains(t, out, `{"kind":"command","command":"p","subcommand":"b","args":["x","y"],"raw":"!b x y"}`)
}

func TestARecordingThatIsNoneIsRefused(t *testing.T) {
	_, err := played(t, hello+`while read -r more; do :; done`, play.Options{Replay: strings.NewReader("nonsense\n")})
	assert.ErrorContains(t, err, "line 1 of the recording")
}
