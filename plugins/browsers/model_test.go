package browsers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is the browsers that the stand-in for osascript knows.
type model struct {
	t    *testing.T
	path string
}

type modelBrowser struct {
	PID     int            `json:"pid"`
	ID      string         `json:"id"`
	Kind    string         `json:"kind"`
	Running bool           `json:"running"`
	Refused bool           `json:"refused,omitempty"`
	Windows []*modelWindow `json:"windows"`
}

type modelWindow struct {
	ID        string     `json:"id"`
	Active    any        `json:"active,omitempty"`
	Minimized bool       `json:"minimized,omitempty"`
	Broken    bool       `json:"broken,omitempty"`
	Tabs      []modelTab `json:"tabs"`
}

type modelTab struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	URL   *string `json:"url"`
}

type modelState struct {
	Browsers []*modelBrowser `json:"browsers"`
	ByIDOnly bool            `json:"byIDOnly,omitempty"`
	Launched bool            `json:"launched,omitempty"`
}

// scripts returns a system whose osascript runs tabs.js itself, in node.
func scripts(t *testing.T, s modelState) (system, *model) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("this test needs a program that is not installed: apt-get install nodejs")
	}
	dir := t.TempDir()
	m := &model{t, filepath.Join(dir, "browsers.json")}
	m.write(s)
	stand, err := filepath.Abs("testdata/osascript.js")
	require.NoError(t, err)
	return mac(t, fmt.Sprintf("BROWSERS=%s exec %s %s \"$@\"\n", m.path, node, stand)), m
}

func (m *model) write(s modelState) {
	m.t.Helper()
	b, err := json.Marshal(s)
	require.NoError(m.t, err)
	// Whole at once: a script may be reading.
	require.NoError(m.t, os.WriteFile(m.path+".new", b, 0o600))
	require.NoError(m.t, os.Rename(m.path+".new", m.path))
}

func (m *model) read() (s modelState) {
	m.t.Helper()
	b, err := os.ReadFile(m.path)
	require.NoError(m.t, err)
	require.NoError(m.t, json.Unmarshal(b, &s))
	return s
}

func at(url string) *string { return &url }

func chrome() *modelBrowser {
	return &modelBrowser{PID: 5, ID: "com.google.Chrome", Kind: "chromium", Running: true, Windows: []*modelWindow{
		{ID: "20", Active: 2, Tabs: []modelTab{{"11", "News\u2028\"x\" \\ 日本", at("https://news.example/")}, {"12", "Mail", at("https://mail.example/?a=é")}}},
		{ID: "7", Broken: true},
		{ID: "10", Active: 1, Minimized: true, Tabs: []modelTab{{"31", "Docs", at("https://docs.example/")}, {"32", "", nil}}},
	}}
}
