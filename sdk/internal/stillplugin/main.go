// Command stillplugin is a plugin with every surface and no work: what the SDK
// itself costs a child is measured on it.
package main

import (
	"context"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

func main() {
	sdk.Run(sdk.Plugin{
		Start: func(_ context.Context, h *sdk.Host) error {
			h.Publish([]protocol.Row{{Source: "still.items", Title: "still"}})
			return nil
		},
		Event: func(context.Context, *sdk.Host, sdk.Event) {},
		Evaluate: func(context.Context, *sdk.Host, protocol.Evaluate) ([]protocol.Answer, error) {
			return nil, nil
		},
		Search: func(context.Context, *sdk.Host, protocol.Search) ([]protocol.Row, error) {
			return nil, nil
		},
		Perform: func(context.Context, *sdk.Host, protocol.Perform) protocol.Outcome {
			return protocol.Done("")
		},
	})
}
