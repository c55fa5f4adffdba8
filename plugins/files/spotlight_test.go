package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The queries are in the syntax of Apple's File Metadata Query Expression
// Syntax, and what mdfind prints is as mdfind(1) says: with -0 each path with a
// NUL behind it, with -count a number. Both were written from these documents,
// not recorded on a Mac.

func TestAQueryToSpotlightHoldsEveryWord(t *testing.T) {
	for query, want := range map[string]string{
		"report":              `kMDItemFSName == "*report*"cd`,
		"Tax  LETTER":         `kMDItemFSName == "*tax*"cd && kMDItemFSName == "*letter*"cd`,
		"work/ main":          `kMDItemFSName == "*main*"cd`,
		"work/a":              ``,
		"café":                `kMDItemFSName == "*cafe*"cd`,
		"한국":                  `kMDItemFSName == "*한국*"cd`,
		"report-2024.pdf":     `kMDItemFSName == "*report*2024*pdf*"cd`,
		"...":                 ``,
		"a b c d e f g h i j": strings.TrimSuffix(strings.Repeat(`kMDItemFSName == "*?*"cd && `, maxTerms), " && "),
	} {
		got := spotlightQuery(queryWords(query))
		if strings.Contains(want, "?") {
			assert.Equal(t, maxTerms, strings.Count(got, "kMDItemFSName"))
			continue
		}
		assert.Equal(t, want, got, query)
	}
}

func TestNothingThatAUserTypesIsPartOfAQuery(t *testing.T) {
	for _, typed := range []string{
		`x"cd || kMDItemFSName == "*`, `a\"b`, `a'b'`, `x*y?z`, "a\x00b", `$time.now(-1)`, `a)(b`, `\\`, "\u2028x\ny", "a\xffb",
	} {
		query := spotlightQuery(queryWords(typed))
		for term := range strings.SplitSeq(query, " && ") {
			if term == "" {
				continue
			}
			inner, ok := strings.CutPrefix(term, `kMDItemFSName == "`)
			require.True(t, ok, query)
			inner, ok = strings.CutSuffix(inner, `"cd`)
			require.True(t, ok, query)
			assert.NotContains(t, inner, `"`)
			assert.False(t, strings.ContainsAny(inner, `\'?$()|&=`+"\x00\n\u2028"), query)
		}
	}
}

// mdfind writes a program that stands in for mdfind. It appends its arguments to
// a file named calls beside it.
func mdfind(t *testing.T, script string) (on system, calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "mdfind")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho \"$*\" >>"+dir+"/calls\n"+script), 0o755))
	return system{mac: true, mdfind: path}, func() []string {
		b, _ := os.ReadFile(dir + "/calls")
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
}

func TestSpotlightIsAskedAndItsAnswersAreJudged(t *testing.T) {
	home := tree(t, "target.txt", "a/Target of it.pdf", "unseen-target.txt", ".hidden/target", "node_modules/target", "Library/Caches/target", "tarXget")
	on, calls := mdfind(t, fmt.Sprintf(`printf '%%s\0' %[1]s/target.txt '%[1]s/a/Target of it.pdf' %[1]s/gone-target %[1]s/.hidden/target %[1]s/node_modules/target %[1]s/Library/Caches/target %[1]s/tarXget /elsewhere/target /System/Volumes/Data%[1]s/target.txt`, home))
	f := finderOn(home, "{}", on)
	assert.Equal(t, []string{"target.txt", "a/Target of it.pdf"}, names(t, f, "target"))
	assert.Equal(t, []string{"-0 -onlyin " + home + ` kMDItemFSName == "*target*"cd`}, calls())
}

func TestARootThatIsALinkKeepsItsName(t *testing.T) {
	home := tree(t, "real/target.txt")
	real, err := filepath.EvalSymlinks(home + "/real")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(home+"/real", home+"/link"))
	on, _ := mdfind(t, "printf '%s\\0' "+real+"/target.txt")
	f := finderOn(home, `{"roots":["~/link"]}`, on)
	assert.Equal(t, []string{"link/target.txt"}, names(t, f, "target"))
}

func TestWhereSpotlightIsOffTheFoldersAreWalked(t *testing.T) {
	home := tree(t, "target.txt", "Library/Caches/target")
	for _, script := range []string{
		`case "$1" in -count) echo 0;; esac`, `echo "mdfind: cannot connect" >&2; exit 1`, `exit 1`,
	} {
		on, calls := mdfind(t, script)
		f := finderOn(home, "{}", on)
		assert.Equal(t, []string{"target.txt"}, names(t, f, "target"), script)
		n := len(calls())
		assert.Equal(t, []string{"target.txt"}, names(t, f, "target"), script)
		if strings.Contains(script, "count") {
			assert.Equal(t, 2, n)
			assert.Len(t, calls(), 2, "it is not asked again for a while")
		}
	}
	assert.Equal(t, []string{"target.txt"}, names(t, finderOn(home, "{}", system{mac: true, mdfind: "/no/such/mdfind"}), "target"))
}

func TestASpotlightThatFindsNothingIsBelieved(t *testing.T) {
	home := tree(t, "target.txt")
	on, calls := mdfind(t, `case "$1" in -count) echo 4711;; esac`)
	f := finderOn(home, "{}", on)
	assert.Empty(t, names(t, f, "target"))
	assert.Len(t, calls(), 2)
}

func TestHiddenNamesAndPathsAreWalkedFor(t *testing.T) {
	home := tree(t, ".config/target.toml", "work/x.txt")
	on, calls := mdfind(t, "")
	assert.Equal(t, []string{".config/target.toml"}, names(t, finderOn(home, `{"hidden":true}`, on), "target"))
	assert.Equal(t, []string{"work/x.txt"}, names(t, finderOn(home, "{}", on), "work/"))
	assert.Equal(t, []string{""}, calls())
	assert.Equal(t, []string{"work/x.txt"}, names(t, finderOn(home, `{"locate":false}`, on), "x.txt"))
	assert.Equal(t, []string{""}, calls())
}

func TestASpotlightThatIsOutOfTimeKeepsWhatItFound(t *testing.T) {
	home := tree(t, "target.txt", "target-walked.txt")
	on, _ := mdfind(t, fmt.Sprintf(`printf '%%s\0%%s' %[1]s/target.txt %[1]s/target-cut; exec sleep 600`, home))
	f := finderOn(home, "{}", on)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	hits, err := f.find(ctx, queryWords("target"))
	require.NoError(t, err, "its time is up before that of the search")
	require.Len(t, hits, 1)
	assert.Equal(t, home+"/target.txt", hits[0].path)
}

func TestASpotlightThatPrintsWithoutEndIsStopped(t *testing.T) {
	home := tree(t, "target.txt")
	on, _ := mdfind(t, fmt.Sprintf(`exec yes '%s/target.txt' | tr '\n' '\0'`, home))
	hits, err := finderOn(home, "{}", on).find(t.Context(), queryWords("target"))
	require.NoError(t, err)
	require.Len(t, hits, 1)
}

func TestRootsOnMacOSAreTheHomeFolderAndICloudDrive(t *testing.T) {
	home := tree(t, "a/target", "Library/Preferences/target", cloudFiles+"/b/target", "other/Library/target")
	f := finderOn(home, "{}", system{mac: true})
	assert.ElementsMatch(t, []string{"a/target", "other/Library/target", cloudFiles + "/b/target"}, names(t, f, "target"))
	assert.Equal(t, []string{"Library/Preferences/target"}, names(t, finderOn(home, `{"roots":["~/Library/Preferences"]}`, system{mac: true}), "target"))
	linux := finderFor(home, "{}")
	assert.Contains(t, names(t, linux, "target"), "Library/Preferences/target")
}

func FuzzSpotlight(f *testing.F) {
	f.Add("Café \"x\" work/", []byte("/home/a/x\x00/home/b\x00/home/c"))
	f.Fuzz(func(t *testing.T, typed string, out []byte) {
		query := spotlightQuery(queryWords(typed))
		if query != "" {
			require.True(t, utf8.ValidString(query), "%q", query)
			require.Equal(t, strings.Count(query, `"`), 2*strings.Count(query, "kMDItemFSName"), "%q", query)
			require.NotContains(t, query, `\`)
		}
		kept := whole(out)
		require.True(t, len(kept) == 0 || kept[len(kept)-1] == 0)
		fi := finder{home: "/home", roots: []string{"/home"}, exclude: map[string]bool{}}
		fi.asNamed("/home", string(kept))
	})
}
