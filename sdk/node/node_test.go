package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol/conformance"
	"github.com/flash-launcher/flash/sdk/probe"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// patience makes room for an interpreter's start on a busy machine; what is
// tested is the wire, not the speed.
const patience = 4

func TestTheProbeOnTheNodeSDKPassesEveryScenario(t *testing.T) {
	if os.Getenv("FLASH_TEST_SDKS") == "skip" {
		t.Skip("FLASH_TEST_SDKS is skip; make conformance runs the same scenarios")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	report, err := conformance.Run(t.Context(), conformance.Options{
		Argv: []string{node, filepath.Join(dir, "probe.mjs")}, Manifest: probe.Manifest, Dir: dir, Patience: patience,
	})
	require.NoError(t, err)
	if !report.OK() {
		require.NoError(t, report.WriteText(os.Stderr))
		t.Errorf("%d of %d scenarios failed", report.Failed, report.Passed+report.Failed)
	}
}

// misused is a plugin whose handlers do what authors do by mistake.
const misused = `import { Plugin, answer, row } from './flash_plugin.mjs'
new Plugin({
  start(host) {
    console.log('printed')
    host.publish([row('p.items', 10n)])
  },
  async evaluate(host, request) {
    if (request.query === 'raise') throw new Error('secret text')
    if (request.query === 'fetch') await host.fetch('https://example.com/')
    if (request.query === 'text') return 'text'
    return [answer(10n)]
  },
}).run()
`

func TestAnAuthorsMistakesAreToldByKindAndPlace(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	dir := t.TempDir()
	library, err := os.ReadFile("flash_plugin.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "flash_plugin.mjs"), library, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.mjs"), []byte(misused), 0o644))
	for _, debug := range []string{"", "1"} {
		h := sdktest.Process(t, []string{node, filepath.Join(dir, "main.mjs")}, sdktest.Options{
			ID: "p", Env: []string{"FLASH_PLUGIN_DEBUG=" + debug}, Timeout: time.Minute,
		})
		h.Initialize()
		for _, query := range []string{"raise", "text", "json", "fetch"} {
			require.Contains(t, h.Call("evaluate", `{"query":"`+query+`"}`), "evaluate handler failed", query)
		}
		h.CloseStdin()
		require.Zero(t, h.WaitExit())
		said := h.Stderr()
		for _, line := range []string{
			"printed\n", "flash p: TypeError at main.mjs:5 in the start handler\n", "flash p: Error at main.mjs:8 in the evaluate handler\n",
			"flash p: the evaluate handler returned no array\n", "flash p: the evaluate handler returned what is no JSON\n",
			"flash p: HostError (missing network_fetch capability) at main.mjs:9 in the evaluate handler\n",
		} {
			require.Contains(t, said, line)
		}
		require.Equal(t, debug != "", strings.Contains(said, "secret text"), "the text may hold content: %s", said)
	}
}
