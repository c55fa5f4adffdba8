package action

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// Open makes the platform's backend.
func Open(b settings.Backend, _ string) (Backend, error) {
	if b == settings.CGEvent {
		return openCG()
	}
	return systemEvents{}, nil
}

// systemEvents performs actions through AppleScript. A program is started for
// each action and for nothing else.
type systemEvents struct{}

// scriptWithin bounds one script: the first one may have to wait for the user
// to allow it.
const scriptWithin = 30 * time.Second

func (s systemEvents) Named(name string) error {
	keys, err := macChord(name)
	if err != nil {
		return err
	}
	return s.Chord(keys)
}

func (systemEvents) Chord(keys []string) error {
	script, err := appleScript(keys)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptWithin)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "/usr/bin/osascript", "-e", script).CombinedOutput(); err != nil {
		return fmt.Errorf("System Events: %w: %s; allow it in System Settings, Privacy & Security, Automation, or set pointer.action_backend = \"cg_event\"", err, out)
	}
	return nil
}

func (systemEvents) Close() {}
