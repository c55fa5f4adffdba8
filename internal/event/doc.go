// Package event owns what happens outside of any one plugin: the names of the
// core:* events and which of them replace each other, the frame and coalescing
// key of an event (made once, whatever the number of listeners), the bus that
// finds an event's listeners, the injected time, and the one shared clock that
// drives everything periodic.
//
// It never queues, never waits on a listener and never talks to a child:
// delivery is a call that a bounded lane answers at once.
package event
