package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// Caller is the child that asks, as its supervisor knows it.
type Caller struct {
	PluginID     string
	Capabilities func(capability string) bool // what its manifest declares; nil is nothing
	FetchURLs    []string                     // the manifest's and the configuration's
	DataDir      string
	Generation   uint64
}

// Options is what the broker works with. A nil facet answers that it is not
// available; Time, Logger, Fetcher and Processes have working defaults.
type Options struct {
	Opener        Opener
	Clipboard     Clipboard
	Notifier      Notifier
	Windows       Windows
	MediaKeys     MediaKeys
	Wifi          Wifi
	Accessibility Accessibility
	Keys          Keys
	Processes     Processes
	Fetcher       *Fetcher
	Time          event.Time
	Logger        *slog.Logger
	// Unavailable is what a facet's error wraps when the session cannot serve
	// it. Such an error says the remedy and is told to the plugin; the text of
	// any other stays here, for it may hold what the plugin gave.
	Unavailable error
}

// concurrent is how many calls of one plugin run at once; the others wait
// their turn within their own deadline. The transport admits 64.
const concurrent = 8

// Broker answers host calls. It is safe for concurrent use.
type Broker struct {
	o      Options
	ax     axHandles
	notes  lastTimes
	listed listedProcesses

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane bounds the calls of one plugin. It exists while one is in flight.
type lane struct {
	users   int
	slots   chan struct{}
	storage chan struct{} // one at a time: a set reads, changes and writes
}

// New returns a broker.
func New(o Options) *Broker {
	if o.Time == nil {
		o.Time = event.System()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Fetcher == nil {
		o.Fetcher = NewFetcher(FetchOptions{Time: o.Time})
	}
	if o.Processes == nil {
		o.Processes = SystemProcesses()
	}
	return &Broker{o: o, lanes: map[string]*lane{}}
}

// Close lets go of idle connections.
func (b *Broker) Close() { b.o.Fetcher.Close() }

// Forget drops what is remembered for a plugin: its accessibility handles and
// the processes that it was told of. Call it when a child has gone.
func (b *Broker) Forget(plugin string) {
	b.ax.forget(plugin)
	b.listed.forget(plugin)
}

// call is one host call on its way.
type call struct {
	Caller
	method string
	raw    []byte // params as they came, {} when they were absent
	params *protocol.Object
	lane   *lane
}

// refusal is an error whose text is free of content and meant for the plugin.
type refusal string

func (r refusal) Error() string { return string(r) }

// Call answers one host call with a result object. It does not panic and ends
// within the method's time, or as soon as ctx does.
func (b *Broker) Call(ctx context.Context, c Caller, method string, params []byte) (result []byte) {
	began := b.o.Time.Now()
	result, err := b.answer(ctx, c, method, params)
	if err != nil {
		result = failure(b.text(method, err))
	}
	b.o.Logger.Debug("host call", "plugin", c.PluginID, "method", knownMethod(method), "ok", err == nil, "elapsed_ms", b.o.Time.Now().Sub(began).Milliseconds())
	return result
}

func (b *Broker) answer(ctx context.Context, c Caller, method string, params []byte) (result []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			b.o.Logger.Error("host call panicked", "plugin", c.PluginID, "method", method)
			result, err = nil, refusal(method+" broke in the host")
		}
	}()
	capability, known := protocol.CapabilityOf(method)
	if !known {
		return nil, refusal(protocol.ErrTextUnknownMethod(clip(method)))
	}
	if capability != "" && (c.Capabilities == nil || !c.Capabilities(capability)) {
		return nil, refusal(protocol.ErrTextMissingCapability(capability))
	}
	if len(params) == 0 {
		params = []byte("{}")
	}
	o, err := protocol.ParseObject(params)
	if err != nil {
		return nil, invalid(method, err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout(method))
	defer cancel()
	l, err := b.enter(ctx, c.PluginID)
	if err != nil {
		return nil, err
	}
	defer b.leave(c.PluginID, l)
	return b.dispatch(ctx, &call{Caller: c, method: method, raw: params, params: o, lane: l})
}

func (b *Broker) dispatch(ctx context.Context, c *call) ([]byte, error) {
	switch c.method {
	case protocol.HostPing:
		return b.ping(c)
	case protocol.HostStorageGet:
		return b.storageGet(ctx, c)
	case protocol.HostStorageSet:
		return b.storageSet(ctx, c)
	case protocol.HostFetch:
		return b.fetch(ctx, c)
	case protocol.HostOpen:
		return b.open(ctx, c)
	case protocol.HostActivate:
		return b.activate(ctx, c)
	case protocol.HostNormalModeTarget:
		return b.normalModeTarget(ctx, c)
	case protocol.HostClipboardWrite:
		return b.clipboardWrite(ctx, c)
	case protocol.HostNotify:
		return b.notify(ctx, c)
	case protocol.HostPostMediaKey:
		return b.postMediaKey(ctx, c)
	case protocol.HostProcessTable:
		return b.processTable(ctx, c)
	case protocol.HostSignal:
		return b.signal(ctx, c)
	case protocol.HostWifiInfo:
		return b.wifiInfo(ctx, c)
	case protocol.HostAXSnapshot:
		return b.axSnapshot(ctx, c)
	case protocol.HostAXPerform:
		return b.axPerform(ctx, c)
	case protocol.HostAXSet:
		return b.axSet(ctx, c)
	case protocol.HostAXSelectChild:
		return b.axSelectChild(ctx, c)
	case protocol.HostPostKeys:
		return b.postKeys(ctx, c)
	case protocol.HostPostGlobalKey:
		return b.postGlobalKey(ctx, c)
	}
	return nil, refusal(protocol.ErrTextUnknownMethod(c.method))
}

func timeout(method string) time.Duration {
	if method == protocol.HostFetch {
		return protocol.FetchTimeout
	}
	return protocol.HostCallTimeout
}

func (b *Broker) enter(ctx context.Context, plugin string) (*lane, error) {
	b.mu.Lock()
	l := b.lanes[plugin]
	if l == nil {
		l = &lane{slots: make(chan struct{}, concurrent), storage: make(chan struct{}, 1)}
		b.lanes[plugin] = l
	}
	l.users++
	b.mu.Unlock()
	select {
	case l.slots <- struct{}{}:
		return l, nil
	case <-ctx.Done():
		b.drop(plugin, l)
		return nil, ctx.Err()
	}
}

func (b *Broker) leave(plugin string, l *lane) {
	<-l.slots
	b.drop(plugin, l)
}

func (b *Broker) drop(plugin string, l *lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(b.lanes, plugin)
	}
}

// text is what the plugin is told of an error.
func (b *Broker) text(method string, err error) string {
	var r refusal
	switch {
	case errors.As(err, &r):
		return string(r)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return protocol.ErrTextHostCallTimeout
	case errors.Is(err, context.Canceled):
		return method + " was given up: the plugin is stopping"
	case b.o.Unavailable != nil && errors.Is(err, b.o.Unavailable):
		return err.Error()
	}
	b.o.Logger.Warn("host call failed", "method", method)
	return method + " failed"
}

func failure(text string) []byte {
	return protocol.NewObject(nil).Bool("ok", false).Str("error", text).Bytes()
}

func success() *protocol.Builder { return protocol.NewObject(nil).Bool("ok", true) }

// invalid says which key is wrong. A decode error names keys, never values.
func invalid(method string, err error) error {
	return refusal(protocol.ErrTextInvalidParams(method) + ": " + err.Error())
}

// done ends the reading of params: the first fault, or a key that is unknown.
func (c *call) done() error {
	if err := c.params.Done(); err != nil {
		return invalid(c.method, err)
	}
	return nil
}

// within reads an optional integer of a range.
func (c *call) within(key string, low, high, otherwise int64) int64 {
	n, ok := c.params.OptInt(key)
	if !ok {
		return otherwise
	}
	if c.params.Err() == nil && (n < low || n > high) {
		c.params.Fail(key, fmt.Sprintf("is not from %d to %d", low, high))
	}
	return n
}

// ping gives the params back as they came.
func (b *Broker) ping(c *call) ([]byte, error) {
	return success().Raw("echo", c.raw).Bytes(), nil
}

// knownMethod keeps what a plugin made up out of the log.
func knownMethod(method string) string {
	if _, known := protocol.CapabilityOf(method); known {
		return method
	}
	return "unknown"
}

// clip bounds a name that is given back to who sent it.
func clip(s string) string {
	const most = 128
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
