package python_test

import (
	"bytes"
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

func TestTheProbeOnThePythonSDKPassesEveryScenario(t *testing.T) {
	if os.Getenv("FLASH_TEST_SDKS") == "skip" {
		t.Skip("FLASH_TEST_SDKS is skip; make conformance runs the same scenarios")
	}
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("needs python3")
	}
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	python := string(bytes.TrimSpace(out))
	report, err := conformance.Run(t.Context(), conformance.Options{
		Argv: []string{python, "-B", filepath.Join(dir, "probe.py")}, Manifest: probe.Manifest, Dir: dir, Patience: patience,
	})
	require.NoError(t, err)
	if !report.OK() {
		require.NoError(t, report.WriteText(os.Stderr))
		t.Errorf("%d of %d scenarios failed", report.Failed, report.Passed+report.Failed)
	}
}

// misused is a plugin whose handlers do what authors do by mistake.
const misused = `import sys
import flash_plugin as flash
plugin = flash.Plugin()

@plugin.start
def start(host):
    print("printed")
    host.publish([flash.row("p.items", object())])

@plugin.evaluate
def evaluate(host, request):
    if request.query == "raise":
        int("secret text")
    if request.query == "fetch":
        host.fetch("https://example.com/")
    if request.query == "exit":
        sys.exit(5)
    return [flash.answer(object())]

plugin.run()
`

func TestAnAuthorsMistakesAreToldByKindAndPlace(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	dir := t.TempDir()
	library, err := os.ReadFile("flash_plugin.py")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "flash_plugin.py"), library, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.py"), []byte(misused), 0o644))
	for _, debug := range []string{"", "1"} {
		h := sdktest.Process(t, []string{python, "-B", filepath.Join(dir, "main.py")}, sdktest.Options{
			ID: "p", Env: []string{"FLASH_PLUGIN_DEBUG=" + debug}, Timeout: time.Minute,
		})
		h.Initialize()
		for _, query := range []string{"raise", "exit", "json", "fetch"} {
			require.Contains(t, h.Call("evaluate", `{"query":"`+query+`"}`), "evaluate handler failed", query)
		}
		h.CloseStdin()
		require.Zero(t, h.WaitExit())
		said := h.Stderr()
		for _, line := range []string{
			"printed\n", "flash p: TypeError in the start handler at main.py:8\n", "flash p: ValueError in the evaluate handler at main.py:13\n",
			"flash p: SystemExit in the evaluate handler at main.py:17\n", "flash p: the evaluate handler returned what is no JSON\n",
			"flash p: HostError (missing network_fetch capability) in the evaluate handler at main.py:15\n",
		} {
			require.Contains(t, said, line)
		}
		require.Equal(t, debug != "", strings.Contains(said, "secret text"), "the text may hold content: %s", said)
	}
}
