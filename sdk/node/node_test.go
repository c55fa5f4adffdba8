package node_test

import (
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
