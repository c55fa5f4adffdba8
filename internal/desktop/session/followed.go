//go:build linux || (darwin && cgo)

package session

import (
	"context"
	"fmt"
	"time"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/protocol"
)

// followed is one source of events that somebody wants.
type followed struct {
	cancel context.CancelFunc
	settle *settle
	err    error
}

// events are what plugins can listen to here beside the clipboard, with how long
// a burst of each settles. Batteries and interfaces say one thing in several
// messages within a second.
var events = [...]struct {
	name string
	wait time.Duration
}{
	{protocol.EventPowerChanged, 250 * time.Millisecond},
	{protocol.EventNetworkChanged, 500 * time.Millisecond},
	{protocol.EventVolumesChanged, 250 * time.Millisecond},
	{protocol.EventSpaceChanged, 20 * time.Millisecond},
}

func (p *parts) leave(event string) {
	if f := p.followed[event]; f != nil {
		f.cancel()
		f.settle.stop()
		delete(p.followed, event)
	}
}

func unavailable(facet, why, remedy string) error {
	return fmt.Errorf("%s %w: %s; %s", facet, desktop.ErrUnavailable, why, remedy)
}
