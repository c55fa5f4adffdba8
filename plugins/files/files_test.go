package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// tree makes files, and folders where a path ends with a slash.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, p := range paths {
		full := filepath.Join(root, p)
		if strings.HasSuffix(p, "/") {
			require.NoError(t, os.MkdirAll(full, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, nil, 0o644))
	}
	return root
}

func finderFor(home, config string) *finder { return finderOn(home, config, system{}) }

func finderOn(home, config string, on system) *finder {
	f := newFinder(sdk.NewConfig(config), func(k string) string {
		if k == "HOME" {
			return home
		}
		return ""
	}, on)
	return &f
}

func names(t *testing.T, f *finder, query string) []string {
	t.Helper()
	hits, err := f.find(t.Context(), queryWords(query))
	require.NoError(t, err)
	out := []string{}
	for _, h := range hits {
		rel, err := filepath.Rel(f.home, h.path)
		require.NoError(t, err)
		out = append(out, rel)
	}
	return out
}

func TestFilesAreFoundByNameBestFirst(t *testing.T) {
	f := finderFor(tree(t, "notes/report", "report.pdf", "my-report.txt", "reports/", "unreported.md", "other.txt"), "{}")
	assert.Equal(t, []string{"notes/report", "report.pdf", "reports", "my-report.txt", "unreported.md"}, names(t, f, "report"))
}

func TestAllWordsMustMatchInAnyOrder(t *testing.T) {
	f := finderFor(tree(t, "2024 tax letter.pdf", "tax.txt", "letter.txt"), "{}")
	assert.Equal(t, []string{"2024 tax letter.pdf"}, names(t, f, "letter tax"))
}

func TestAWordWithASlashIsLookedForInThePath(t *testing.T) {
	f := finderFor(tree(t, "work/a/main.go", "home/a/main.go"), "{}")
	assert.Equal(t, []string{"work/a/main.go"}, names(t, f, "work/a main"))
}

func TestCaseMarksAndCompositionDoNotMatter(t *testing.T) {
	f := finderFor(tree(t, "Caf\u00e9.txt", "cafe\u0301 menu.txt", "CAFE.md"), "{}")
	assert.Len(t, names(t, f, "café"), 3)
	assert.Len(t, names(t, f, "cafe"), 3)
}

func TestHiddenAndExcludedFoldersAreLeftOutUnlessAskedFor(t *testing.T) {
	home := tree(t, ".config/target.toml", "node_modules/target.js", "build/target.o", "target.c")
	assert.Equal(t, []string{"target.c", "build/target.o"}, names(t, finderFor(home, "{}"), "target"))
	assert.Equal(t, []string{"target.c"}, names(t, finderFor(home, `{"exclude":["build"]}`), "target"))
	assert.Contains(t, names(t, finderFor(home, `{"hidden":true}`), "target"), ".config/target.toml")
}

func TestRootsMayBeSeveralAndNested(t *testing.T) {
	home := tree(t, "a/target", "b/c/target", "d/target")
	assert.ElementsMatch(t, []string{"a/target", "b/c/target"}, names(t, finderFor(home, `{"roots":["~/a","~/b","~/b"]}`), "target"))
}

func TestLinksAreListedAndNotFollowed(t *testing.T) {
	home := tree(t, "real/target")
	require.NoError(t, os.Symlink(home, filepath.Join(home, "real", "loop-target")))
	assert.Equal(t, []string{"real/target", "real/loop-target"}, names(t, finderFor(home, "{}"), "target"))
}

func TestARootThatCannotBeReadIsToldAndTheOthersStillAnswer(t *testing.T) {
	home := tree(t, "a/target")
	f := finderFor(home, `{"roots":["~/missing","~/a"]}`)
	hits, err := f.find(t.Context(), queryWords("target"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.Len(t, hits, 1)
	assert.NotContains(t, pathless(err).Error(), home)
}

func TestATimeThatRunsOutKeepsWhatWasFound(t *testing.T) {
	var paths []string
	for i := range 200 {
		paths = append(paths, fmt.Sprintf("d%03d/target", i))
	}
	f := finderFor(tree(t, paths...), "{}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hits, err := f.find(ctx, queryWords("target"))
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, len(hits), 200)
}

func TestManyHitsAreCutToTheBest(t *testing.T) {
	var paths []string
	for i := range maxResults + 50 {
		paths = append(paths, fmt.Sprintf("x-target-%03d", i))
	}
	f := finderFor(tree(t, append(paths, "target")...), "{}")
	got := names(t, f, "target")
	assert.Len(t, got, maxResults)
	assert.Equal(t, "target", got[0])
}

func TestOneLetterIsNotSearchedFor(t *testing.T) {
	assert.Empty(t, queryWords("a"))
	assert.Empty(t, queryWords("  "))
	assert.Empty(t, queryWords("é"))
	assert.Empty(t, queryWords("я"))
	assert.NotEmpty(t, queryWords("ab"))
	assert.NotEmpty(t, queryWords("京"), "which is a word")
	assert.NotEmpty(t, queryWords("a b"))
}

func TestNamesThatAreNoTextAreLeftOutAndOthersBecomeURLs(t *testing.T) {
	home := tree(t, "a target #1?.txt", "target-\xff\xfe")
	f := finderFor(home, "{}")
	hits, err := f.find(t.Context(), queryWords("target"))
	require.NoError(t, err)
	rows := f.rows(hits)
	require.Len(t, rows, 1)
	assert.Equal(t, "a target #1?.txt", rows[0].Title)
	assert.True(t, strings.HasSuffix(rows[0].URL, "/a%20target%20%231%3F.txt"), rows[0].URL)
	assert.Equal(t, protocol.Effect{Type: protocol.EffectOpen, URL: rows[0].URL}, rows[0].Effect)
	subtitle, _ := rows[0].Metadata.Get(protocol.MetaSubtitle)
	assert.Equal(t, "~", subtitle)
}

// locate writes a program that stands in for locate.
func locate(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plocate")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return filepath.Dir(path)
}

func located(home, path string) *finder {
	f := newFinder(sdk.NewConfig("{}"), func(k string) string {
		return map[string]string{"HOME": home, "PATH": path}[k]
	}, system{})
	return &f
}

func TestTheLocateDatabaseIsAskedAndItsStaleEntriesDropped(t *testing.T) {
	home := tree(t, "target.txt", "unseen-target.txt", ".hidden/target")
	f := located(home, locate(t, fmt.Sprintf(`printf '%%s\0' %[1]s/target.txt %[1]s/gone-target %[1]s/.hidden/target /elsewhere/target`, home)))
	assert.Equal(t, []string{"target.txt"}, names(t, f, "target"))
}

func TestALocateWithoutADatabaseGivesWayToTheWalk(t *testing.T) {
	home := tree(t, "target.txt")
	for _, script := range []string{"echo 'plocate.db: Permission denied' >&2; exit 1", "echo usage >&2; exit 2"} {
		assert.Equal(t, []string{"target.txt"}, names(t, located(home, locate(t, script)), "target"))
	}
}

func TestALocateThatFindsNothingIsBelieved(t *testing.T) {
	home := tree(t, "target.txt")
	assert.Empty(t, names(t, located(home, locate(t, "exit 1")), "target"))
}

func FuzzJudge(f *testing.F) {
	f.Add("docs/Café.txt", "cafe")
	f.Fuzz(func(t *testing.T, path, query string) {
		words := queryWords(query)
		if rank, ok := judge(path, words); ok && (rank < rankExact || rank > rankInside) {
			t.Fatalf("rank %d", rank)
		}
	})
}
