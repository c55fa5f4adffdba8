package desktop

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// clipTimeout bounds a clipboard tool: it answers once the selection is its
// own, which takes milliseconds unless the display hangs.
const clipTimeout = 3 * time.Second

// clipTool writes through a program that keeps the selection alive in the
// background, as the display protocols want.
type clipTool struct {
	env  environ
	argv []string
}

// clipTools are tried in order for each kind of display.
var (
	waylandClip = [][]string{{"wl-copy", "--type", "text/plain;charset=utf-8"}}
	x11Clip     = [][]string{{"xclip", "-in", "-selection", "clipboard"}, {"xsel", "--input", "--clipboard"}}
)

// newClipboard picks a tool; the strings are for Describe.
func newClipboard(env environ) (c Clipboard, backend, remedy string) {
	wayland, x11 := env.get("WAYLAND_DISPLAY") != "", env.get("DISPLAY") != ""
	var tools [][]string
	if wayland {
		tools = append(tools, waylandClip...)
	}
	if x11 {
		tools = append(tools, x11Clip...)
	}
	for _, t := range tools {
		if env.lookPath(t[0]) != "" {
			return clipTool{env, t}, t[0], ""
		}
	}
	why := "there is no display"
	switch {
	case wayland:
		why, remedy = "no tool can write the Wayland clipboard", "install wl-clipboard"
	case x11:
		why, remedy = "no tool can write the X11 clipboard", "install xclip or xsel"
	default:
		remedy = "start Flash inside a graphical session"
	}
	return noClipboard{unavailable("clipboard", why, remedy)}, "", remedy
}

func (c clipTool) WriteText(ctx context.Context, text string) error {
	path := c.env.lookPath(c.argv[0])
	if path == "" {
		return unavailable("clipboard", c.argv[0]+" is gone", "install it again")
	}
	ctx, cancel := context.WithTimeout(ctx, clipTimeout)
	defer cancel()
	closeOnExec()
	cmd := exec.CommandContext(ctx, path, c.argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = childEnv(c.env), "/", strings.NewReader(text)
	// The tool leaves a child behind that serves the selection: it must not
	// die with the host's group, nor keep this call waiting.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if ctx.Err() != nil {
			return fmt.Errorf("clipboard: %s did not answer: %w", c.argv[0], context.Cause(ctx))
		}
		return fmt.Errorf("clipboard: %s: %w", c.argv[0], err)
	}
	return nil
}
