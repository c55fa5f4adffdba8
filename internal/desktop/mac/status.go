package mac

import "fmt"

// Status is how a call of the accessibility interface ended, as macOS numbers
// it.
type Status int32

// The statuses that something is decided by.
const (
	OK              Status = 0
	IllegalArgument Status = -25201
	Invalid         Status = -25202 // the element is gone
	CannotComplete  Status = -25204 // the app does not answer, or not yet
	NoAttribute     Status = -25205
	NoAction        Status = -25206
	NoNotification  Status = -25207
	NotImplemented  Status = -25208
	Already         Status = -25209 // that notification is registered
	Disabled        Status = -25211 // Flash lacks the permission
	NoValue         Status = -25212
)

// Remedy is what to do about a missing permission.
const Remedy = "allow Flash in System Settings, Privacy & Security, Accessibility; `flash doctor --ask` has macOS show it"

func (s Status) Error() string {
	switch s {
	case Invalid:
		return "the element is gone"
	case CannotComplete:
		return "the app does not answer"
	case NoAttribute, NoValue:
		return "the element does not have it"
	case NoAction:
		return "the element has no such action"
	case NoNotification, NotImplemented:
		return "the app does not implement it"
	case Disabled:
		return "macOS does not let Flash look at other apps; " + Remedy
	}
	return fmt.Sprintf("accessibility error %d", int32(s))
}

// Err is the status as an error, nil for success.
func (s Status) Err() error {
	if s == OK {
		return nil
	}
	return s
}
