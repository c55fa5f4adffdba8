package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/login"
)

func TestTheStartAtLoginIsAskedForByItsName(t *testing.T) {
	r := flash(t, "", "autostart", "status")
	assert.Equal(t, 1, r.code)
	assert.Equal(t, "off\n", r.out)
	assert.Empty(t, r.stderr)
	var s login.State
	require.NoError(t, json.Unmarshal([]byte(flash(t, "", "autostart", "status", "--json").out), &s))
	assert.False(t, s.Enabled)
	assert.NotNil(t, s.By)

	r = flash(t, "", "autostart", "enable")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "does not keep what is in it", "the tests' own program is in a temporary folder")
	r = flash(t, "", "autostart", "disable")
	assert.Equal(t, 0, r.code)
	assert.Equal(t, "flash does not start at login\n", r.out)
	assert.Equal(t, 2, flash(t, "", "autostart").code)
	assert.Equal(t, "off\n", flash(t, "", "login", "status").out, "what people may look for it under")
	assert.Contains(t, flash(t, "", "doctor").out, "start at login: off")
}
