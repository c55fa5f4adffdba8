//go:build darwin && cgo

package hotkey

/*
#cgo LDFLAGS: -framework Carbon -framework CoreFoundation
#include <Carbon/Carbon.h>

extern void flashHotKey(uint32_t id);
extern void flashLayoutChanged(void);

static OSStatus flashHotKeyEvent(EventHandlerCallRef next, EventRef e, void *data) {
	EventHotKeyID id;
	OSStatus err = GetEventParameter(e, kEventParamDirectObject, typeEventHotKeyID, NULL, sizeof id, NULL, &id);
	if (err == 0) flashHotKey(id.id);
	return err;
}

static void flashLayoutEvent(CFNotificationCenterRef c, void *o, CFNotificationName n, const void *obj, CFDictionaryRef info) {
	flashLayoutChanged();
}

// The handler and the observer stay for the life of the process.
static int32_t flashHotKeyStart(void) {
	EventTypeSpec kind = { kEventClassKeyboard, kEventHotKeyPressed };
	OSStatus err = InstallEventHandler(GetApplicationEventTarget(), flashHotKeyEvent, 1, &kind, NULL, NULL);
	if (err != 0) return err;
	static int observer;
	CFNotificationCenterAddObserver(CFNotificationCenterGetDistributedCenter(), &observer, flashLayoutEvent,
		kTISNotifySelectedKeyboardInputSourceChanged, NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
	return 0;
}

static int32_t flashRegister(uint32_t id, uint32_t code, uint32_t mods, void **ref) {
	EventHotKeyID key = { 0x466c7368, id }; // 'Flsh'
	return RegisterEventHotKey(code, mods, key, GetApplicationEventTarget(), 0, (EventHotKeyRef *)ref);
}

static void flashUnregister(void *ref) { UnregisterEventHotKey((EventHotKeyRef)ref); }

// flashTranslate writes what a key writes in UTF-16 and returns its length.
static int flashTranslate(const UCKeyboardLayout *layout, uint16_t code, uint32_t held, UniChar *out, int room) {
	UInt32 dead = 0;
	UniCharCount n = 0;
	OSStatus err = UCKeyTranslate(layout, code, kUCKeyActionDisplay, held >> 8 & 0xff, LMGetKbdType(), kUCKeyTranslateNoDeadKeysMask, &dead, room, &n, out);
	return err == 0 ? (int)n : 0;
}

// flashLayout asks a layout for all its keys, with each of the modifiers.
static int flashLayout(int latin, const uint32_t *held, int helds, int keys, uint16_t *out, uint8_t *lengths, int room) {
	TISInputSourceRef source = latin ? TISCopyCurrentASCIICapableKeyboardLayoutInputSource() : TISCopyCurrentKeyboardLayoutInputSource();
	if (!source) return 0;
	CFDataRef data = (CFDataRef)TISGetInputSourceProperty(source, kTISPropertyUnicodeKeyLayoutData);
	if (data) {
		const UCKeyboardLayout *layout = (const UCKeyboardLayout *)CFDataGetBytePtr(data);
		for (int h = 0; h < helds; h++)
			for (int k = 0; k < keys; k++)
				lengths[h * keys + k] = flashTranslate(layout, k, held[h], out + (h * keys + k) * room, room);
	}
	CFRelease(source);
	return data != NULL;
}

static uint32_t flashNumber(CFDictionaryRef d, CFStringRef key) {
	int64_t n = 0;
	CFNumberRef v = (CFNumberRef)CFDictionaryGetValue(d, key);
	if (v) CFNumberGetValue(v, kCFNumberSInt64Type, &n);
	return (uint32_t)n;
}

// flashShortcuts lists the system's shortcuts that are on, as pairs.
static int flashShortcuts(uint32_t *out, int room) {
	CFArrayRef all = NULL;
	if (CopySymbolicHotKeys(&all) != 0 || !all) return 0;
	int n = 0;
	for (CFIndex i = 0; i < CFArrayGetCount(all) && n < room; i++) {
		CFDictionaryRef d = (CFDictionaryRef)CFArrayGetValueAtIndex(all, i);
		CFBooleanRef on = (CFBooleanRef)CFDictionaryGetValue(d, kHISymbolicHotKeyEnabled);
		if (!on || !CFBooleanGetValue(on)) continue;
		out[2 * n] = flashNumber(d, kHISymbolicHotKeyCode);
		out[2 * n + 1] = flashNumber(d, kHISymbolicHotKeyModifiers);
		n++;
	}
	CFRelease(all);
	return n;
}
*/
import "C"

import (
	"log/slog"
	"unicode/utf16"
	"unsafe"
)

// Options say where the keys are and who is told.
type Options struct {
	// OnMain runs a function on the main thread and waits for it. All calls of
	// Carbon are made there.
	OnMain func(func())
	// Pressed runs on the main thread.
	Pressed func(id string)
	// Conflicts, if set, is told on the main thread what does not work each time
	// that the layout changed; else it is logged.
	Conflicts func([]Conflict)
	Logger    *slog.Logger
}

// Keys are the hot keys of the process; there is one at a time.
type Keys struct {
	o     Options
	bound *macBound
	refs  map[uint32]unsafe.Pointer
}

// carbon is what Carbon's callbacks find. It belongs to the main thread.
var carbon struct {
	keys    *Keys
	started bool
	failed  int32
}

// New makes hot keys; Set binds some.
func New(o Options) *Keys {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	k := &Keys{o: o, refs: map[uint32]unsafe.Pointer{}}
	k.bound = newMacBound(k)
	return k
}

// Set replaces all bindings and says which of them do not work. Never call it
// on the main thread.
func (k *Keys) Set(bindings []Binding) []Conflict {
	out := make(chan []Conflict, 1)
	k.o.OnMain(func() {
		if !carbon.started {
			carbon.started, carbon.failed = true, int32(C.flashHotKeyStart())
		}
		carbon.keys = k
		out <- k.bound.set(bindings)
	})
	select {
	case c := <-out:
		return c
	default:
		return nil // the main thread is ending
	}
}

// Close lets go of all keys. Never call it on the main thread.
func (k *Keys) Close() {
	k.o.OnMain(func() {
		k.bound.set(nil)
		if carbon.keys == k {
			carbon.keys = nil
		}
	})
}

//export flashHotKey
func flashHotKey(id C.uint32_t) {
	k := carbon.keys
	if k == nil {
		return
	}
	if name := k.bound.pressed(uint32(id)); name != "" {
		k.o.Pressed(name)
	}
}

//export flashLayoutChanged
func flashLayoutChanged() {
	k := carbon.keys
	if k == nil || len(k.bound.bindings) == 0 {
		return
	}
	conflicts := k.bound.bind()
	if k.o.Conflicts != nil {
		k.o.Conflicts(conflicts)
		return
	}
	for _, c := range conflicts {
		k.o.Logger.Warn("a hot key does not work with the new keyboard layout", "chord", string(c.Chord), "problem", c.Problem, "remedy", c.Remedy)
	}
}

// keyUnits is how many units of UTF-16 a key may write here: what writes more is
// no key of a chord.
const keyUnits = 4

func (k *Keys) layouts() []macLayout {
	var out []macLayout
	held := [macHeld]C.uint32_t{macPlain: 0, macWithShift: macShift, macWithOption: macOption, macWithShiftOption: macShift | macOption, macWithCommand: macCommand}
	for latin := range 2 {
		var units [macHeld * macKeys * keyUnits]C.uint16_t
		var lengths [macHeld * macKeys]C.uint8_t
		if C.flashLayout(C.int(latin), &held[0], macHeld, macKeys, &units[0], &lengths[0], keyUnits) == 0 {
			continue
		}
		var l macLayout
		for h := range macHeld {
			for key := range macKeys {
				at := h*macKeys + key
				text := make([]uint16, min(int(lengths[at]), keyUnits))
				for i := range text {
					text[i] = uint16(units[at*keyUnits+i])
				}
				l[h][key] = string(utf16.Decode(text))
			}
		}
		out = append(out, l)
	}
	return out
}

// maxShortcuts is more than macOS has.
const maxShortcuts = 512

func (k *Keys) shortcuts() []macStroke {
	var pairs [2 * maxShortcuts]C.uint32_t
	n := int(C.flashShortcuts(&pairs[0], maxShortcuts))
	out := make([]macStroke, n)
	for i := range out {
		out[i] = macShortcut(uint32(pairs[2*i]), uint32(pairs[2*i+1]))
	}
	return out
}

func (k *Keys) register(id uint32, s macStroke) int32 {
	if carbon.failed != 0 {
		return carbon.failed
	}
	var ref unsafe.Pointer
	if err := C.flashRegister(C.uint32_t(id), C.uint32_t(s.code), C.uint32_t(s.mods), &ref); err != 0 {
		return int32(err)
	}
	k.refs[id] = ref
	return 0
}

func (k *Keys) unregister(id uint32) {
	if ref := k.refs[id]; ref != nil {
		C.flashUnregister(ref)
		delete(k.refs, id)
	}
}
