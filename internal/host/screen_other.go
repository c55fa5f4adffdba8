//go:build !linux && !(darwin && cgo)

package host

import (
	"context"

	"github.com/flash-launcher/flash/internal/desktop"
)

func (h *Host) newScreen(context.Context, []string) screen {
	return noScreen{desktop.Facet{Name: "panel", Remedy: "build Flash with CGO_ENABLED=1 on a Mac for its window, or use `flash open --tui`"}}
}
