package mac

import "github.com/flash-launcher/flash/protocol"

// FrameOf turns a rectangle of the accessibility interface or the window
// server into one of the wire. Both count in points; there y grows downwards
// from the primary screen's top left, on the wire upwards from its bottom left.
// Other screens, wherever they stand, lie in the same plane.
func FrameOf(primaryHeight, x, y, width, height float64) protocol.Frame {
	return protocol.Frame{X: x, Y: primaryHeight - (y + height), Width: width, Height: height}
}

// FrameOfValues is FrameOf for the position and the size of an element; nil
// where it has not both.
func FrameOfValues(primaryHeight float64, position, size Value) *protocol.Frame {
	if position.Kind != Point || size.Kind != Size {
		return nil
	}
	f := FrameOf(primaryHeight, position.Num[0], position.Num[1], size.Num[0], size.Num[1])
	if !f.Valid() {
		return nil
	}
	return &f
}
