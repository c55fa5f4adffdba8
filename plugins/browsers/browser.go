package browsers

import (
	"path/filepath"
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
	script string   // how it names things to Apple events, as tabs.js knows it; "" where it takes none
}

func (k *kind) source() string { return k.name + ".tabs" }

func (k *kind) firefox() bool { return k.name == "firefox" }

// Dialects of Apple events, see tabs.js.
const (
	chromiumScript = "chromium"
	arcScript      = "arc"
	safariScript   = "safari"
)

// kinds are in the order of their rows.
var kinds = [...]kind{
	{name: "firefox", ids: []string{"firefox", "firefox-esr", "org.mozilla.firefox", "firefox-developer-edition", "org.mozilla.firefoxdeveloperedition", "org.mozilla.nightly", "librewolf", "io.gitlab.librewolf-community"},
		suffix: []string{" — Mozilla Firefox Private Browsing", " — Mozilla Firefox", " — Firefox Developer Edition", " — LibreWolf", " - Mozilla Firefox", " — Private Browsing"}},
	{name: "chrome", ids: []string{"google-chrome", "com.google.Chrome", "google-chrome-beta", "com.google.Chrome.beta", "google-chrome-unstable", "com.google.Chrome.dev", "com.google.Chrome.canary"},
		suffix: []string{" - Google Chrome"}, linux: "google-chrome", mac: "Google/Chrome", script: chromiumScript},
	{name: "chromium", ids: []string{"chromium", "chromium-browser", "org.chromium.Chromium"},
		suffix: []string{" - Chromium"}, linux: "chromium", mac: "Chromium", script: chromiumScript},
	{name: "brave", ids: []string{"brave-browser", "com.brave.Browser", "com.brave.Browser.beta", "com.brave.Browser.nightly"},
		suffix: []string{" - Brave"}, linux: "BraveSoftware/Brave-Browser", mac: "BraveSoftware/Brave-Browser", script: chromiumScript},
	{name: "edge", ids: []string{"microsoft-edge", "com.microsoft.Edge", "com.microsoft.edgemac", "com.microsoft.edgemac.Beta", "com.microsoft.edgemac.Dev", "com.microsoft.edgemac.Canary"},
		suffix: []string{" - Microsoft\u200b Edge", " - Microsoft Edge"}, linux: "microsoft-edge", mac: "Microsoft Edge", script: chromiumScript},
	{name: "arc", ids: []string{"company.thebrowser.Browser"}, mac: "Arc/User Data", script: arcScript},
	{name: "vivaldi", ids: []string{"vivaldi-stable", "com.vivaldi.Vivaldi"},
		suffix: []string{" - Vivaldi"}, linux: "vivaldi", mac: "Vivaldi", script: chromiumScript},
	{name: "opera", ids: []string{"opera", "com.operasoftware.Opera", "com.operasoftware.OperaGX"},
		suffix: []string{" - Opera"}, linux: "opera", mac: "com.operasoftware.Opera", script: chromiumScript},
	{name: "safari", ids: []string{"com.apple.Safari", "com.apple.SafariTechnologyPreview"}, script: safariScript},
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
func (k *kind) dir(home string, mac bool) string {
	switch {
	case home == "":
	case mac && k.mac != "":
		return filepath.Join(home, "Library/Application Support", k.mac)
	case !mac && k.linux != "":
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
	id         string // DevTools' own, or a scriptID
	front      bool   // it is the one that its window shows
	focused    bool   // and that window is the one in use
}
