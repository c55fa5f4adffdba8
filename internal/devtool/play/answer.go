package play

import (
	"github.com/flash-launcher/flash/protocol"
)

// needs names the capability of a host call; "" needs none.
var needs = []struct{ method, capability, result string }{
	{protocol.HostPing, "", ""},
	{protocol.HostStorageGet, "", ""},
	{protocol.HostStorageSet, "", ""},
	{protocol.HostFetch, "network_fetch", `{"ok":false,"error":"nothing is fetched in a session"}`},
	{protocol.HostOpen, "open", `{"ok":true}`},
	{protocol.HostActivate, "app_control", `{"ok":true}`},
	{protocol.HostNormalModeTarget, "app_control", `{"ok":true,"present":false}`},
	{protocol.HostClipboardWrite, "clipboard", `{"ok":true}`},
	{protocol.HostNotify, "notify", `{"ok":true}`},
	{protocol.HostPostMediaKey, "media_keys", `{"ok":true}`},
	{protocol.HostProcessTable, "process_control", `{"ok":true,"processes":[]}`},
	{protocol.HostSignal, "process_control", `{"ok":true}`},
	{protocol.HostWifiInfo, "wifi_info", `{"ok":true,"present":false}`},
	{protocol.HostAXSnapshot, "accessibility", `{"ok":true,"nodes":[]}`},
	{protocol.HostAXPerform, "accessibility", `{"ok":false,"error":"stale ax handle"}`},
	{protocol.HostAXSet, "accessibility", `{"ok":false,"error":"stale ax handle"}`},
	{protocol.HostAXSelectChild, "accessibility", `{"ok":false,"error":"stale ax handle"}`},
	{protocol.HostPostKeys, "accessibility", `{"ok":true}`},
	{protocol.HostPostGlobalKey, "accessibility", `{"ok":true}`},
}

// answer is the scripted host's result: it grants what the manifest does and
// does none of it. The session's lock is held.
func (s *session) answer(method string, params []byte) []byte {
	refuse := func(text string) []byte {
		return protocol.NewObject(nil).Bool("ok", false).Str("error", text).Bytes()
	}
	for _, n := range needs {
		if n.method != method {
			continue
		}
		if n.capability != "" && !s.o.Manifest.HasCapability(n.capability) {
			return refuse(protocol.ErrTextMissingCapability(n.capability))
		}
		switch method {
		case protocol.HostPing:
			if params == nil {
				params = []byte("{}")
			}
			return protocol.NewObject(nil).Bool("ok", true).Raw("echo", params).Bytes()
		case protocol.HostStorageGet, protocol.HostStorageSet:
			return s.store(method, params, refuse)
		}
		return []byte(n.result)
	}
	return refuse(protocol.ErrTextUnknownMethod(method))
}

func (s *session) store(method string, params []byte, refuse func(string) []byte) []byte {
	o, err := protocol.ParseObject(params)
	if err != nil {
		return refuse(protocol.ErrTextInvalidParams(method))
	}
	key := o.String("key")
	value, present := o.OptString("value")
	if o.Err() != nil {
		return refuse(protocol.ErrTextInvalidParams(method))
	}
	result := protocol.NewObject(nil).Bool("ok", true)
	if method == protocol.HostStorageGet {
		if value, present = s.storage[key]; present {
			return result.Bool("present", true).Str("value", value).Bytes()
		}
		return result.Bool("present", false).Bytes()
	}
	if present {
		s.storage[key] = value
	} else {
		delete(s.storage, key)
	}
	return result.Bytes()
}
