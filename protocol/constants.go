package protocol

import "time"

// Version is the wire version that initialize agrees on.
const Version = 1

// Ranges of the wire's integers.
const (
	MaxID    = 1<<53 - 1 // ids stay exact in languages whose only number is a double
	MaxPID   = 1<<31 - 1
	MaxTrace = 16
	MaxDepth = 128 // of a document; hostile nesting must cost no stack, real values stay below ten
)

// Deadlines. Each includes the wait for queue admission.
const (
	DeadlineStartup   = 5000 * time.Millisecond
	DeadlineQuery     = 50 * time.Millisecond
	DeadlineQueryWarn = 40 * time.Millisecond
	DeadlineLive      = 1000 * time.Millisecond
	DeadlinePerform   = 10000 * time.Millisecond
	DeadlinePing      = 10000 * time.Millisecond
	IdleBeforePing    = 60000 * time.Millisecond
	ShutdownGrace     = 1000 * time.Millisecond
	KillGrace         = 500 * time.Millisecond // between SIGTERM and SIGKILL
	HostCallTimeout   = 5000 * time.Millisecond
	FetchTimeout      = 8000 * time.Millisecond
	ShutdownHook      = 750 * time.Millisecond
)

// Quotas, in bytes unless the comment says that they count things. Array
// quotas count the compact encoding of the array alone; field quotas count the
// UTF-8 bytes of the value.
const (
	MaxFrame           = 10485760
	MaxCatalogRows     = 10000 // count
	MaxCatalogBytes    = 4194304
	MaxTitle           = 4096
	MaxURL             = 16384
	MaxMetadataEntries = 64 // count
	MaxMetadataKey     = 256
	MaxMetadataValue   = 65536
	MaxEffectText      = 65536
	MaxAnswers         = 16 // count
	MaxAnswersBytes    = 262144
	MaxAnswerField     = 16384
	MaxClipboardWrite  = 1048576
	MaxNotifyMessage   = 1024
	MaxStorageKey      = 128
	MaxStorageValue    = 65536
	MaxStorageEntries  = 256 // count
	MaxFetchResponse   = 1048576
)

// Transport caps. A queue is full when either its frames or its bytes are.
const (
	HostOutboundFrames   = 256
	HostOutboundBytes    = 20971520
	HostInboundFrames    = 256
	HostInboundBytes     = 20971520
	HostDecodedFrames    = 256
	HostDecodedBytes     = 20971520
	HostRequests         = 64
	HostCalls            = 64
	PluginOutboundFrames = 64
	PluginOutboundBytes  = 16777216
	PluginRequests       = 16
	PluginRequestBytes   = 33554432
	PluginHostCalls      = 64
	PluginEventFrames    = 256
	PluginEventBytes     = 16777216
	PluginEventKeys      = 256
)

// Bad input and diagnostics.
const (
	MaxBadLines     = 100   // consecutive bad lines that tear a child down
	StderrLine      = 4096  // bytes kept of one line
	StderrBurst     = 20    // lines logged a window
	StderrTail      = 65536 // bytes kept for doctor
	StderrWindow    = 10000 * time.Millisecond
	SlowPublication = 50 * time.Millisecond
)

// Timers of a poll notification.
const (
	MaxRegistrations    = 64
	MaxRegistrationName = 64
	MinEvery            = 0.05  // seconds
	MaxPollSeconds      = 86400 // seconds, for every and after
	MinCycleSeconds     = 1     // seconds a carousel line stands at least
)

// Bounds of single host calls.
const (
	NotifyMinMS         = 500
	NotifyMaxMS         = 10000
	NotifyInterval      = 1000 * time.Millisecond // between two of one plugin
	MaxMediaKeyCode     = 31
	MaxPostKeys         = 32
	PostKeysMinInterval = 8   // ms
	PostKeysMaxInterval = 100 // ms
	MaxAXNodes          = 3000
)

// Words of a poll registration and of a manifest's sources and platforms.
const (
	PriorityLow       = "low"
	PriorityNormal    = "normal" // the default of both
	PriorityHigh      = "high"
	PriorityImportant = "important" // sources only
	PriorityUrgent    = "urgent"    // sources only
	PlatformDarwin    = "darwin"
	PlatformLinux     = "linux"
	PlatformMacOS     = "macos" // another word for darwin
)

// Bounds of a manifest.
const (
	DefaultPriority   = 25
	MaxPriority       = 1000000 // in either direction
	MaxManifest       = 1048576 // bytes of the file; the largest official one has a few thousand
	MaxCommandTimeout = 600000 * time.Millisecond
)

// Methods from the host to a plugin.
const (
	MethodInitialize = "initialize"
	MethodPing       = "ping"
	MethodEvent      = "event"
	MethodEvaluate   = "evaluate"
	MethodSearch     = "search"
	MethodPerform    = "perform"
	MethodHints      = "hints"
)

// Notifications from a plugin to the host.
const (
	MethodPublish = "publish"
	MethodStatus  = "status"
	MethodPoll    = "poll"
	MethodLog     = "log"
)

// Requests from a plugin to the host. CapabilityOf names what each needs.
const (
	HostPing             = "host.ping"
	HostStorageGet       = "host.storage_get"
	HostStorageSet       = "host.storage_set"
	HostFetch            = "host.fetch"
	HostOpen             = "host.open"
	HostActivate         = "host.activate"
	HostNormalModeTarget = "host.normal_mode_target"
	HostClipboardWrite   = "host.clipboard_write"
	HostNotify           = "host.notify"
	HostPostMediaKey     = "host.post_media_key"
	HostProcessTable     = "host.process_table"
	HostSignal           = "host.signal"
	HostWifiInfo         = "host.wifi_info"
	HostAXSnapshot       = "host.ax_snapshot"
	HostAXPerform        = "host.ax_perform"
	HostAXSet            = "host.ax_set"
	HostAXSelectChild    = "host.ax_select_child"
	HostPostKeys         = "host.post_keys"
	HostPostGlobalKey    = "host.post_global_key"
)

// Capabilities. Additions are allowed, renames never.
const (
	CapAccessibility  = "accessibility"
	CapAppControl     = "app_control"
	CapClipboard      = "clipboard"
	CapMediaKeys      = "media_keys"
	CapNetwork        = "network"
	CapNetworkFetch   = "network_fetch"
	CapNotify         = "notify"
	CapOpen           = "open"
	CapProcessControl = "process_control"
	CapSubprocess     = "subprocess"
	CapWifiInfo       = "wifi_info"
)

// Capabilities returns every capability, sorted.
func Capabilities() []string {
	return []string{
		CapAccessibility, CapAppControl, CapClipboard, CapMediaKeys, CapNetwork, CapNetworkFetch,
		CapNotify, CapOpen, CapProcessControl, CapSubprocess, CapWifiInfo,
	}
}

// CapabilityOf returns the capability that a host method needs, "" for none,
// and whether the method exists.
func CapabilityOf(method string) (capability string, known bool) {
	switch method {
	case HostPing, HostStorageGet, HostStorageSet:
		return "", true
	case HostFetch:
		return CapNetworkFetch, true
	case HostOpen:
		return CapOpen, true
	case HostActivate, HostNormalModeTarget:
		return CapAppControl, true
	case HostClipboardWrite:
		return CapClipboard, true
	case HostNotify:
		return CapNotify, true
	case HostPostMediaKey:
		return CapMediaKeys, true
	case HostProcessTable, HostSignal:
		return CapProcessControl, true
	case HostWifiInfo:
		return CapWifiInfo, true
	case HostAXSnapshot, HostAXPerform, HostAXSet, HostAXSelectChild, HostPostKeys, HostPostGlobalKey:
		return CapAccessibility, true
	}
	return "", false
}

// Event names. A poll tick is EventPollPrefix and the timer's name.
const (
	EventFlashStarted       = "core:flash.started"
	EventAppsChanged        = "core:apps.changed"
	EventAppsLaunched       = "core:apps.launched"
	EventAppsTerminated     = "core:apps.terminated"
	EventFocusChanged       = "core:focus.changed"
	EventWindowFocusChanged = "core:window.focus.changed"
	EventAXChanged          = "core:ax.changed"
	EventClipboardChanged   = "core:clipboard.changed"
	EventConfigChanged      = "core:config.changed"
	EventPowerChanged       = "core:power.changed"
	EventNetworkChanged     = "core:network.changed"
	EventVolumesChanged     = "core:volumes.changed"
	EventSpaceChanged       = "core:space.changed"
	EventStatusObserved     = "core:status.observed"
	EventSessionOpened      = "core:session.opened"
	EventPollPrefix         = "core:poll:"
)

// Replaces reports whether an unsent event of this name is superseded by the
// next with its coalescing key. Only the events of the wire that state a
// present fact do; happenings stay in line.
func Replaces(event string) bool {
	switch event {
	case EventAppsChanged, EventFocusChanged, EventWindowFocusChanged, EventAXChanged, EventClipboardChanged,
		EventConfigChanged, EventPowerChanged, EventNetworkChanged, EventVolumesChanged, EventSpaceChanged,
		EventStatusObserved:
		return true
	}
	return false
}
