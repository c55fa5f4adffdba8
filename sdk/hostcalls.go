package sdk

import (
	"context"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// ask calls a method and opens its good result.
func (h *Host) ask(ctx context.Context, timeout time.Duration, method string, params []byte) (*protocol.Object, error) {
	result, err := h.CallTimeout(ctx, timeout, method, params)
	if err != nil {
		return nil, err
	}
	return protocol.ParseObject(result)
}

// do calls a method of whose result only ok matters.
func (h *Host) do(ctx context.Context, method string, params *protocol.Builder) error {
	_, err := h.Call(ctx, method, params.Bytes())
	return err
}

// The methods below are the host's calls. Beside their own errors all return
// those of [Host.Call]; without the manifest's capability, a [HostError].

// Ping asks the host for a sign of life.
func (h *Host) Ping(ctx context.Context) error {
	return h.do(ctx, protocol.HostPing, protocol.NewObject(nil))
}

// Fetch gets an https URL within the manifest's fetch_urls (capability
// network_fetch). The host gives it 8 s and 1 MiB of UTF-8. A status such as
// 404 is no error.
func (h *Host) Fetch(ctx context.Context, url string) (status int, body string, err error) {
	// One second more than the host takes, so that its own error arrives.
	o, err := h.ask(ctx, protocol.FetchTimeout+time.Second, protocol.HostFetch, protocol.NewObject(nil).Str("url", url).Bytes())
	if err != nil {
		return 0, "", err
	}
	status, body = int(o.Int("status")), o.String("body")
	return status, body, o.Err()
}

// Open opens a URL with the user's default application (capability open).
func (h *Host) Open(ctx context.Context, url string) error {
	return h.do(ctx, protocol.HostOpen, protocol.NewObject(nil).Str("url", url))
}

// OpenApp opens an application by its bundle id or desktop-entry id
// (capability open).
func (h *Host) OpenApp(ctx context.Context, bundleID string) error {
	return h.do(ctx, protocol.HostOpen, protocol.NewObject(nil).Str("bundle_id", bundleID))
}

// Activate brings an application, and with windowID != 0 one of its windows,
// to the front (capability app_control).
func (h *Host) Activate(ctx context.Context, pid int, windowID int64) error {
	o := protocol.NewObject(nil).Int("pid", int64(pid))
	if windowID != 0 {
		o.Int("window_id", windowID)
	}
	return h.do(ctx, protocol.HostActivate, o)
}

// Target is the application and window that had the focus before the
// flashlight opened.
type Target struct {
	PID      int
	BundleID string // "" unknown
	WindowID int64  // 0 unknown
}

// NormalModeTarget returns the target, or false when there is none (capability
// app_control).
func (h *Host) NormalModeTarget(ctx context.Context) (t Target, present bool, err error) {
	o, err := h.ask(ctx, protocol.HostCallTimeout, protocol.HostNormalModeTarget, nil)
	if err != nil {
		return Target{}, false, err
	}
	if present = o.Bool("present"); present {
		t.PID = o.PID("pid")
		t.BundleID, _ = o.OptString("bundle_id")
		t.WindowID, _ = o.OptInt("window_id")
	}
	return t, present, o.Err()
}

// ClipboardWrite puts text of at most 1 MiB on the clipboard (capability
// clipboard).
func (h *Host) ClipboardWrite(ctx context.Context, text string) error {
	return h.do(ctx, protocol.HostClipboardWrite, protocol.NewObject(nil).Str("text", text))
}

// Notify shows a message of at most 1 KiB for 500 ms to 10 s, or for the
// host's own time when d is 0 (capability notify). One a second is let through.
func (h *Host) Notify(ctx context.Context, message string, d time.Duration) error {
	o := protocol.NewObject(nil).Str("message", message)
	if d > 0 {
		o.Int("duration_ms", d.Milliseconds())
	}
	return h.do(ctx, protocol.HostNotify, o)
}

// StorageGet reads a value of the plugin's storage, or false when the key is
// not there. It needs no capability.
func (h *Host) StorageGet(ctx context.Context, key string) (value string, present bool, err error) {
	o, err := h.ask(ctx, protocol.HostCallTimeout, protocol.HostStorageGet, protocol.NewObject(nil).Str("key", key).Bytes())
	if err != nil {
		return "", false, err
	}
	if present = o.Bool("present"); present {
		value = o.String("value")
	}
	return value, present, o.Err()
}

// StorageSet writes a value of at most 64 KiB under a key of at most 128
// bytes; 256 keys fit.
func (h *Host) StorageSet(ctx context.Context, key, value string) error {
	return h.do(ctx, protocol.HostStorageSet, protocol.NewObject(nil).Str("key", key).Str("value", value))
}

// StorageDelete removes a key; one that is not there is no error.
func (h *Host) StorageDelete(ctx context.Context, key string) error {
	return h.do(ctx, protocol.HostStorageSet, protocol.NewObject(nil).Str("key", key).Raw("value", nil))
}

// Media keys for [Host.PostMediaKey].
const (
	MediaVolumeUp   = 0
	MediaVolumeDown = 1
	MediaMute       = 7
	MediaPlay       = 16
	MediaNext       = 17
	MediaPrevious   = 18
)

// PostMediaKey presses a media key, 0 to 31 (capability media_keys).
func (h *Host) PostMediaKey(ctx context.Context, code int) error {
	return h.do(ctx, protocol.HostPostMediaKey, protocol.NewObject(nil).Int("key_code", int64(code)))
}

// ProcessTable returns the running processes, with CPU use over window or, when
// it is 0, over the host's own (capability process_control). The call takes as
// long as the window, and at most 5 s more.
func (h *Host) ProcessTable(ctx context.Context, window time.Duration) ([]protocol.Process, error) {
	p := protocol.NewObject(nil)
	if window > 0 {
		p.Int("sample_window_ms", window.Milliseconds())
	}
	o, err := h.ask(ctx, protocol.HostCallTimeout+window, protocol.HostProcessTable, p.Bytes())
	if err != nil {
		return nil, err
	}
	var table []protocol.Process
	o.Objects("processes", func(o *protocol.Object) {
		table = append(table, process(o))
		o.IgnoreRest()
	})
	return table, o.Err()
}

// Signal ends a process with SIGTERM; pid is above 1 (capability
// process_control). The host checks that the pid still is the process that its
// last table named.
func (h *Host) Signal(ctx context.Context, pid int) error {
	return h.do(ctx, protocol.HostSignal, protocol.NewObject(nil).Int("pid", int64(pid)))
}

// WifiSSID returns the name of the joined wireless network, or false when
// there is none or the host may not know it (capability wifi_info).
// requestAuthorization lets the host ask the user where the system wants that.
func (h *Host) WifiSSID(ctx context.Context, requestAuthorization bool) (ssid string, present bool, err error) {
	p := protocol.NewObject(nil).Bool("request_authorization", requestAuthorization)
	o, err := h.ask(ctx, protocol.HostCallTimeout, protocol.HostWifiInfo, p.Bytes())
	if err != nil {
		return "", false, err
	}
	if present = o.Bool("present"); present {
		ssid, _ = o.OptString("ssid")
	}
	return ssid, present && ssid != "", o.Err()
}
