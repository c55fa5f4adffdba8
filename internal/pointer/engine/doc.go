// Package engine decides what becomes of each pointer event: gestures of one
// held button, back and forward buttons, and the wheel's transform.
//
// It is a pure function of state, configuration and event. The state has a
// constant size, nothing is allocated for an event, and no clock is read: time
// comes with the event. The engine performs nothing: it names an action, and
// it says which taps have to change; others do that.
package engine
