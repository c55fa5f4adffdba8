package media

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// step is what a volume key changes, in percent, as desktops do; full is where
// raising ends, for past it sound is distorted.
const (
	step = 5
	full = 100
)

// mixer is the program that sets the volume, "" where none is installed.
func (k *Keys) mixer() string {
	for _, p := range [...]string{"wpctl", "pactl"} {
		if k.o.Find(p) != "" {
			return p
		}
	}
	return ""
}

func (k *Keys) volume(ctx context.Context, code int) error {
	tool := k.mixer()
	var argv []string
	switch {
	case tool == "":
		return k.o.Error("media keys", "nothing here answers the volume keys", "install wireplumber (wpctl) or pulseaudio-utils (pactl)")
	case tool == "wpctl" && code == codeMute:
		argv = []string{"set-mute", "@DEFAULT_AUDIO_SINK@", "toggle"}
	case tool == "wpctl" && code == codeUp:
		argv = []string{"set-volume", "-l", "1.0", "@DEFAULT_AUDIO_SINK@", strconv.Itoa(step) + "%+"}
	case tool == "wpctl":
		argv = []string{"set-volume", "@DEFAULT_AUDIO_SINK@", strconv.Itoa(step) + "%-"}
	case code == codeMute:
		argv = []string{"set-sink-mute", "@DEFAULT_SINK@", "toggle"}
	case code == codeDown:
		argv = []string{"set-sink-volume", "@DEFAULT_SINK@", "-" + strconv.Itoa(step) + "%"}
	default:
		out, err := k.o.Run(ctx, tool, "get-sink-volume", "@DEFAULT_SINK@")
		if err != nil {
			return fmt.Errorf("media keys: %s: %w", tool, err)
		}
		now, ok := percent(string(out))
		if !ok {
			return fmt.Errorf("media keys: %s does not say the volume", tool)
		}
		if now >= full {
			return nil
		}
		argv = []string{"set-sink-volume", "@DEFAULT_SINK@", strconv.Itoa(min(now+step, full)) + "%"}
	}
	if _, err := k.o.Run(ctx, append([]string{tool}, argv...)...); err != nil {
		return fmt.Errorf("media keys: %s: %w", tool, err)
	}
	return nil
}

// percent is the loudest channel in what pactl prints, in every language.
func percent(out string) (most int, ok bool) {
	for _, f := range strings.Fields(out) {
		if n, cut := strings.CutSuffix(strings.TrimSuffix(f, ","), "%"); cut {
			if v, err := strconv.Atoi(n); err == nil && v >= 0 {
				most, ok = max(most, v), true
			}
		}
	}
	return most, ok
}
