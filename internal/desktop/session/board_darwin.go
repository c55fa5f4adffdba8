//go:build darwin && cgo

package session

import (
	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/objc"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// board is the general pasteboard. Each call goes to the main thread.
type board struct{}

func (board) Count() (n int) {
	desktop.OnMain(func() { n = appkit.Pasteboard_GeneralPasteboard().ChangeCount() })
	return n
}

func (board) Types() (out []string) {
	desktop.OnMain(func() { out = mac.PasteboardTypes() })
	return out
}

// Text looks at how long the text is before it is copied into this program.
func (board) Text(most int) (text string) {
	desktop.OnMain(func() {
		pb := appkit.Pasteboard_GeneralPasteboard()
		data := objc.Call[objc.Object](pb, objc.Sel("dataForType:"), appkit.PasteboardTypeString)
		if data.IsNil() || objc.Call[uint](data, objc.Sel("length")) > uint(most) {
			return
		}
		text = pb.StringForType(appkit.PasteboardTypeString)
	})
	return text
}
