package tui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// maxTerminalCopy is what terminals take in one OSC 52: 74,994 bytes of base64
// is the least bound in use.
const maxTerminalCopy = 74994 / 4 * 3

// tmuxTimeout bounds a tmux that does not answer.
const tmuxTimeout = time.Second

// tmuxCopy gives text to tmux, which by default drops OSC 52 of the programs in
// it but passes on what it is given this way.
func tmuxCopy(ctx context.Context, env func(string) string, text string) error {
	if env("TMUX") == "" {
		return errors.New("not inside tmux")
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}
