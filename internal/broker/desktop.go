package broker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Opener hands a URL or an application to the desktop.
type Opener interface {
	OpenURL(ctx context.Context, url string) error
	OpenApp(ctx context.Context, id string) error
}

// Clipboard writes the clipboard.
type Clipboard interface {
	WriteText(ctx context.Context, text string) error
}

// Notifier shows a passing message.
type Notifier interface {
	Notify(ctx context.Context, title, body string, d time.Duration) error
}

// Windows knows and moves the focus. A windowID of 0 is none.
type Windows interface {
	Activate(ctx context.Context, pid int, windowID int64) error
	// NormalModeTarget is the app and window that had the focus before the
	// flashlight; present is false when there was none.
	NormalModeTarget(ctx context.Context) (t Target, present bool, err error)
}

// Target is an app and one of its windows.
type Target struct {
	PID      int
	BundleID string
	WindowID int64
}

// MediaKeys presses a media key.
type MediaKeys interface {
	PostMediaKey(ctx context.Context, code int) error
}

// Wifi names the network that the machine is in. authorize lets it ask the
// user, where the platform wants that, for leave to know.
type Wifi interface {
	SSID(ctx context.Context, authorize bool) (ssid string, present bool, err error)
}

// unavailable is what a call answers whose facet this host was not given.
func unavailable(what, remedy string) error {
	return refusal(what + " is not available here; " + remedy)
}

const noDisplay = "start Flash in a desktop session, or open the flashlight from one once"

func (b *Broker) clipboardWrite(ctx context.Context, c *call) ([]byte, error) {
	text := c.params.String("text")
	if len(text) > protocol.MaxClipboardWrite {
		c.params.Fail("text", fmt.Sprintf("is longer than %d bytes", protocol.MaxClipboardWrite))
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Clipboard == nil {
		return nil, unavailable("the clipboard", noDisplay)
	}
	if err := b.o.Clipboard.WriteText(ctx, text); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

// defaultNotice is how long a message of unstated duration stays.
const defaultNotice = 2500

func (b *Broker) notify(ctx context.Context, c *call) ([]byte, error) {
	message := c.params.String("message")
	if c.params.Err() == nil && (message == "" || len(message) > protocol.MaxNotifyMessage) {
		c.params.Fail("message", fmt.Sprintf("is not of 1 to %d bytes", protocol.MaxNotifyMessage))
	}
	ms := c.within("duration_ms", protocol.NotifyMinMS, protocol.NotifyMaxMS, defaultNotice)
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Notifier == nil {
		return nil, unavailable("showing a message", noDisplay)
	}
	if !b.notes.pass(c.PluginID, b.o.Time.Now(), protocol.NotifyInterval) {
		return nil, refusal("one message a second is shown; this one is not")
	}
	if err := b.o.Notifier.Notify(ctx, c.PluginID, message, time.Duration(ms)*time.Millisecond); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

// lastTimes lets each plugin through once an interval. What is older than that
// is dropped, so it holds no more than the plugins that spoke just now.
type lastTimes struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (l *lastTimes) pass(plugin string, now time.Time, interval time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, at := range l.last {
		if age := now.Sub(at); age >= interval || age < 0 {
			delete(l.last, id)
		}
	}
	if _, recent := l.last[plugin]; recent {
		return false
	}
	if l.last == nil {
		l.last = map[string]time.Time{}
	}
	l.last[plugin] = now
	return true
}

// maxWindowID is the widest window number in use (X11 and macOS have 32 bits).
const maxWindowID = 1<<32 - 1

func (b *Broker) activate(ctx context.Context, c *call) ([]byte, error) {
	pid := c.params.PID("pid")
	window := c.within("window_id", 1, maxWindowID, 0)
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Windows == nil {
		return nil, unavailable("bringing an app to the front", noDisplay)
	}
	if err := b.o.Windows.Activate(ctx, pid, window); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

func (b *Broker) normalModeTarget(ctx context.Context, c *call) ([]byte, error) {
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Windows == nil {
		return nil, unavailable("the focused window", noDisplay)
	}
	t, present, err := b.o.Windows.NormalModeTarget(ctx)
	if err != nil {
		return nil, err
	}
	reply := success().Bool("present", present)
	if present {
		reply.Int("pid", int64(t.PID)).Str("bundle_id", t.BundleID)
		if t.WindowID != 0 {
			reply.Int("window_id", t.WindowID)
		}
	}
	return reply.Bytes(), nil
}

func (b *Broker) postMediaKey(ctx context.Context, c *call) ([]byte, error) {
	c.params.Int("key_code")
	code := c.within("key_code", 0, protocol.MaxMediaKeyCode, 0)
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.MediaKeys == nil {
		return nil, unavailable("pressing a media key", noDisplay)
	}
	if err := b.o.MediaKeys.PostMediaKey(ctx, int(code)); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

func (b *Broker) wifiInfo(ctx context.Context, c *call) ([]byte, error) {
	authorize, _ := c.params.OptBool("request_authorization")
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Wifi == nil {
		return nil, unavailable("the wireless network", "it needs NetworkManager on Linux and location access on macOS")
	}
	ssid, present, err := b.o.Wifi.SSID(ctx, authorize)
	if err != nil {
		return nil, err
	}
	return success().Bool("present", present).OptStr("ssid", ssid).Bytes(), nil
}
