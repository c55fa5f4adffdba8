package action

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// A worker has nobody to tell that an action cannot be done, so it is told
// beforehand to those who ask.

// strokes are what may be bound, with what each asks for when nothing is.
var strokes = [...]struct {
	name     string
	decision engine.Decision
}{
	{"left", engine.Decision{Action: engine.WorkspaceLeft, Direction: engine.StrokeLeft}},
	{"right", engine.Decision{Action: engine.WorkspaceRight, Direction: engine.StrokeRight}},
	{"up", engine.Decision{Action: engine.Overview, Direction: engine.StrokeUp}},
	{"down", engine.Decision{Action: engine.AppWindows, Direction: engine.StrokeDown}},
	{"click", engine.Decision{Action: engine.Click}},
	{"back", engine.Decision{Action: engine.Back}},
	{"forward", engine.Decision{Action: engine.Forward}},
}

// LacksCommand names the commands of s that are not there, one line for each.
func LacksCommand(s *settings.Settings) (out []string) {
	for _, k := range strokes {
		a, ok := Resolve(s, k.decision)
		if !ok || a.Kind != settings.Command {
			continue
		}
		if _, err := exec.LookPath(a.Argv[0]); err != nil {
			out = append(out, fmt.Sprintf("pointer.actions.%s does nothing: %v; install it or write its full path", k.name, err))
		}
	}
	return out
}

// lacker is a backend that knows what it cannot do, and why.
type lacker interface{ lacks(name string) string }

// Lacks names the actions of s that cannot be done on the display, one line for
// each reason.
func Lacks(s *settings.Settings, display string) []string {
	b, err := Open(s.Backend, display)
	if err != nil {
		return nil // which those who read input say better
	}
	defer b.Close()
	l, ok := b.(lacker)
	if !ok {
		return nil
	}
	var reasons []string
	of := map[string][]string{}
	for _, k := range strokes {
		a, ok := Resolve(s, k.decision)
		if !ok || a.Kind != settings.Named {
			continue
		}
		if why := l.lacks(a.Name); why != "" {
			if of[why] == nil {
				reasons = append(reasons, why)
			}
			of[why] = append(of[why], k.name)
		}
	}
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("without an action: %s, since %s; bind another in [pointer.actions]", strings.Join(of[why], ", "), why)
	}
	return reasons
}
