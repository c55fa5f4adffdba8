package python_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol/conformance"
	"github.com/flash-launcher/flash/sdk/probe"
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
