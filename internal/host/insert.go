package host

import (
	"context"
	"runtime"
	"strings"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/protocol"
)

// panelEngine is the flashlight as its window uses it: what a row writes goes into
// the window that had the focus, which has it back by then.
type panelEngine struct {
	*flashlight.Engine
	h *Host
}

type insertKey struct{}

func (p panelEngine) ActOn(ctx context.Context, c flashlight.Choice, action string) protocol.Outcome {
	return p.Engine.ActOn(context.WithValue(ctx, insertKey{}, true), c, action)
}

// insert writes text into the focused window: by the clipboard and the keys that
// paste there, since typing it key by key would lose what the layout lacks. The
// clipboard keeps it, so that where no window takes it the user can paste it.
func (h *Host) insert(ctx context.Context, text string) error {
	if err := (clipboard{h}).WriteText(ctx, text); err != nil {
		return err
	}
	if ctx.Value(insertKey{}) == nil {
		return nil
	}
	w, ok, err := h.focused(ctx)
	if err != nil || !ok || w.PID <= 0 {
		return nil
	}
	if err := h.session.PostKeys(ctx, w.PID, []broker.Key{pasteKey(runtime.GOOS, w)}, 0); err != nil {
		h.log.Info("text is left on the clipboard", "error", err.Error())
	}
	return nil
}

// keyV is the macOS virtual key code of V.
const keyV = 9

// terminals are parts of the ids of programs in which Control-V is a character
// and Control-Shift-V pastes.
var terminals = []string{"terminal", "konsole", "kitty", "alacritty", "foot", "wezterm", "xterm", "tilix", "ghostty", "rxvt", "terminator", "ptyxis"}

// pasteKey is the chord that pastes into a window.
func pasteKey(goos string, w desktop.Window) broker.Key {
	k := broker.Key{Code: keyV, Modifiers: []string{"control"}}
	if goos == "darwin" {
		k.Modifiers[0] = "command"
		return k
	}
	id := strings.ToLower(w.AppID)
	for _, t := range terminals {
		if strings.Contains(id, t) {
			k.Modifiers = append(k.Modifiers, "shift")
			break
		}
	}
	return k
}
