package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestADoubleClickStartsTheResident(t *testing.T) {
	const service = "application." + BundleID + ".12.34"
	assert.Equal(t, []string{"run"}, asApp(nil, service))
	assert.Empty(t, asApp(nil, ""))
	assert.Empty(t, asApp(nil, "application.com.apple.Terminal.12.34"), "a shell in a terminal inherits the terminal's")
	assert.Equal(t, []string{"status"}, asApp([]string{"status"}, service))
}
