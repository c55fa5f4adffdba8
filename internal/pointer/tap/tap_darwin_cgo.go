//go:build darwin && cgo

package tap

/*
#cgo LDFLAGS: -framework ApplicationServices -framework CoreFoundation -framework IOKit
#include <stdlib.h>
#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/pwr_mgt/IOPMLib.h>

// flashState is the C side of the tap. All references of Core Foundation stay
// in here: cgo gives them other Go types from one SDK to the next.
typedef struct {
	CFMachPortRef taps[2]; // primary, movement
	CFRunLoopSourceRef sources[2];
	CFRunLoopRef loop;
	CFRunLoopSourceRef doubt; // signalled when the grant may be gone
	io_connect_t power;
	IONotificationPortRef port;
	io_object_t notifier;
	CGPoint at;
	// The event that Go is asked about, and what it answers.
	uint64_t stamp;
	int64_t button, dx, dy, line1, line2, point1, point2, continuous, phase, mom, user, sender;
	double fixed1, fixed2;
} flashState;

// What Go answers.
enum { flashPass, flashDrop, flashModify };

extern int flashPointerEvent(uint32_t type, int movement);
extern void flashPointerPower(uint32_t message);
extern void flashPointerNotice(char *name);
extern void flashPointerDoubt(void);

// The event service that an event comes from. Core Graphics has no name for
// the field.
static const CGEventField flashSender = 87;

static void flashRead(flashState *s, CGEventType type, CGEventRef e) {
	s->at = CGEventGetLocation(e);
	s->stamp = CGEventGetTimestamp(e);
	s->user = CGEventGetIntegerValueField(e, kCGEventSourceUserData);
	s->sender = CGEventGetIntegerValueField(e, flashSender);
	if (type == kCGEventScrollWheel) {
		s->line1 = CGEventGetIntegerValueField(e, kCGScrollWheelEventDeltaAxis1);
		s->line2 = CGEventGetIntegerValueField(e, kCGScrollWheelEventDeltaAxis2);
		s->fixed1 = CGEventGetDoubleValueField(e, kCGScrollWheelEventFixedPtDeltaAxis1);
		s->fixed2 = CGEventGetDoubleValueField(e, kCGScrollWheelEventFixedPtDeltaAxis2);
		s->point1 = CGEventGetIntegerValueField(e, kCGScrollWheelEventPointDeltaAxis1);
		s->point2 = CGEventGetIntegerValueField(e, kCGScrollWheelEventPointDeltaAxis2);
		s->continuous = CGEventGetIntegerValueField(e, kCGScrollWheelEventIsContinuous);
		s->phase = CGEventGetIntegerValueField(e, kCGScrollWheelEventScrollPhase);
		s->mom = CGEventGetIntegerValueField(e, kCGScrollWheelEventMomentumPhase);
		return;
	}
	s->button = CGEventGetIntegerValueField(e, kCGMouseEventButtonNumber);
	s->dx = CGEventGetIntegerValueField(e, kCGMouseEventDeltaX);
	s->dy = CGEventGetIntegerValueField(e, kCGMouseEventDeltaY);
}

// Lines first: setting them makes Core Graphics derive the other two, which
// are then set to what they have to be.
static void flashWrite(flashState *s, CGEventRef e) {
	CGEventSetIntegerValueField(e, kCGScrollWheelEventDeltaAxis1, s->line1);
	CGEventSetIntegerValueField(e, kCGScrollWheelEventDeltaAxis2, s->line2);
	CGEventSetDoubleValueField(e, kCGScrollWheelEventFixedPtDeltaAxis1, s->fixed1);
	CGEventSetDoubleValueField(e, kCGScrollWheelEventFixedPtDeltaAxis2, s->fixed2);
	CGEventSetIntegerValueField(e, kCGScrollWheelEventPointDeltaAxis1, s->point1);
	CGEventSetIntegerValueField(e, kCGScrollWheelEventPointDeltaAxis2, s->point2);
}

static CGEventRef flashHandle(flashState *s, CGEventType type, CGEventRef e, int movement) {
	s->stamp = 0;
	if (type != kCGEventTapDisabledByTimeout && type != kCGEventTapDisabledByUserInput) flashRead(s, type, e);
	switch (flashPointerEvent(type, movement)) {
	case flashDrop:
		return NULL;
	case flashModify:
		flashWrite(s, e);
	}
	return e;
}

static CGEventRef flashPrimary(CGEventTapProxy p, CGEventType type, CGEventRef e, void *s) { return flashHandle(s, type, e, 0); }

static CGEventRef flashMovement(CGEventTapProxy p, CGEventType type, CGEventRef e, void *s) { return flashHandle(s, type, e, 1); }

// IOKit's messages about sleep, from IOMessage.h. A sleep waits for the answer.
enum { flashCanSleep = 0xe0000270, flashWillSleep = 0xe0000280, flashPoweredOn = 0xe0000300 };

static void flashPower(void *state, io_service_t service, uint32_t message, void *argument) {
	flashState *s = state;
	flashPointerPower(message);
	if (message == flashCanSleep || message == flashWillSleep) IOAllowPowerChange(s->power, (intptr_t)argument);
}

// On the main thread, and only where that runs its loop: the center of the session
// tells nobody else.
static void flashNotice(CFNotificationCenterRef center, void *state, CFStringRef name, const void *object, CFDictionaryRef info) {
	char text[64];
	if (CFStringGetCString(name, text, sizeof text, kCFStringEncodingUTF8)) flashPointerNotice(text);
}

static void flashDoubted(void *state) { flashPointerDoubt(); }

static void flashEnable(flashState *s, int which, int on) {
	if (s->taps[which] != NULL) CGEventTapEnable(s->taps[which], on != 0);
}

static int flashEnabled(flashState *s) { return s->taps[0] != NULL && CGEventTapIsEnabled(s->taps[0]); }

static int flashOpen(flashState *s, CGEventMask primary, CGEventMask movement) {
	CGEventMask masks[2] = {primary, movement};
	CGEventTapCallBack callbacks[2] = {flashPrimary, flashMovement};
	s->loop = CFRunLoopGetCurrent();
	for (int i = 0; i < 2; i++) {
		s->taps[i] = CGEventTapCreate(kCGSessionEventTap, kCGHeadInsertEventTap, kCGEventTapOptionDefault, masks[i], callbacks[i], s);
		if (s->taps[i] == NULL) return 0;
		s->sources[i] = CFMachPortCreateRunLoopSource(kCFAllocatorDefault, s->taps[i], 0);
		CFRunLoopAddSource(s->loop, s->sources[i], kCFRunLoopCommonModes);
	}
	CFRunLoopSourceContext c = {0};
	c.perform = flashDoubted;
	s->doubt = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &c);
	CFRunLoopAddSource(s->loop, s->doubt, kCFRunLoopCommonModes);
	s->power = IORegisterForSystemPower(s, &s->port, flashPower, &s->notifier);
	if (s->power != 0) CFRunLoopAddSource(s->loop, IONotificationPortGetRunLoopSource(s->port), kCFRunLoopCommonModes);
	return 1;
}

static void flashObserve(flashState *s, const char *name) {
	CFStringRef n = CFStringCreateWithCString(kCFAllocatorDefault, name, kCFStringEncodingUTF8);
	CFNotificationCenterAddObserver(CFNotificationCenterGetDistributedCenter(), s, flashNotice, n, NULL,
		CFNotificationSuspensionBehaviorDeliverImmediately);
	CFRelease(n);
}

// Without the invalidation the window server keeps a tap whose owner lives on.
static void flashClose(flashState *s) {
	for (int i = 0; i < 2; i++) {
		if (s->taps[i] == NULL) continue;
		CGEventTapEnable(s->taps[i], false);
		CFMachPortInvalidate(s->taps[i]);
		CFRunLoopRemoveSource(s->loop, s->sources[i], kCFRunLoopCommonModes);
		CFRelease(s->sources[i]);
		CFRelease(s->taps[i]);
		s->taps[i] = NULL;
	}
	if (s->doubt != NULL) {
		CFRunLoopSourceInvalidate(s->doubt);
		CFRelease(s->doubt);
		s->doubt = NULL;
	}
	if (s->power != 0) {
		CFRunLoopRemoveSource(s->loop, IONotificationPortGetRunLoopSource(s->port), kCFRunLoopCommonModes);
		IODeregisterForSystemPower(&s->notifier);
		IOServiceClose(s->power);
		IONotificationPortDestroy(s->port);
		s->power = 0;
	}
	CFNotificationCenterRemoveEveryObserver(CFNotificationCenterGetDistributedCenter(), s);
}

static void flashDoubt(flashState *s) {
	CFRunLoopSourceSignal(s->doubt);
	CFRunLoopWakeUp(s->loop);
}

static void flashStop(flashState *s) { if (s->loop != NULL) CFRunLoopStop(s->loop); }

static void flashClick(flashState *s, uint32_t button, int64_t tag) {
	CGEventType kinds[2] = {kCGEventOtherMouseDown, kCGEventOtherMouseUp};
	for (int i = 0; i < 2; i++) {
		CGEventRef e = CGEventCreateMouseEvent(NULL, kinds[i], s->at, button);
		if (e == NULL) return;
		CGEventSetIntegerValueField(e, kCGEventSourceUserData, tag);
		CGEventPost(kCGSessionEventTap, e);
		CFRelease(e);
	}
}
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	macos "github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// macPrimary and macMovement are the masks of the two taps.
const (
	macPrimary  = 1<<macScroll | 1<<macOtherDown | 1<<macOtherUp
	macMovement = 1<<macMouseMoved | 1<<macLeftDragged | 1<<macRightDragged | 1<<macOtherDragged
)

// mac is the tap. One exists in a process: the callbacks of Core Graphics find
// it here. Everything but the table is the run loop's thread's.
type mac struct {
	o       Options
	c       *C.flashState
	gate    macGate
	table   atomic.Pointer[macTable]
	rescan  chan struct{}
	poke    chan struct{} // the grant is to be looked at
	ticks   uint64        // of the processor's clock, in a second
	loopMu  sync.Mutex    // held while another thread wakes the loop
	loopEnd bool          // there is none any more
	notices []string      // what the main thread heard, for the taps'
	closing atomic.Bool
	ended   chan struct{} // the run loop's thread is through
	done    chan struct{}
	once    sync.Once
	err     error
	wg      sync.WaitGroup
}

var current atomic.Pointer[mac]

// Open opens the platform's tap.
func Open(o Options) (Source, error) {
	if err := Probe(""); err != nil {
		return nil, err
	}
	m := &mac{
		o: o, c: (*C.flashState)(C.calloc(1, C.sizeof_flashState)),
		rescan: make(chan struct{}, 1), poke: make(chan struct{}, 1), ticks: ticksPerSecond(), ended: make(chan struct{}), done: make(chan struct{}),
	}
	m.gate = macGate{control: m, mode: o.Mode, handle: o.Handle, end: m.end}
	m.table.Store(newMacTable(o.Settings, listHID(), m.ticks))
	if !current.CompareAndSwap(nil, m) {
		C.free(unsafe.Pointer(m.c))
		return nil, fmt.Errorf("this process has a tap already")
	}
	ready := make(chan error, 1)
	go m.run(ready)
	if err := <-ready; err != nil {
		<-m.ended
		m.free()
		return nil, err
	}
	m.wg.Go(m.scan)
	m.wg.Go(func() { watchTrust(m.poke, m.done, time.After, m.trusted, func() { m.tell() }) })
	return m, nil
}

// ticksPerSecond is 0 where macOS does not say, on old Intel machines, whose
// clock counts nanoseconds.
func ticksPerSecond() uint64 {
	hz, err := unix.SysctlUint64("hw.tbfrequency")
	if err != nil {
		return 0
	}
	return hz
}

func (m *mac) free() {
	current.Store(nil)
	C.free(unsafe.Pointer(m.c))
}

// run is the thread that the taps belong to.
func (m *mac) run(ready chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(m.ended)
	defer m.closeLoop()
	if C.flashOpen(m.c, macPrimary, macMovement) == 0 {
		ready <- fmt.Errorf("%w: macOS gives no event tap; allow flash in System Settings, Privacy & Security, Accessibility", ErrPermission)
		return
	}
	m.gate.start()
	for _, name := range [...]string{noticeAccess, noticeLocked, noticeUnlocked} {
		c := C.CString(name)
		C.flashObserve(m.c, c)
		C.free(unsafe.Pointer(c))
	}
	ready <- nil
	for !m.closing.Load() {
		macos.RunLoop()
	}
}

// closeLoop ends the taps. Nobody signals the loop any more then.
func (m *mac) closeLoop() {
	m.loopMu.Lock()
	m.loopEnd = true
	m.loopMu.Unlock()
	C.flashClose(m.c)
}

// tell has the taps' thread look at the grant, and at the notices.
func (m *mac) tell(notices ...string) {
	m.loopMu.Lock()
	defer m.loopMu.Unlock()
	if !m.loopEnd {
		m.notices = append(m.notices, notices...)
		C.flashDoubt(m.c)
	}
}

func (m *mac) told() []string {
	m.loopMu.Lock()
	defer m.loopMu.Unlock()
	notices := m.notices
	m.notices = nil
	return notices
}

func (m *mac) enable(which int, on bool) {
	var v C.int
	if on {
		v = 1
	}
	C.flashEnable(m.c, C.int(which), v)
}

func (m *mac) enabled() bool { return C.flashEnabled(m.c) != 0 }
func (m *mac) trusted() bool { return C.AXIsProcessTrusted() != 0 }

func (m *mac) look() {
	select {
	case m.poke <- struct{}{}:
	default: // it is about to be
	}
}

//export flashPointerEvent
func flashPointerEvent(typ C.uint32_t, movementTap C.int) C.int {
	m := current.Load()
	c := m.c
	fields := macFields{
		kind: uint32(typ), stamp: uint64(c.stamp), now: uptime(), button: int64(c.button), dx: int64(c.dx), dy: int64(c.dy),
		line1: int64(c.line1), line2: int64(c.line2), fixed1: float64(c.fixed1), fixed2: float64(c.fixed2),
		point1: int64(c.point1), point2: int64(c.point2), continuous: int64(c.continuous), phase: int64(c.phase), mom: int64(c.mom),
		userData: int64(c.user), sender: int64(c.sender), movementTap: movementTap != 0, meantToMove: m.gate.moving,
	}
	if !m.table.Load().event(&fields, &m.gate.event) {
		return C.flashPass
	}
	if e := &m.gate.event; e.Kind != engine.TapDisabled && e.Dev == 0 && fields.sender != 0 {
		m.unknown()
	}
	d := m.gate.decide()
	switch d.Verdict {
	case engine.Drop:
		return C.flashDrop
	case engine.Modify:
		v, h := d.Vertical, d.Horizontal
		c.line1, c.fixed1, c.point1 = C.int64_t(v.Line), C.double(v.Value), C.int64_t(v.Point)
		c.line2, c.fixed2, c.point2 = C.int64_t(h.Line), C.double(h.Value), C.int64_t(h.Point)
		return C.flashModify
	}
	return C.flashPass
}

//export flashPointerPower
func flashPointerPower(message C.uint32_t) { current.Load().gate.power(uint32(message)) }

//export flashPointerDoubt
func flashPointerDoubt() {
	m := current.Load()
	for _, n := range m.told() {
		m.gate.notice(n)
	}
	m.gate.doubt()
}

//export flashPointerNotice
func flashPointerNotice(name *C.char) {
	if m := current.Load(); m != nil {
		m.tell(C.GoString(name))
	}
}

// uptime is the clock that events are stamped by, in nanoseconds.
func uptime() uint64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &t); err != nil {
		return 0
	}
	return uint64(t.Nano())
}

// unknown asks for a new look at the devices: one came after the last.
func (m *mac) unknown() {
	select {
	case m.rescan <- struct{}{}:
	default:
	}
}

// scan reads the device list again when an event comes from one that it lacks.
// A sender that no list names is remembered as such, or each of its events
// would cause a look.
func (m *mac) scan() {
	for {
		select {
		case <-m.done:
			return
		case <-m.rescan:
			m.table.Store(newMacTable(m.o.Settings, listHID(), m.ticks))
			select {
			case <-m.done:
				return
			case <-time.After(rescanEvery):
			}
		}
	}
}

// rescanEvery keeps a sender that no list names from causing look after look.
const rescanEvery = time.Minute

func (m *mac) end(err error) {
	m.once.Do(func() {
		m.err = err
		close(m.done)
	})
}

func (m *mac) Done() <-chan struct{} { return m.done }
func (m *mac) Err() error            { return m.err }

func (m *mac) DeviceName(d engine.Device) string {
	for _, k := range m.table.Load().devices {
		if k.ID == d {
			return k.Name
		}
	}
	return ""
}

func (m *mac) Replay(button int32) { C.flashClick(m.c, C.uint32_t(button), macTag) }

func (m *mac) Close() {
	m.end(nil)
	m.closing.Store(true)
	// A loop that has not begun to run yet is not stopped by being told once.
	for {
		C.flashStop(m.c)
		select {
		case <-m.ended:
			m.wg.Wait()
			m.free()
			return
		case <-time.After(stopEvery):
		}
	}
}

const stopEvery = 10 * time.Millisecond

// Probe says whether input could be tapped now, without tapping any.
func Probe(string) error {
	if C.AXIsProcessTrusted() == 0 {
		return fmt.Errorf("%w: allow flash in System Settings, Privacy & Security, Accessibility", ErrPermission)
	}
	return nil
}
