package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

// raiseWait bounds the wait for a window manager that does not answer.
const raiseWait = time.Second

// backend is the plugins as the flashlight asks them.
type backend struct{ h *Host }

func (b backend) Plugins() []flashlight.PluginInfo {
	slots := b.h.plugins.Load().slots
	out := make([]flashlight.PluginInfo, 0, len(slots)+1)
	for _, id := range slices.Sorted(maps.Keys(slots)) {
		if s := slots[id]; s.live != nil {
			out = append(out, flashlight.PluginInfo{
				ID:       id,
				Manifest: s.def.Manifest,
				Running:  s.live.Snapshot().State == supervisor.Running,
			})
		}
	}
	return append(out, own())
}

func (b backend) live(id string) (*supervisor.Plugin, error) {
	s := b.h.plugins.Load().slots[id]
	if s == nil || s.live == nil {
		return nil, &supervisor.NotRunningError{ID: id, State: supervisor.Stopped, Why: "it is disabled or not installed"}
	}
	return s.live, nil
}

func (b backend) Evaluate(ctx context.Context, id string, q protocol.Evaluate) ([]protocol.Answer, error) {
	p, err := b.live(id)
	if err != nil {
		return nil, err
	}
	return p.Evaluate(ctx, q)
}

func (b backend) Search(ctx context.Context, id string, q protocol.Search) ([]protocol.Row, error) {
	p, err := b.live(id)
	if err != nil {
		return nil, err
	}
	return p.Search(ctx, q)
}

func (b backend) Perform(ctx context.Context, id string, r protocol.Perform) protocol.Outcome {
	if id == ownID {
		return b.h.performOwn(ctx, r)
	}
	p, err := b.live(id)
	if err != nil {
		return protocol.Failed(err.Error())
	}
	defer b.h.performing.begin(ctx, id)()
	out := p.Perform(ctx, r, 0)
	if out.Err != "" && !strings.HasPrefix(out.Err, id+": ") {
		out.Err = id + ": " + out.Err // a command shows nowhere else whose it is
	}
	if out.OK && out.TargetPID > 0 && out.NavigationURL == "" {
		b.raise(ctx, id, &out)
	}
	return out
}

// raise brings the process in front that a plugin says its action led to. What
// was done is done where that cannot be; only a session with windows is worth a
// word about a process without one.
func (b backend) raise(ctx context.Context, id string, out *protocol.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, raiseWait)
	defer cancel()
	err := b.h.desk().Windows.Activate(ctx, out.TargetPID, 0)
	if err == nil || errors.Is(err, desktop.ErrUnavailable) {
		return
	}
	b.h.log.Info("the window of an action cannot be brought in front", "plugin", id, "pid", out.TargetPID, "error", err)
	if out.Message == "" {
		out.Message = fmt.Sprintf("process %d has no window to bring in front", out.TargetPID)
	}
}

// Effect does what a chosen row or answer says without asking its plugin. Text
// to insert goes to the clipboard where no window can take it.
func (b backend) Effect(ctx context.Context, e protocol.Effect) error {
	switch {
	case e.Type == protocol.EffectOpen && e.BundleID != "" && e.URL != "":
		return b.h.desk().Apps.Launch(ctx, e.BundleID, []string{e.URL})
	case e.Type == protocol.EffectOpen && e.BundleID != "":
		return b.h.desk().Opener.OpenApp(ctx, e.BundleID)
	case e.Type == protocol.EffectOpen:
		return b.h.desk().Opener.OpenURL(ctx, e.URL)
	case e.Type == protocol.EffectInsertText:
		return b.h.insert(ctx, e.Text)
	default:
		return clipboard(b).WriteText(ctx, e.Text)
	}
}
