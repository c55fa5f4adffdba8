package ax

import (
	"context"
	"errors"

	"github.com/godbus/dbus/v5"
)

// match makes the bus deliver what matches wanted, and no more.
func (l *link) match(ctx context.Context, wanted map[string]struct{}) error {
	var calls []*dbus.Call
	ask := func(method, rule string) {
		calls = append(calls, l.bus.BusObject().GoWithContext(ctx, busName+method, 0, make(chan *dbus.Call, 1), rule))
	}
	for rule := range wanted {
		if _, have := l.rules[rule]; !have {
			l.rules[rule] = struct{}{}
			ask(".AddMatch", rule)
		}
	}
	adding := len(calls)
	for rule := range l.rules {
		if _, want := wanted[rule]; !want {
			delete(l.rules, rule)
			// The bus removes by itself the rules of a sender that left, so
			// the answer may be that there is none.
			ask(".RemoveMatch", rule)
		}
	}
	for i, c := range calls {
		<-c.Done
		if c.Err != nil && (i < adding || !isBusError(c.Err)) {
			return &stageError{"match rules", c.Err}
		}
	}
	return nil
}

// register tells the registry which events these apps are to send. Each app
// that the registry does not single out sends them too, to nobody.
func (l *link) register(ctx context.Context, events, senders []string) error {
	l.mu.Lock()
	replaced := l.replaced
	l.replaced = false
	l.mu.Unlock()
	if replaced {
		// Registering starts it again, so one that crashes is given time.
		l.events = map[registration]struct{}{}
		return &stageError{"registry", errLost}
	}
	wanted := map[registration]struct{}{}
	still := map[string]bool{}
	for _, e := range events {
		still[e] = true
		for _, app := range senders {
			wanted[registration{e, app}] = struct{}{}
		}
	}
	registry := l.bus.Object(registryName, registryPath)
	for r := range l.events {
		if _, want := wanted[r]; want {
			continue
		}
		delete(l.events, r)
		if !still[r.event] {
			still[r.event] = true // once for all apps
			if err := registry.CallWithContext(ctx, registryName+".DeregisterEvent", 0, r.event).Err; err != nil && !isBusError(err) {
				return &stageError{"registry", err}
			}
		}
	}
	for r := range wanted {
		if _, have := l.events[r]; have {
			continue
		}
		if err := l.registerOne(ctx, registry, r); err != nil {
			return &stageError{"registry", err}
		}
		l.events[r] = struct{}{}
	}
	return nil
}

// registerOne registers in the form that this registry knows: newer ones take
// the properties that the signal is to carry, and the app.
func (l *link) registerOne(ctx context.Context, registry dbus.BusObject, r registration) error {
	forms := [...][]any{{r.event, []string{}, r.app}, {r.event, []string{}}, {r.event}}
	for {
		err := registry.CallWithContext(ctx, registryName+".RegisterEvent", 0, forms[l.argument]...).Err
		var e dbus.Error
		if errors.As(err, &e) && wrongForm(e.Name) && l.argument < len(forms)-1 {
			l.argument++
			continue
		}
		return err
	}
}

func wrongForm(name string) bool {
	switch name {
	case busName + ".Error.InvalidArgs", busName + ".Error.UnknownMethod", busName + ".Error.InvalidSignature":
		return true
	}
	return false
}
