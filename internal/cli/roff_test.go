package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheManualSaysWhatTheHelpSays(t *testing.T) {
	var b strings.Builder
	root := Root(Options{Version: "1.2.3"})
	open, _, err := root.Find([]string{"open"})
	require.NoError(t, err)
	require.NoError(t, manPage(&b, open, "1.2.3"))
	page := b.String()
	assert.True(t, strings.HasPrefix(page, `.TH "FLASH-OPEN" 1 "" "flash 1.2.3" "Flash"`+"\n"), page)
	for _, part := range []string{
		".SH NAME\nflash\\-open \\- Open the flashlight",
		"\\fB\\-\\-print0\\fR",
		"\\fB\\-\\-query\\fR \\fIstring\\fR\nwhat the prompt begins with, as TEXT does\n",
		".SH OPTIONS OF ALL COMMANDS\n.TP\n\\fB\\-\\-socket\\fR \\fIPATH\\fR",
		"find . \\-name '*.go'",
		".SH SEE ALSO\n.BR flash (1)\n",
	} {
		assert.Contains(t, page, part)
	}
}

func TestTheManualKeepsTheBreaksOfLists(t *testing.T) {
	var b strings.Builder
	manText(&b, "Exit codes:\n  0  done\n  1  failed\n\n.dots and \\ too")
	assert.Equal(t, "Exit codes:\n.nf\n  0  done\n  1  failed\n.fi\n.PP\n\\&.dots and \\e too\n", b.String())
}

func TestEveryCommandGetsAPage(t *testing.T) {
	dir := t.TempDir()
	root := Root(Options{Version: "1"})
	require.NoError(t, manPages(dir, root, "1"))
	for _, c := range pages(root) {
		assert.FileExists(t, dir+"/"+pageName(c)+".1")
	}
}

func TestOpenIsMadeAloneAndSaysTheSame(t *testing.T) {
	whole, _, err := Root(Options{}).Find([]string{"open"})
	require.NoError(t, err)
	root := rootFor([]string{"open", "--help"}, Options{}, func() {})
	alone, _, err := root.Find([]string{"open"})
	require.NoError(t, err)
	assert.Len(t, root.Commands(), 1)
	assert.Equal(t, whole.UsageString(), alone.UsageString())
	assert.Greater(t, len(rootFor([]string{"query"}, Options{}, func() {}).Commands()), 1)
}
