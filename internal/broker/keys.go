package broker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Key is one key press: a macOS virtual key code and what is held with it.
type Key struct {
	Code      int
	Modifiers []string // of modifiers, without repeats
}

// Keys presses keys.
type Keys interface {
	PostKeys(ctx context.Context, pid int, keys []Key, interval time.Duration) error
	PostGlobalKey(ctx context.Context, key Key) error
}

// modifiers are the names that Key uses, with what else is accepted for them.
var modifiers = [...]struct{ written, name string }{
	{"alt", "option"}, {"cmd", "command"}, {"command", "command"}, {"control", "control"}, {"ctrl", "control"},
	{"fn", "function"}, {"function", "function"}, {"option", "option"}, {"shift", "shift"}, {"super", "command"},
}

const (
	maxKeyCode      = 127 // macOS virtual key codes have seven bits
	defaultKeyPause = 12  // ms
)

// key reads `{key_code, modifiers}` out of o.
func key(o *protocol.Object) Key {
	k := Key{Code: int(o.Int("key_code"))}
	if o.Err() == nil && (k.Code < 0 || k.Code > maxKeyCode) {
		o.Fail("key_code", fmt.Sprintf("is not from 0 to %d", maxKeyCode))
	}
	list, _ := o.OptStrings("modifiers")
	for _, written := range list {
		i := slices.IndexFunc(modifiers[:], func(m struct{ written, name string }) bool { return m.written == written })
		if i < 0 {
			o.Fail("modifiers", "has an entry that is none of command, control, option, shift, function")
			break
		}
		if name := modifiers[i].name; !slices.Contains(k.Modifiers, name) {
			k.Modifiers = append(k.Modifiers, name)
		}
	}
	return k
}

func (b *Broker) postKeys(ctx context.Context, c *call) ([]byte, error) {
	pid := c.params.PID("pid")
	var keys []Key
	c.params.Objects("keys", func(o *protocol.Object) {
		// One over the limit tells that it is passed.
		if len(keys) > protocol.MaxPostKeys {
			o.IgnoreRest()
			return
		}
		keys = append(keys, key(o))
	})
	if c.params.Err() == nil && (len(keys) == 0 || len(keys) > protocol.MaxPostKeys) {
		c.params.Fail("keys", fmt.Sprintf("has not 1 to %d entries", protocol.MaxPostKeys))
	}
	ms := c.within("interval_ms", protocol.PostKeysMinInterval, protocol.PostKeysMaxInterval, defaultKeyPause)
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Keys == nil {
		return nil, unavailable("pressing keys", noAccessibility)
	}
	if err := b.o.Keys.PostKeys(ctx, pid, keys, time.Duration(ms)*time.Millisecond); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

func (b *Broker) postGlobalKey(ctx context.Context, c *call) ([]byte, error) {
	k := key(c.params)
	if c.params.Err() == nil && len(k.Modifiers) == 0 {
		c.params.Fail("modifiers", "has no entry: a key without one would be typed text")
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Keys == nil {
		return nil, unavailable("pressing keys", noAccessibility)
	}
	if err := b.o.Keys.PostGlobalKey(ctx, k); err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}
