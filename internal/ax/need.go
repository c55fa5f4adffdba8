package ax

import (
	"slices"

	"github.com/flash-launcher/flash/internal/broker"
)

// need is what a query makes it necessary to ask about each node.
type need uint16

const (
	needName need = 1 << iota
	needDescription
	needID
	needCount
	needRole
	needStates
	needFaces
	needExtents
	needValue
	needURL
	needSelected
	needScreen // where it is on the screen
)

// attributes are what can be collected, with what each of them takes.
var attributes = map[string]need{
	"AXRole": needRole | needStates, "AXSubrole": needRole | needStates, "AXTitle": needName, "AXDescription": needDescription,
	"AXHelp": needDescription, "AXIdentifier": needID, "AXEnabled": needStates, "AXFocused": needStates, "AXSelected": needStates,
	"AXExpanded": needStates, "AXDisclosing": needStates, "AXMain": needStates, "AXMinimized": needStates, "AXModal": needStates,
	"AXHidden": needStates, "AXValue": needValue | needRole | needStates | needFaces | needName, "AXSelectedText": needSelected | needFaces | needRole,
	"AXURL": needURL | needFaces, "AXPosition": needScreen | needFaces, "AXSize": needScreen | needFaces, "AXFrame": needScreen | needFaces,
	"AXWindowNumber": 0,
}

// ofWindows are the attributes that the window system tells of a window.
var ofWindows = []string{"AXTitle", "AXRole", "AXSubrole", "AXWindowNumber", "AXMain", "AXFocused", "AXMinimized"}

// onlyWindows marks a query that the window system can answer alone.
const onlyWindows need = 1 << 15

func needOf(q broker.AXQuery) need {
	var n need
	alone := true
	for _, a := range q.Collect {
		n |= attributes[a]
		_, has := attributes[a]
		alone = alone && (!has || slices.Contains(ofWindows, a))
	}
	if alone {
		n |= onlyWindows
	}
	if q.Geometry {
		n |= needExtents | needFaces
	}
	if len(q.Follow) > 0 {
		// To know how many children there are before they are asked for, and
		// what not to descend into.
		n |= needCount | needRole | needStates | needFaces
	}
	if len(q.PruneRoles) > 0 {
		n |= needRole | needStates
	}
	// An app that is asked for as a whole is told from its windows by its role.
	if !q.Windows {
		n |= needRole
	}
	return n
}

func (n need) windowsOnly() bool { return n&onlyWindows != 0 }

func (n need) any(of need) bool { return n&of != 0 }
