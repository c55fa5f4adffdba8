package broker

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestURLsOfTheWebOfMailAndOfAppsOpen(t *testing.T) {
	for _, u := range []string{
		"https://example.com/?q=a%20b#c", "http://localhost:8080/", "HTTPS://example.com", "mailto:a@example.com?subject=x&body=y",
		"vscode://file/home/a", "obsidian://open?vault=x", "spotify:track:1", "tel:+123", "x-apple.systempreferences:com.apple.x",
	} {
		assert.Empty(t, checkOpenURL(u), u)
	}
}

func TestURLsThatWouldRunSomethingDoNotOpen(t *testing.T) {
	for _, u := range []string{
		"", "example.com", "/etc/passwd", "-a", "://x", "https://", "https:example.com", "http:///x",
		"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "applescript://com.apple.scripteditor?x", "view-source:https://example.com",
		"smb://host/share", "ssh://host", "x-man-page://x", "chrome://settings",
		"https://example.com/a b", "https://example.com/\n", "https://example.com/\u202e", "https://example.com/\xff",
		"mailto:a@example.com?attach=/etc/passwd", "mailto:a@example.com?Attachment=x", "mailto:a@example.com?x;attach=/etc/passwd",
		"https://example.com/" + strings.Repeat("a", protocol.MaxURL),
	} {
		assert.NotEmpty(t, checkOpenURL(u), u)
	}
}

func TestFilesOpenAndProgramsDoNot(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(p, []byte("#!/bin/sh\n"), mode))
		return (&url.URL{Scheme: "file", Path: p}).String()
	}
	folder := "file://" + dir
	assert.Empty(t, checkOpenURL(folder))
	assert.Empty(t, checkOpenURL("file://localhost"+dir))
	assert.Empty(t, checkOpenURL(file("a b é.txt", 0o600)))
	for _, name := range []string{"x.desktop", "x.COMMAND", "x.sh", "x.terminal", "x.webloc", "x.py"} {
		assert.NotEmpty(t, checkOpenURL(file(name, 0o600)), name)
	}
	assert.NotEmpty(t, checkOpenURL(file("program", 0o700)))
	require.NoError(t, os.Symlink("program", filepath.Join(dir, "innocent.txt")))
	assert.NotEmpty(t, checkOpenURL(folder+"/innocent.txt"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "x.app"), 0o700))
	for _, u := range []string{folder + "/x.app", folder + "/absent", "file://server/share", "file:relative", folder + "?x", "file://user@localhost" + dir, "file:///dev/null", "file://" + dir + "/%00"} {
		assert.NotEmpty(t, checkOpenURL(u), u)
	}
}

func TestAppIDsAreNames(t *testing.T) {
	for _, id := range []string{"org.example.App", "firefox", "Half-Life 2", "code-url-handler", "名前"} {
		assert.Empty(t, checkAppID(id), id)
	}
	for _, id := range []string{"", "-x", ".x", "a/b", "../x", "a\\b", "a:b", "a\nb", "a\xff", strings.Repeat("a", 257)} {
		assert.NotEmpty(t, checkAppID(id), id)
	}
}
