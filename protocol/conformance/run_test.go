package conformance

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/probe"
)

// busy is the patience of tests: the machine may be doing other things.
const busy = 4

func pluginOptions(t *testing.T, mode string, only ...string) Options {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return Options{Argv: []string{self, "plugin", mode}, Manifest: probe.Manifest, Only: only, Patience: busy, TempDir: t.TempDir(), Parallel: 8}
}

func runPlugin(t *testing.T, o Options) Report {
	t.Helper()
	report, err := Run(context.Background(), o)
	require.NoError(t, err)
	return report
}

// text is what failed of a report.
func text(t *testing.T, r Report) string {
	t.Helper()
	r.Results = slices.DeleteFunc(slices.Clone(r.Results), func(res Result) bool { return res.Status != Failed })
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	return b.String()
}

func TestTheProbePassesEveryScenarioThatItsManifestCallsFor(t *testing.T) {
	t.Setenv("FLASH_CONFORMANCE_SECRET", "must not be passed on")
	report := runPlugin(t, pluginOptions(t, "honest"))
	require.True(t, report.OK(), text(t, report))
}
