package host

import (
	"errors"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/ui/panel"
)

// screen is what the host itself shows in a session: the flashlight's window, the
// status bar, and the hot keys that open the one.
type screen interface {
	// open opens the flashlight with a text in it; toggle closes an open one.
	open(text string, toggle bool) error
	// apply brings all of it in line with the configuration.
	apply()
	// hold stops what nobody can see, while the session is locked or asleep.
	hold(held bool)
	describe() []desktop.Facet
	close()
}

var errNoScreen = errors.New("the flashlight has no window here: this session has no display that Flash can draw on; `flash open --tui` opens it in a terminal")

// noScreen stands where there is no display.
type noScreen struct{ facet desktop.Facet }

func (noScreen) open(string, bool) error     { return errNoScreen }
func (noScreen) apply()                      {}
func (noScreen) hold(bool)                   {}
func (n noScreen) describe() []desktop.Facet { return []desktop.Facet{n.facet} }
func (noScreen) close()                      {}

// themeFaults are what is wrong with the theme that the configuration names; the
// one of the desktop is used in its place.
func themeFaults(c config.Config, dir string) []string {
	if _, err := panel.LoadTheme(c.Flashlight.Theme, dir, panel.Appearance{}); err != nil {
		return []string{"flashlight.theme: " + err.Error()}
	}
	return nil
}
