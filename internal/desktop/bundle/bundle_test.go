package bundle

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBundlesAreFoundInTheirFoldersAndNeverInsideOneAnother(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{
		"home/Mine.app/Contents", "apps/One.app/Contents/Helper.app", "apps/Vendor/Two.app", "apps/Vendor/Suite/Three.app",
		"apps/Vendor/Suite/Deep/Four.app", "apps/.hidden/Five.app", "else/Linked.app",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "apps/File.app"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "else/Linked.app"), filepath.Join(dir, "apps/Linked.app")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "apps/Broken.app")))
	var got []string
	for _, p := range Find([]string{filepath.Join(dir, "home"), filepath.Join(dir, "missing"), filepath.Join(dir, "apps")}) {
		rel, err := filepath.Rel(dir, p)
		require.NoError(t, err)
		got = append(got, rel)
	}
	assert.Equal(t, []string{"home/Mine.app", "apps/Linked.app", "apps/One.app", "apps/Vendor/Suite/Three.app", "apps/Vendor/Two.app"}, got)
}

func TestTheUsersOwnFolderComesFirst(t *testing.T) {
	assert.Equal(t, "/Users/u/Applications", Roots("/Users/u")[0])
	assert.Equal(t, "/Applications", Roots("")[0])
}

func TestABundleIsNamedAsItsUserSeesIt(t *testing.T) {
	assert.Equal(t, Info{ID: "com.apple.iCal", Name: "Kalender", PlainName: "Calendar", Program: "Calendar", Path: "/System/Applications/Calendar.app"},
		Describe("/System/Applications/Calendar.app", "com.apple.iCal", "Kalender.app", "/System/Applications/Calendar.app/Contents/MacOS/Calendar"))
	assert.Equal(t, Info{ID: "x", Name: "X", Path: "/X.app"}, Describe("/X.app", "x", "", ""))
}

func TestTheFirstBundleOfAnIDWins(t *testing.T) {
	assert.Equal(t, []Info{{ID: "a", Path: "1"}, {ID: "b", Path: "0"}},
		Unique([]Info{{ID: "b", Path: "0"}, {ID: "a", Path: "1"}, {ID: "b", Path: "2"}, {Path: "3"}}))
}

func TestOnlyApplicationsThatAUserSwitchesToCount(t *testing.T) {
	assert.True(t, Counts(0, "a", 1))
	assert.False(t, Counts(1, "a", 1), "an agent")
	assert.False(t, Counts(0, "", 1))
	assert.False(t, Counts(0, "a", -1), "a process that just ended")
}

func TestTextsAreArgumentsAndNeverScript(t *testing.T) {
	args := NotifyArgs(`-e`, `" & (do shell script "x") & "`)
	assert.Equal(t, []string{"--", `-e`, `" & (do shell script "x") & "`}, args[len(args)-3:])
	assert.Equal(t, []string{"/usr/bin/open", "-b", "a.b", "https://x.test"}, OpenArgs("a.b", []string{"https://x.test"}))
}
