package host

import (
	"context"
	"time"

	"github.com/flash-launcher/flash/internal/desktop"
)

// desk is what the session in use offers. Another session may be taken up while
// the host runs, so nobody keeps what it returns.
func (h *Host) desk() *desktop.Facets { return h.facets.Load() }

// opener and notifier are those facets of whatever session is in use.
type (
	opener   struct{ h *Host }
	notifier struct{ h *Host }
)

func (o opener) OpenURL(ctx context.Context, url string) error {
	return o.h.desk().Opener.OpenURL(ctx, url)
}

func (o opener) OpenApp(ctx context.Context, id string) error {
	return o.h.desk().Opener.OpenApp(ctx, id)
}

func (n notifier) Notify(ctx context.Context, title, body string, d time.Duration) error {
	return n.h.desk().Notifier.Notify(ctx, title, body, d)
}
