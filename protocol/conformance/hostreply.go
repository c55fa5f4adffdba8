package conformance

import "github.com/flash-launcher/flash/protocol"

// standingReply is what a host that grants nothing says.
func standingReply(f *frame) any {
	switch f.method {
	case "host.ping":
		return map[string]any{"ok": true, "echo": f.paramsValue()}
	case "host.storage_get":
		return map[string]any{"ok": true, "present": false}
	case "host.storage_set":
		return map[string]any{"ok": true}
	}
	capability, ok := capabilityOf[f.method]
	if !ok {
		return map[string]any{"ok": false, "error": protocol.ErrTextUnknownMethod(f.method)}
	}
	return denial(capability)
}

func denial(capability string) any {
	return map[string]any{"ok": false, "error": protocol.ErrTextMissingCapability(capability)}
}

// capabilityOf names the capability that a host call needs.
var capabilityOf = map[string]string{
	"host.fetch": "network_fetch", "host.open": "open", "host.activate": "app_control",
	"host.normal_mode_target": "app_control", "host.clipboard_write": "clipboard", "host.notify": "notify",
	"host.post_media_key": "media_keys", "host.process_table": "process_control", "host.signal": "process_control",
	"host.wifi_info": "wifi_info", "host.ax_snapshot": "accessibility", "host.ax_perform": "accessibility",
	"host.ax_set": "accessibility", "host.ax_select_child": "accessibility", "host.post_keys": "accessibility",
	"host.post_global_key": "accessibility",
}
