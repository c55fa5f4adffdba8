package portal

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/hotkey"
)

const (
	portalName = "org.freedesktop.portal.Desktop"
	portalPath = "/org/freedesktop/portal/desktop"
	shortcuts  = "org.freedesktop.portal.GlobalShortcuts"
	requests   = "org.freedesktop.portal.Request"
	sessions   = "org.freedesktop.portal.Session"
	registry   = "org.freedesktop.host.portal.Registry"
	// maxSignals is how many signals wait while a call is under way.
	maxSignals = 64
)

// The answers to a request.
const (
	granted   = 0
	cancelled = 1
)

// Shortcut is a hot key and what its user is told of it.
type Shortcut struct {
	hotkey.Binding
	Description string
}

// Options say who asks and who is told.
type Options struct {
	// Bus is for the portal alone: an application is known there by its
	// connection, from its first call.
	Bus *bus.Bus
	// AppID is the id of the desktop entry that the desktop shows, "" for none.
	AppID string
	Env   []string // of the session, in the form of os.Environ
	// Pressed runs on a goroutine of the keys, and must not close them.
	Pressed func(id string)
	Logger  *slog.Logger
}

// Keys are the shortcuts of one session.
type Keys struct {
	o       Options
	signals chan *dbus.Signal
	wake    chan struct{} // what mu guards changed
	done    chan struct{}
	ended   sync.WaitGroup
	unwatch func()

	mu     sync.Mutex
	want   []Shortcut
	owned  bool // the portal was told to be there, or gone
	gone   bool // since the last look
	closed bool
	state  state

	// What follows is touched on the serving goroutine only.
	heeded  bool            // the bus follows the portal: no answer is missed
	bound   []Shortcut      // of the session under way
	owner   string          // who has the portal's name
	session dbus.ObjectPath // "" while there is none
	request dbus.ObjectPath // the one under way
	tokens  int
}

// state is what became of the shortcuts.
type state struct {
	triggers map[string]string // of what is bound, by id, as the desktop writes them
	problem  string
}

// New makes shortcuts; Set binds some. It asks nobody before.
func New(o Options) *Keys {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Keys{o: o, signals: make(chan *dbus.Signal, maxSignals), wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// Set replaces all shortcuts, and waits for nothing: the desktop may ask its user
// first.
func (k *Keys) Set(all []Shortcut) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.want = slices.Clone(all)
	if k.unwatch == nil && len(all) > 0 {
		k.ended.Go(k.serve)
		k.unwatch = k.o.Bus.Follow(&bus.Watch{
			Name: portalName,
			Rules: []bus.Rule{
				{Path: portalPath, Interface: shortcuts},
				{Under: portalPath + "/request", Interface: requests, Member: "Response"},
				{Under: portalPath + "/session", Interface: sessions, Member: "Closed"},
			},
			Owner: k.told,
			Signal: func(s *dbus.Signal) {
				select {
				case k.signals <- s:
				case <-k.done:
				}
			},
		})
	}
	k.signal()
}

func (k *Keys) told(present bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.owned, k.gone = true, k.gone || !present
	k.signal()
}

func (k *Keys) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Close gives the shortcuts back. The bus stays its owner's.
func (k *Keys) Close() {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return
	}
	k.closed = true
	close(k.done)
	unwatch := k.unwatch
	k.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	k.ended.Wait()
}

// Describe says with which keys the shortcuts are bound, or what to do.
func (k *Keys) Describe() (backend, remedy string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.want) == 0 {
		return "", "name a key in [hotkeys]"
	}
	advice := Advice(k.o.Env, k.want[0].Chord)
	if k.o.Bus.Address() == "" {
		return "", "there is no session bus with a portal for hot keys; " + advice
	}
	if k.state.problem != "" {
		return "", k.state.problem + "; " + advice
	}
	if k.state.triggers == nil {
		return "", "the desktop was asked for the keys and has not answered yet; answer it, or " + advice
	}
	var keys, none []string
	for _, s := range k.want {
		switch t, ok := k.state.triggers[s.ID]; {
		case t != "":
			keys = append(keys, t)
		case ok:
			none = append(none, string(s.Chord))
		}
	}
	if len(keys) == 0 && len(none) == 0 {
		return "", "the desktop bound none of the keys; set them in its keyboard settings, or " + advice
	}
	if len(keys) == 0 {
		// Some desktops bind and do not say to what.
		keys = none
	}
	return "portal (" + strings.Join(keys, ", ") + ")", ""
}

func (k *Keys) serve() {
	defer k.end()
	for {
		select {
		case <-k.done:
			return
		case <-k.wake:
			k.settle()
		case s := <-k.signals:
			k.heard(s)
		}
	}
}

// settle brings the session to what is wanted.
func (k *Keys) settle() {
	k.mu.Lock()
	want, owned, gone := k.want, k.owned, k.gone
	k.owned, k.gone = false, false
	k.mu.Unlock()
	fresh := !slices.Equal(want, k.bound)
	if owned {
		k.heeded = true
		before := k.owner
		k.look()
		if gone && before != "" || before != k.owner {
			// What there was is gone with the portal. One that gave keys is begun
			// again with; one that ends before it does is left alone.
			k.session, k.request = "", ""
			fresh = fresh || k.owner != "" || k.works()
		}
	}
	if !fresh || !k.heeded {
		return
	}
	k.end()
	k.bound = want
	if len(want) > 0 {
		k.begin()
	}
}

// look notes who is the portal.
func (k *Keys) look() {
	k.owner = ""
	_ = k.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetNameOwner", []any{&k.owner}, portalName)
}

func (k *Keys) works() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state.triggers != nil
}

// end gives up the session under way.
func (k *Keys) end() {
	for _, path := range []*dbus.ObjectPath{&k.request, &k.session} {
		if *path == "" {
			continue
		}
		face := sessions
		if path == &k.request {
			face = requests
		}
		_ = k.call(portalName, string(*path), face+".Close", nil)
		*path = ""
	}
	k.become(state{})
}

func (k *Keys) become(s state) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state = s
}

func (k *Keys) fail(problem string, err error) {
	if err != nil {
		problem += ": " + err.Error()
	}
	k.request = ""
	k.o.Logger.Warn("the desktop's portal gives no hot keys", "problem", problem)
	k.become(state{problem: problem})
}

func (k *Keys) call(dest, path, method string, out []any, args ...any) error {
	return k.o.Bus.Call(context.Background(), dest, path, method, 0, out, args...)
}

// token is a part of the paths of what a call makes.
func (k *Keys) token() dbus.Variant {
	k.tokens++
	return dbus.MakeVariant("flash" + strconv.Itoa(k.tokens))
}

// begin creates a session. Whether there is the portal's part for shortcuts is
// told by its version, which also starts a portal that does not run.
func (k *Keys) begin() {
	if k.o.AppID != "" {
		// Portals before 1.19 know no such thing, and later ones only ids that have
		// a desktop entry: an application without a name is asked for all the same.
		_ = k.call(portalName, portalPath, registry+".Register", nil, k.o.AppID, map[string]dbus.Variant{})
	}
	var version dbus.Variant
	err := k.call(portalName, portalPath, "org.freedesktop.DBus.Properties.Get", []any{&version}, shortcuts, "version")
	k.look() // it may have been started for the question
	if err != nil {
		k.become(state{problem: "this desktop has no portal for hot keys"})
		return
	}
	err = k.call(portalName, portalPath, shortcuts+".CreateSession", []any{&k.request},
		map[string]dbus.Variant{"handle_token": k.token(), "session_handle_token": k.token()})
	if err != nil {
		k.fail("the desktop's portal gives no hot keys", err)
	}
}

// wanted is a shortcut as it is on the bus.
type wanted struct {
	ID      string
	Details map[string]dbus.Variant
}

func (k *Keys) bind() {
	all := make([]wanted, len(k.bound))
	for i, s := range k.bound {
		all[i] = wanted{s.ID, map[string]dbus.Variant{
			"description": dbus.MakeVariant(s.Description), "preferred_trigger": dbus.MakeVariant(trigger(s.Chord)),
		}}
	}
	err := k.call(portalName, portalPath, shortcuts+".BindShortcuts", []any{&k.request},
		k.session, all, "", map[string]dbus.Variant{"handle_token": k.token()})
	if err != nil {
		k.fail("the desktop's portal does not bind the hot keys", err)
	}
}

// heard takes a signal of the portal.
func (k *Keys) heard(s *dbus.Signal) {
	switch s.Name {
	case requests + ".Response":
		var code uint32
		var results map[string]dbus.Variant
		if s.Path == k.request && k.request != "" && dbus.Store(s.Body, &code, &results) == nil {
			k.request = ""
			k.answered(code, results)
		}
	case shortcuts + ".Activated":
		if len(s.Body) >= 2 && s.Body[0] == k.session && k.session != "" {
			if id, ok := s.Body[1].(string); ok && slices.ContainsFunc(k.bound, func(b Shortcut) bool { return b.ID == id }) {
				k.o.Pressed(id)
			}
		}
	case shortcuts + ".ShortcutsChanged":
		if len(s.Body) >= 2 && s.Body[0] == k.session && k.session != "" {
			k.become(state{triggers: triggers(dbus.MakeVariant(s.Body[1]))})
		}
	case sessions + ".Closed":
		if s.Path == k.session && k.session != "" {
			k.session = ""
			k.fail("the desktop took the hot keys back", nil)
		}
	}
}

// answered goes on to the next step.
func (k *Keys) answered(code uint32, results map[string]dbus.Variant) {
	switch {
	case code == cancelled:
		k.fail("the hot keys were not allowed", nil)
	case code != granted:
		k.fail("the desktop did not give the hot keys", nil)
	case k.session == "":
		switch path := results["session_handle"].Value().(type) {
		case string: // as the portal has it, by an old mistake
			k.session = dbus.ObjectPath(path)
		case dbus.ObjectPath:
			k.session = path
		}
		if !k.session.IsValid() {
			k.session = ""
			k.fail("the desktop's portal names no session", nil)
			return
		}
		k.bind()
	default:
		k.become(state{triggers: triggers(results["shortcuts"])})
	}
}

// triggers are the keys that the desktop states, by shortcut.
func triggers(v dbus.Variant) map[string]string {
	out := map[string]string{}
	var all []wanted
	if v.Value() == nil || dbus.Store([]any{v.Value()}, &all) != nil {
		return out
	}
	for _, w := range all {
		t, _ := w.Details["trigger_description"].Value().(string)
		out[w.ID] = t
	}
	return out
}
