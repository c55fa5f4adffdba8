//go:build !linux

package host

import (
	"context"

	"github.com/flash-launcher/flash/internal/desktop"
)

func (h *Host) newScreen(context.Context, []string) screen {
	return noScreen{desktop.Facet{Name: "panel", Remedy: "use `flash open` in a terminal"}}
}
