package host

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/protocol"
)

// ownID is under whose name the host's own commands are. No plugin can have it:
// the ids of plugins have no capitals.
const ownID = "Flash"

// The host's own commands.
const (
	quitCommand     = "quit"
	settingsCommand = "settings"
)

// quitDelay lets whoever asked have its answer before the host ends.
const quitDelay = 100 * time.Millisecond

// own is what the flashlight takes for the plugin of the host's own commands.
func own() flashlight.PluginInfo {
	return flashlight.PluginInfo{ID: ownID, Running: true, Manifest: &protocol.Manifest{ID: ownID, Name: "Flash", Commands: []protocol.Command{
		{Command: quitCommand, Description: "End Flash and all its plugins"},
		{Command: settingsCommand, Description: "Open the configuration file"},
	}}}
}

func (h *Host) performOwn(ctx context.Context, p protocol.Perform) protocol.Outcome {
	switch {
	case p.Kind != protocol.PerformCommand:
		return protocol.Unhandled()
	case p.Command == quitCommand:
		h.time.AfterFunc(quitDelay, h.end)
		return protocol.Done("Flash ends")
	case p.Command == settingsCommand:
		if err := h.openSettings(ctx); err != nil {
			return protocol.Failed(err.Error())
		}
		return protocol.Done("")
	}
	return protocol.Unhandled()
}

// textEdit opens a file for which macOS knows no application.
const textEdit = "com.apple.TextEdit"

// openSettings opens the configuration file where the user edits files, and makes
// one where there is none.
func (h *Host) openSettings(ctx context.Context) error {
	path := h.paths.ConfigFile
	if err := config.Make(path); err != nil {
		return err
	}
	err := h.desk().Opener.OpenURL(ctx, (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil && runtime.GOOS == "darwin" {
		return h.desk().Apps.Launch(ctx, textEdit, []string{path})
	}
	if err != nil {
		return fmt.Errorf("%w; `flash config edit` opens %s in a terminal", err, path)
	}
	return nil
}
