package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSampleChangesNothingAndEverySettingOfItReads(t *testing.T) {
	c, faults := parseTest(Sample())
	require.Empty(t, faults)
	got, err := c.Show()
	require.NoError(t, err)
	defaults, err := defaultsFor("linux").Show()
	require.NoError(t, err)
	assert.Equal(t, string(defaults), string(got))

	bare := regexp.MustCompile(`(?m)^# ([a-z_]+ = )`).ReplaceAllString(Sample(), "$1")
	require.NotEqual(t, Sample(), bare)
	_, faults = parseTest(bare)
	assert.Empty(t, faults)
}

func TestASampleIsMadeWhereThereIsNoFileAndNeverOverOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dots", "config.toml")
	require.NoError(t, Make(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, Sample(), string(text))

	require.NoError(t, os.WriteFile(path, []byte("# mine\n"), 0o600))
	require.NoError(t, Make(path))
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "# mine\n", string(text))
}
