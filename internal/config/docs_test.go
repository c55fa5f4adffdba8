package config

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheExamplesOfTheDocumentationHold(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	blocks := strings.Split(string(page), "```toml\n")[1:]
	require.NotEmpty(t, blocks)
	for i, b := range blocks {
		text, _, ok := strings.Cut(b, "```")
		require.True(t, ok)
		c, faults := parseTest(text)
		require.Empty(t, faults, text)
		if i == 0 {
			assert.Equal(t, everySetting, text, "the sample is what the documentation shows")
			got, err := c.Show()
			require.NoError(t, err)
			want, err := defaultsFor("linux").Show()
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), "the first example is every setting at its default")
			for line := range strings.Lines(string(want)) {
				key, _, _ := strings.Cut(line, " =")
				assert.Contains(t, text, strings.TrimSpace(key))
			}
		}
	}
}
