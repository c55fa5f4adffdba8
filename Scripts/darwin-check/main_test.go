package main

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAStubHeaderDeclaresIsWhatItsLibraryExports(t *testing.T) {
	symbols, classes := declared([]byte(`#pragma once
#define NOT_ONE(x) f(x)
typedef int (*callback)(int, void *);
typedef struct { int version; int (*hash)(const void *); } context; // comment(1);
enum { one = 1, two };
extern const thing kThing;
extern ffi_type a, b,
	c;
extern int *__error(void);
void exit(int) __attribute__((noreturn));
int create(pthread_t *, void *(*)(void *), void *);
static inline int here(void) { return other(1); }
@protocol NSCopying
- (void)method:(int)x;
@end
@interface NSThing : NSObject <NSCopying> {
	Class isa;
}
- (id)init;
@end
@class Other;
`))
	assert.Equal(t, []string{"_kThing", "_a", "_b", "_c", "___error", "_exit", "_create"}, symbols)
	assert.Equal(t, []string{"NSThing"}, classes)
}

func TestTestBinariesOfOneNameAreLinkedApart(t *testing.T) {
	assert.Equal(t, [][]string{{"a/x", "a/y"}, {"b/x"}}, testBatches([]listed{
		{path: "a/x", tests: true}, {path: "b/x", tests: true}, {path: "a/none"}, {path: "a/y", tests: true},
	}))
}

func TestALinkStubNamesWhereTheLibraryIsInstalled(t *testing.T) {
	assert.Equal(t, `--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: '/usr/lib/libobjc.A.dylib'
exports:
  - targets: [ x86_64-macos, arm64-macos ]
    symbols: [ '_a', '_b' ]
    objc-classes: [ NSObject ]
...
`, string(tbd("libobjc", map[string]bool{"_b": true, "_a": true}, []string{"NSObject", "NSObject"})))
	assert.Contains(t, string(tbd("Carbon", nil, nil)), "'/System/Library/Frameworks/Carbon.framework/Versions/A/Carbon'")
}

func TestEveryFaultyProgramSaysWhatItsFaultIs(t *testing.T) {
	cases, err := controlFiles.ReadDir("testdata")
	require.NoError(t, err)
	faulty := 0
	for _, c := range cases {
		_, err := controlFiles.ReadFile("testdata/" + c.Name() + "/main.go.txt")
		require.NoError(t, err)
		if want, err := controlFiles.ReadFile("testdata/" + c.Name() + "/want.txt"); err == nil {
			faulty++
			assert.Greater(t, len(want), 20, "%s matches too much", c.Name())
		}
	}
	assert.Equal(t, len(cases)-1, faulty, "exactly one program builds")
}

func TestAStubOfThisProjectsOwnDoesNotCostDarwinkitsCompilation(t *testing.T) {
	protocols := map[string]bool{"AppKit/AppKit.h": true, "Foundation/Foundation.h": true, "CoreGraphics/CoreGraphics.h": true}
	for name, want := range map[string]bool{
		"usr/include/pthread.h": true, frameworkDir("Foundation") + "Headers/NSString.h": true, frameworkDir("AppKit") + "Headers/AppKit.h": true,
		frameworkDir("AppKit") + "Headers/NSPanel.h": false, frameworkDir("CoreGraphics") + "Headers/CoreGraphics.h": false, frameworkDir("IOKit") + "Headers/IOKitLib.h": false,
		frameworkDir("AppKit") + "AppKit.tbd": false, "usr/lib/libSystem.tbd": false,
	} {
		assert.Equal(t, want, kitReads(name, protocols), name)
	}
}

// inTable are the files that the first column of the page's table names; a name
// without a folder is in that of the one before.
func inTable(page string) (files []string) {
	name := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		dir := ""
		for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
			if strings.Contains(m[1], "/") {
				dir = path.Dir(m[1])
			}
			files = append(files, path.Join(dir, path.Base(m[1])))
		}
	}
	return files
}

// What the page says of each file is read by people; that each is there, here.
func TestThePageAboutMacOSNamesEachOfItsFiles(t *testing.T) {
	page, err := os.ReadFile("../../docs/macos.md")
	require.NoError(t, err)
	files := inTable(string(page))
	out, err := exec.Command("git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Skip("no git checkout")
	}
	all := strings.Fields(string(out))
	ofMac := regexp.MustCompile(`_darwin[^/]*\.(go|m|h|s)$`)
	count := 0
	for _, f := range all {
		if ofMac.MatchString(f) && !strings.HasSuffix(f, "_test.go") {
			count++
			assert.Contains(t, files, f)
		}
	}
	assert.Greater(t, count, 40)
	for _, f := range files {
		assert.True(t, slices.Contains(all, f) || slices.ContainsFunc(all, func(a string) bool { return strings.HasPrefix(a, f+"/") }), "%s is in the table and not in the tree", f)
	}
}
