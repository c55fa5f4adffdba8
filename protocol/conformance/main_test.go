package conformance

import (
	"os"
	"testing"

	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/probe"
)

// TestMain is also every plugin that the tests run: `conformance.test plugin
// <mode>` is the probe with one fault, `honest` the probe itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "plugin" {
		if os.Args[2] == "honest" {
			sdk.Run(probe.New(os.Exit))
		}
		os.Exit(misbehave(os.Args[2]))
	}
	os.Exit(m.Run())
}
