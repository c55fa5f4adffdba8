package mac

import "strings"

// The notices that are followed, by macOS's names.
const (
	AppActivated   = "NSWorkspaceDidActivateApplicationNotification"
	AppLaunched    = "NSWorkspaceDidLaunchApplicationNotification"
	AppTerminated  = "NSWorkspaceDidTerminateApplicationNotification"
	WillSleep      = "NSWorkspaceWillSleepNotification"
	DidWake        = "NSWorkspaceDidWakeNotification"
	SessionLeft    = "NSWorkspaceSessionDidResignActiveNotification"
	SessionBack    = "NSWorkspaceSessionDidBecomeActiveNotification"
	SpaceChanged   = "NSWorkspaceActiveSpaceDidChangeNotification"
	VolumeMounted  = "NSWorkspaceDidMountNotification"
	VolumeGone     = "NSWorkspaceDidUnmountNotification"
	VolumeRenamed  = "NSWorkspaceDidRenameVolumeNotification"
	ScreenLocked   = "com.apple.screenIsLocked"
	ScreenUnlocked = "com.apple.screenIsUnlocked"
	AccessChanged  = "com.apple.accessibility.api"
	ScreensChanged = "NSApplicationDidChangeScreenParametersNotification"
)

// Center is where a notice comes from.
type Center int

// The centers, as the C side numbers them.
const (
	OfSession     Center = iota // any program, to the whole session
	OfWorkspace                 // NSWorkspace
	OfApplication               // AppKit, within this program
)

// CenterOf is where a notice comes from.
func CenterOf(name string) Center {
	switch {
	case strings.HasPrefix(name, "NSWorkspace"):
		return OfWorkspace
	case strings.HasPrefix(name, "NSApplication"):
		return OfApplication
	}
	return OfSession
}

// Presence is what a notice says about whether the user can look: who says so,
// and whether it holds.
type Presence struct {
	Sleep bool   // about sleep, else about the lock
	By    string // who says that it is locked
	On    bool
}

// PresenceNotices are the notices that PresenceOf reads.
var PresenceNotices = []string{WillSleep, DidWake, SessionLeft, SessionBack, ScreenLocked, ScreenUnlocked}

// PresenceOf reads a notice; false where it says nothing of the kind. Another
// user's turn at the screen is a lock of its own, which the password does not
// end.
func PresenceOf(name string) (Presence, bool) {
	switch name {
	case WillSleep, DidWake:
		return Presence{Sleep: true, On: name == WillSleep}, true
	case SessionLeft, SessionBack:
		return Presence{By: "another user", On: name == SessionLeft}, true
	case ScreenLocked, ScreenUnlocked:
		return Presence{By: "lock screen", On: name == ScreenLocked}, true
	}
	return Presence{}, false
}

// Supply is what of the power supply plugins are told the change of. macOS says
// more often that it estimated anew.
type Supply struct {
	Battery  bool // it runs on one
	Charging bool
	Percent  int // of all batteries together, 0 without one
}

// SupplyOf reads IOKit's description of the power sources and which kind feeds
// the machine.
func SupplyOf(kind string, sources []Value) Supply {
	s := Supply{Battery: kind == "Battery Power"}
	var has, full float64
	for _, src := range sources {
		if src.Get("Type").Str != "InternalBattery" {
			continue // a mouse's, or a supply without one
		}
		s.Charging = s.Charging || src.Get("Is Charging").True()
		now, _ := src.Get("Current Capacity").Number()
		most, _ := src.Get("Max Capacity").Number()
		has, full = has+now, full+most
	}
	if full > 0 {
		s.Percent = int(has * 100 / full)
	}
	return s
}

// Changed tells whether what is looked at repeatedly is another than last time;
// the first look is none.
type Changed[T comparable] struct {
	known bool
	last  T
}

// Now takes a look.
func (c *Changed[T]) Now(v T) bool {
	changed := c.known && v != c.last
	c.known, c.last = true, v
	return changed
}

// NetworkKeys are the patterns of the dynamic store's keys that a change of the
// network shows in: the addresses in use, those of each interface, and whether
// it is connected.
var NetworkKeys = []string{
	"State:/Network/Global/IPv4", "State:/Network/Global/IPv6", "State:/Network/Global/DNS",
	"State:/Network/Interface/[^/]+/(IPv4|IPv6|Link|AirPort)",
}

// Wireless is what CoreWLAN tells. Joined is known without leave to know the
// name.
type Wireless struct {
	Powered, Joined bool
	SSID            string
}

// maxSSID is the longest name that the standard allows.
const maxSSID = 32

// Network is the wireless network: its name, "" where that is not to be known or
// is no text, and whether there is one.
func (w Wireless) Network() (ssid string, present bool) {
	present = w.Powered && (w.Joined || w.SSID != "")
	if !present || len(w.SSID) > maxSSID {
		return "", present
	}
	for _, r := range w.SSID {
		if r < ' ' || r == '\uFFFD' {
			return "", present
		}
	}
	return w.SSID, present
}
