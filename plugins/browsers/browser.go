package browsers

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// kind is one browser that is known.
type kind struct {
	name   string // its source is name.tabs
	ids    []string
	suffix []string // what it adds to a window's title
	linux  string   // where its profiles are, below ~/.config
	mac    string   // and below ~/Library/Application Support
}

func (k *kind) source() string { return k.name + ".tabs" }

func (k *kind) firefox() bool { return k.name == "firefox" }

// kinds are in the order of their rows.
var kinds = [...]kind{
	{name: "firefox", ids: []string{"firefox", "firefox-esr", "org.mozilla.firefox", "firefox-developer-edition", "librewolf", "io.gitlab.librewolf-community"},
		suffix: []string{" — Mozilla Firefox Private Browsing", " — Mozilla Firefox", " — Firefox Developer Edition", " — LibreWolf", " - Mozilla Firefox"}},
	{name: "chrome", ids: []string{"google-chrome", "com.google.Chrome", "google-chrome-beta", "google-chrome-unstable"},
		suffix: []string{" - Google Chrome"}, linux: "google-chrome", mac: "Google/Chrome"},
	{name: "chromium", ids: []string{"chromium", "chromium-browser", "org.chromium.Chromium"},
		suffix: []string{" - Chromium"}, linux: "chromium", mac: "Chromium"},
	{name: "brave", ids: []string{"brave-browser", "com.brave.Browser"},
		suffix: []string{" - Brave"}, linux: "BraveSoftware/Brave-Browser", mac: "BraveSoftware/Brave-Browser"},
	{name: "edge", ids: []string{"microsoft-edge", "com.microsoft.Edge", "com.microsoft.edgemac"},
		suffix: []string{" - Microsoft\u200b Edge", " - Microsoft Edge"}, linux: "microsoft-edge", mac: "Microsoft Edge"},
	{name: "arc", ids: []string{"company.thebrowser.Browser"}, mac: "Arc/User Data"},
	{name: "vivaldi", ids: []string{"vivaldi-stable", "com.vivaldi.Vivaldi"},
		suffix: []string{" - Vivaldi"}, linux: "vivaldi", mac: "Vivaldi"},
	{name: "opera", ids: []string{"opera", "com.operasoftware.Opera"},
		suffix: []string{" - Opera"}, linux: "opera", mac: "com.operasoftware.Opera"},
	{name: "safari", ids: []string{"com.apple.Safari"}},
}

// kindOf knows a browser by its id, nil for another application.
func kindOf(bundleID string) *kind {
	if bundleID == "" {
		return nil
	}
	for i := range kinds {
		if slices.Contains(kinds[i].ids, bundleID) {
			return &kinds[i]
		}
	}
	return nil
}

// dir is where the browser keeps its profiles by itself, "" where that is not known.
func (k *kind) dir(home string) string {
	switch {
	case home == "":
	case runtime.GOOS == "darwin" && k.mac != "":
		return filepath.Join(home, "Library/Application Support", k.mac)
	case runtime.GOOS != "darwin" && k.linux != "":
		return filepath.Join(home, ".config", k.linux)
	}
	return ""
}

// page takes the browser's own name off the title of a window.
func (k *kind) page(title string) string {
	for _, s := range k.suffix {
		if page, ok := strings.CutSuffix(title, s); ok {
			return page
		}
	}
	return title
}

// tab is one tab, or what is known of it.
type tab struct {
	title, url string
	pid        int
	window     int64  // the window system's number, 0 where it is not known
	id         string // DevTools' own
	front      bool   // it is the one that its window shows
	focused    bool   // and that window is the one in use
}
