//go:build darwin && cgo

package session

import (
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// board is the general pasteboard. Each call goes to the main thread.
type board struct{}

func (board) Count() (n int) {
	desktop.OnMain(func() { n = mac.PasteboardCount() })
	return n
}

func (board) Types() (out []string) {
	desktop.OnMain(func() { out = mac.PasteboardTypes() })
	return out
}

func (board) Text(most int) (text string) {
	desktop.OnMain(func() { text = mac.PasteboardText(most) })
	return text
}
