package tap

// The numbers of buttons in the configuration count as macOS does: 0 left, 1
// right, 2 middle, 3 back, 4 forward, then the rest. X11 counts from 1, has
// middle before right, and gives 4 to 7 to the wheel.
const (
	xLeft, xMiddle, xRight = 1, 2, 3
	xWheelUp, xWheelDown   = 4, 5
	xWheelLeft             = 6
	xWheelRight            = 7
	xFirstExtra            = 8
	firstExtra             = 3
)

// toX is the X11 number of a button.
func toX(button int32) uint32 {
	switch button {
	case 0:
		return xLeft
	case 1:
		return xRight
	case 2:
		return xMiddle
	}
	return uint32(button) + xFirstExtra - firstExtra
}

// fromX is the configuration's number of an X11 button; false for the wheel.
func fromX(x uint32) (int32, bool) {
	switch {
	case x == xLeft:
		return 0, true
	case x == xRight:
		return 1, true
	case x == xMiddle:
		return 2, true
	case x >= xFirstExtra:
		return int32(x) - xFirstExtra + firstExtra, true
	}
	return 0, false
}

// step is what a press of a wheel button means in notches: up and left are
// positive, as on macOS.
func step(x uint32) (vertical, horizontal int32) {
	switch x {
	case xWheelUp:
		return 1, 0
	case xWheelDown:
		return -1, 0
	case xWheelLeft:
		return 0, 1
	case xWheelRight:
		return 0, -1
	}
	return 0, 0
}

// wheelButton is the button to press for lines, and how often.
func wheelButton(lines int32, up, down byte) (button byte, times int32) {
	if lines < 0 {
		return down, -lines
	}
	return up, lines
}
