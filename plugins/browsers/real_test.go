package browsers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/protocol"
)

// page writes a page with a title.
func page(t *testing.T, dir, title string) string {
	t.Helper()
	path := filepath.Join(dir, title+".html")
	require.NoError(t, os.WriteFile(path, []byte("<!doctype html><title>"+title+"</title>"+title), 0o600))
	return "file://" + path
}

func TestTabsOfARealChromiumOverDevTools(t *testing.T) {
	desktoptest.Need(t, "chromium")
	s := desktoptest.New(t)
	profile := filepath.Join(s.Dir(), "profile")
	one, two := page(t, s.Dir(), "first-page"), page(t, s.Dir(), "second-page")
	w := newWorld(t, fmt.Sprintf(`{"chromium":{"dir":%q}}`, profile))
	p := s.Start("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--password-store=basic", "--user-data-dir="+profile, "--remote-debugging-port=0", one, two)
	require.Eventually(t, func() bool {
		port, err := toolsPort(profile)
		if err != nil {
			return false
		}
		tabs, err := toolsTabs(t.Context(), port)
		return err == nil && len(tabs) == 2 && strings.HasSuffix(tabs[0].title, "-page") && strings.HasSuffix(tabs[1].title, "-page")
	}, deadline, 20*time.Millisecond)
	w.running(map[string]int{"chromium": p.PID()})
	rows := w.h.NextPublish()
	require.ElementsMatch(t, []string{"chromium: first-page " + one, "chromium: second-page " + two}, lines(rows))
	back := rows[0]
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: back}).OK)
	args := append(append([]byte(`{"row":`), protocol.AppendRow(nil, back)...), '}')
	require.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: "tab_close", ActionArgs: args}).OK)
	require.Eventually(t, func() bool {
		w.h.Command("browsers", "refresh")
		return w.h.Notifications(protocol.MethodPublish) > 0
	}, deadline, 20*time.Millisecond)
	require.Len(t, w.h.NextPublish(), 1)
}

func TestTheSessionOfARealFirefox(t *testing.T) {
	desktoptest.Need(t, "firefox")
	s := desktoptest.New(t)
	profile := filepath.Join(s.Dir(), "profile")
	require.NoError(t, os.Mkdir(profile, 0o700))
	prefs := `user_pref("browser.sessionstore.interval", 500);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("network.captive-portal-service.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.sessionstore.interval.idle", 500);
user_pref("layers.acceleration.disabled", true);
`
	require.NoError(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o600))
	one, two := page(t, s.Dir(), "first-page"), page(t, s.Dir(), "second-page")
	w := newWorld(t, fmt.Sprintf(`{"firefox":{"profile":%q}}`, profile))
	p := s.Start("firefox", "--no-remote", "--profile", profile, one, two)
	store := filepath.Join(profile, storeDir, storeFile)
	var tabs []tab
	require.Eventually(t, func() bool {
		var err error
		tabs, err = readStore(store)
		return err == nil && len(tabs) == 2 && tabs[1].title == "second-page"
	}, deadline, 50*time.Millisecond)
	w.running(map[string]int{"firefox-esr": p.PID()})
	require.Equal(t, []string{"firefox: first-page " + one, "firefox: second-page " + two}, lines(w.h.NextPublish()))
}
