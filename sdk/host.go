package sdk

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Levels of [Host.Log].
const (
	LevelDebug = "debug"
	LevelInfo  = "info"
	LevelWarn  = "warn"
	LevelError = "error"
)

// Host is the plugin's side of its host. All methods may be called from any
// goroutine, at any time after Start or a handler got it; after the shutdown
// they do nothing.
type Host struct {
	conn   *conn
	id     string
	dir    string
	config *Config

	mu       sync.Mutex
	polls    []protocol.Registration // from Poll
	tickers  []*ticker               // from Every
	lastHash uint64                  // of the frame that PublishChanged sent
	hashed   bool                    // no Publish came after it
}

// ID returns the plugin's id, from FLASH_PLUGIN_ID; "" outside a host.
func (h *Host) ID() string { return h.id }

// DataDir returns the directory where the plugin may keep files, from
// FLASH_PLUGIN_DATA_DIR; "" outside a host. It survives updates.
func (h *Host) DataDir() string { return h.dir }

// Config returns the plugin's table of the user's configuration. It does not
// change while the plugin runs: the host restarts a plugin whose table changed.
func (h *Host) Config() *Config { return h.config }

// Publish replaces the whole warm catalogue by rows. No rows is an
// authoritative "there is nothing": after a passing failure do not publish at
// all. The host refuses more than 10,000 rows or 4 MiB of them whole; the SDK
// sends what it is given, except that a frame over 10 MiB is dropped with a
// line on stderr. When 64 frames or 16 MiB wait for the host, only the newest
// catalogue is kept. rows is not retained.
func (h *Host) Publish(rows []protocol.Row) { h.PublishSeq(slices.Values(rows)) }

// PublishSeq is [Host.Publish] for rows that are made one at a time, so that a
// large catalogue never stands in memory whole. rows is run through twice and
// must give the same rows both times; each is only used until the next.
func (h *Host) PublishSeq(rows iter.Seq[protocol.Row]) {
	frame := h.publishFrame(rows)
	if frame == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hashed = false
	h.conn.out.replacePublish(frame)
}

// PublishChanged publishes rows unless they are, in order and content, what the
// last PublishChanged sent with no Publish after it, and reports whether it
// did. Only a hash of the last catalogue is kept.
func (h *Host) PublishChanged(rows []protocol.Row) bool {
	frame := h.publishFrame(slices.Values(rows))
	if frame == nil {
		return false
	}
	sum := fnv1a(frame)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hashed && h.lastHash == sum {
		unmapBuffer(frame)
		return false
	}
	h.lastHash, h.hashed = sum, true
	h.conn.out.replacePublish(frame)
	return true
}

// publishFrame encodes a publication into a buffer of mapBuffer.
func (h *Host) publishFrame(rows iter.Seq[protocol.Row]) []byte {
	h.conn.touch()
	const head, tail = `{"method":"publish","params":{"rows":[`, "]}}\n"
	size := len(head) + len(tail)
	var one [1]protocol.Row
	for one[0] = range rows {
		// The array's two brackets stand for the row's comma, and one to spare.
		size += protocol.RowsSize(one[:])
	}
	b := append(mapBuffer(size), head...)
	first := true
	for row := range rows {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = protocol.AppendRow(b, row)
	}
	b = append(b, tail...)
	if h.conn.tooLong(b, protocol.MethodPublish) {
		unmapBuffer(b)
		return nil
	}
	return b
}

// fnv1a is the 64-bit FNV-1a hash. The hash packages of the standard library
// would cost more memory than they save lines here.
func fnv1a(b []byte) uint64 {
	sum := uint64(14695981039346656037)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return sum
}

// Status sets the text of status segments, each declared in the manifest's
// `status`; "" clears one. Segments that are not named keep what they show.
// When the way to the host is full, only the newest text of each waits.
func (h *Host) Status(segments map[string]string) {
	values := make(map[string]protocol.StatusValue, len(segments))
	for name, text := range segments {
		values[name] = protocol.StatusValue{Text: text}
	}
	h.status(values)
}

// StatusCarousel makes one status segment cycle through lines.
// c.CycleSeconds is at least 1.
func (h *Host) StatusCarousel(name string, c protocol.Carousel) {
	h.status(map[string]protocol.StatusValue{name: {Carousel: &c}})
}

func (h *Host) status(values map[string]protocol.StatusValue) {
	if len(values) == 0 {
		return
	}
	h.conn.touch()
	if !h.conn.tooLong(statusFrame(values), protocol.MethodStatus) {
		h.conn.out.mergeStatus(values)
	}
}

// Poll replaces the timers that the host's shared clock drives for this
// plugin. Their ticks arrive as events core:poll:<name>; see [Event.Poll].
// Every is from 0.05 to 86,400 s, After up to 86,400 s. Timers of [Host.Every]
// stay; both together are 64 at most, with names of [a-z0-9_-]{1,64}. The host
// refuses a set that breaks this whole.
func (h *Host) Poll(regs ...protocol.Registration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polls = slices.Clone(regs)
	h.register()
}

// Every calls fn each time d has passed on the host's shared clock, from
// 0.05 s to 86,400 s: not while the session sleeps or is locked, with one
// catch-up after it. fn runs on its own goroutine and never overlaps itself: a
// tick that finds it running is skipped. Calling Every again under the same
// name replaces the timer; d <= 0 or a nil fn removes it.
func (h *Host) Every(name string, d time.Duration, fn func(ctx context.Context)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tickers = slices.DeleteFunc(h.tickers, func(t *ticker) bool { return t.name == name })
	if d > 0 && fn != nil {
		h.tickers = append(h.tickers, &ticker{name: name, every: d.Seconds(), fn: fn})
	}
	h.register()
}

// register sends the whole set of timers.
func (h *Host) register() {
	h.conn.touch()
	regs := slices.Clone(h.polls)
	for _, t := range h.tickers {
		regs = append(regs, protocol.Registration{Name: t.name, Every: t.every})
	}
	const head, tail = `{"method":"poll","params":{"registrations":`, "}}\n"
	frame := protocol.AppendRegistrations([]byte(head), regs)
	frame = append(frame, tail...)
	if !h.conn.tooLong(frame, protocol.MethodPoll) {
		h.conn.out.replacePoll(frame)
	}
}

// ticker is one timer of Every.
type ticker struct {
	name    string
	every   float64 // seconds
	fn      func(context.Context)
	running bool // guarded by Host.mu
}

// tick starts the function of the timer called name and reports whether there
// is such a timer.
func (h *Host) tick(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.tickers, func(t *ticker) bool { return t.name == name })
	if i < 0 {
		return false
	}
	t := h.tickers[i]
	if t.running {
		return true
	}
	if !h.conn.begin() {
		return true
	}
	t.running = true
	go func() {
		defer h.conn.end()
		defer func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			t.running = false
		}()
		h.conn.guarded("interval", func() { t.fn(h.conn.ctx) })
	}()
	return true
}

// Log sends a log record to the host: level is one of the Level constants,
// message a constant text, kv pairs of a key and a string, bool, integer,
// float, time.Duration (logged as milliseconds) or error. Neither may hold
// user content: no queries, titles, URLs, paths or clipboard text. When the
// way to the host is full the record is dropped and counted.
func (h *Host) Log(level, message string, kv ...any) { h.log("", level, message, kv) }

// LogContext is [Host.Log] with the trace of the request that ctx belongs to.
func (h *Host) LogContext(ctx context.Context, level, message string, kv ...any) {
	h.log(Trace(ctx), level, message, kv)
}

func (h *Host) log(trace, level, message string, kv []any) {
	h.conn.touch()
	var fields []byte
	if len(kv) > 0 {
		o := protocol.NewObject(nil)
		for i := 0; i+1 < len(kv); i += 2 {
			key, ok := kv[i].(string)
			if !ok {
				key = "field" + strconv.Itoa(i/2)
			}
			addField(o, key, kv[i+1])
		}
		fields = o.Bytes()
	}
	if frame := logFrame(protocol.LogRecord{Level: level, Message: message, Fields: fields, Trace: trace}); !h.conn.tooLong(frame, protocol.MethodLog) {
		h.conn.out.log(frame)
	}
}

func addField(o *protocol.Builder, key string, v any) {
	switch v := v.(type) {
	case string:
		o.Str(key, v)
	case bool:
		o.Bool(key, v)
	case int:
		o.Int(key, int64(v))
	case int64:
		o.Int(key, v)
	case int32:
		o.Int(key, int64(v))
	case uint32:
		o.Int(key, int64(v))
	case float64:
		o.Float(key, v)
	case time.Duration:
		o.Float(key, float64(v.Microseconds())/1000)
	case error:
		o.Str(key, v.Error())
	default:
		o.Str(key, "unsupported value")
	}
}

func logFrame(rec protocol.LogRecord) []byte {
	b := protocol.AppendLog([]byte(`{"method":"log","params":`), rec)
	return append(b, "}\n"...)
}

type traceKey struct{}

// Trace returns the host's trace of the request that ctx belongs to, or "".
func Trace(ctx context.Context) string {
	t, _ := ctx.Value(traceKey{}).(string)
	return t
}
