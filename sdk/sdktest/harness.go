package sdktest

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Options set the plugin's surroundings. The zero value will do.
type Options struct {
	// Manifest is the text of manifest.json. With it, catalogues and status
	// segments that it does not declare fail the test.
	Manifest []byte
	// ID is FLASH_PLUGIN_ID; "" takes the manifest's, or "test".
	ID string
	// Config is the plugin's configuration as a JSON object; "" is {}.
	Config string
	// DataDir is FLASH_PLUGIN_DATA_DIR; "" makes one for the test.
	DataDir string
	// Env are further variables, as in os.Environ.
	Env []string
	// Timeout bounds every wait; 0 is 10 s.
	Timeout time.Duration
}

// Harness is one running plugin, seen from its host. Its methods are for the
// test's own goroutine.
type Harness struct {
	t        testing.TB
	opts     Options
	manifest *protocol.Manifest
	in       io.WriteCloser
	pid      int

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something below changes
	replies map[int64][][]byte
	notes   []note
	calls   []note // host calls, as they came
	script  map[string]func(params string) string
	faults  []string
	stderr  bytes.Buffer
	ended   bool // the plugin's output is at its end
	exited  bool
	status  int
	nextID  int64
	writing sync.Mutex // of in
}

type note struct {
	method string
	params []byte
}

func newHarness(t testing.TB, o Options) *Harness {
	t.Helper()
	h := &Harness{
		t: t, changed: make(chan struct{}), replies: map[int64][][]byte{},
		script: map[string]func(string) string{},
	}
	if o.Manifest != nil {
		m, err := protocol.DecodeManifest(o.Manifest)
		if err != nil {
			t.Fatalf("manifest: %v", err)
		}
		h.manifest = m
		if o.ID == "" {
			o.ID = m.ID
		}
	}
	if o.ID == "" {
		o.ID = "test"
	}
	if o.Config == "" {
		o.Config = "{}"
	}
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	h.opts = o
	return h
}

// env is the environment that the host would give.
func (h *Harness) env() []string {
	env := []string{
		"FLASH_PLUGIN_ID=" + h.opts.ID,
		"FLASH_PLUGIN_VERSION=" + h.version(),
		"FLASH_PLUGIN_DATA_DIR=" + h.opts.DataDir,
		"FLASH_PLUGIN_CONFIG=" + h.opts.Config,
	}
	for _, name := range []string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, h.opts.Env...)
}

func (h *Harness) version() string {
	if h.manifest != nil {
		return h.manifest.Version
	}
	return "0.0.0"
}

// lookup finds a variable in a list as in os.Environ; the last one counts.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// read takes what the plugin sends until its output ends.
func (h *Harness) read(out io.Reader) {
	c := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := c.Fill(out)
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			h.take(line, err)
		}
		if readErr != nil {
			h.update(func() { h.ended = true })
			return
		}
	}
}

func (h *Harness) take(line []byte, err error) {
	var e protocol.Envelope
	if err == nil {
		e, err = protocol.DecodeEnvelope(line)
	}
	switch {
	case err != nil:
		h.fault("the plugin sent a bad line: " + err.Error())
	case e.IsResponse():
		h.update(func() { h.replies[e.ID] = append(h.replies[e.ID], bytes.Clone(e.Result)) })
	case e.IsRequest():
		h.hostCall(e.ID, e.Method, bytes.Clone(e.Params))
	default:
		if problem := h.check(e.Method, e.Params); problem != "" {
			h.fault(problem)
			return
		}
		h.update(func() { h.notes = append(h.notes, note{e.Method, bytes.Clone(e.Params)}) })
	}
}

// check holds a notification to the wire and the manifest.
func (h *Harness) check(method string, params []byte) string {
	var err error
	switch method {
	case protocol.MethodPublish:
		_, err = protocol.DecodePublish(params, h.declared)
	case protocol.MethodStatus:
		var values map[string]protocol.StatusValue
		values, err = protocol.DecodeStatus(params)
		if h.manifest != nil {
			for name := range values {
				if !h.manifest.DeclaresStatus(name) {
					return "the plugin set a status segment that its manifest does not declare: " + name
				}
			}
		}
	case protocol.MethodPoll:
		_, err = protocol.DecodePoll(params)
	case protocol.MethodLog:
		_, err = protocol.DecodeLog(params)
	default:
		return "the plugin sent an unknown notification: " + method
	}
	if err != nil {
		return "the plugin sent a bad " + method + ": " + err.Error()
	}
	return ""
}

func (h *Harness) declared(source string) bool {
	return h.manifest == nil || h.manifest.DeclaresSource(source)
}

func (h *Harness) hostCall(id int64, method string, params []byte) {
	var fn func(string) string
	h.update(func() {
		h.calls = append(h.calls, note{method, params})
		fn = h.script[method]
	})
	go func() {
		result := defaultReply(method)
		if fn != nil {
			result = fn(string(params))
		}
		if result != "" {
			_ = h.write(protocol.AppendResponse(nil, id, []byte(result)))
		}
	}()
}

func defaultReply(method string) string {
	capability, known := protocol.CapabilityOf(method)
	switch {
	case !known:
		return string(protocol.AppendErrorResult(nil, protocol.ErrTextUnknownMethod(method)))
	case capability != "":
		return string(protocol.AppendErrorResult(nil, protocol.ErrTextMissingCapability(capability)))
	case method == protocol.HostStorageGet:
		return `{"ok":true,"present":false}`
	}
	return `{"ok":true}`
}

func (h *Harness) fault(text string) {
	h.update(func() { h.faults = append(h.faults, text) })
}

func (h *Harness) update(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

// wait returns once cond, called with the lock held, is true.
func (h *Harness) wait(what string, cond func() bool) {
	h.t.Helper()
	if fault, ok := h.await(cond); !ok {
		if fault != "" {
			h.t.Fatalf("while waiting for %s: %s", what, fault)
		}
		h.t.Fatalf("%s did not come within %v; stderr: %s", what, h.opts.Timeout, h.Stderr())
	}
}

// await reports whether cond came true in time and before the plugin broke a
// rule, which fault then names.
func (h *Harness) await(cond func() bool) (fault string, ok bool) {
	timer := time.NewTimer(h.opts.Timeout)
	defer timer.Stop()
	for {
		h.mu.Lock()
		changed := h.changed
		if len(h.faults) > 0 {
			fault, h.faults = h.faults[0], h.faults[1:]
		} else {
			ok = cond()
		}
		h.mu.Unlock()
		if ok || fault != "" {
			return fault, ok
		}
		select {
		case <-changed:
		case <-timer.C:
			return "", false
		}
	}
}

// finish waits for the plugin's end once the test is over, and reports rules
// that it broke and nobody waited for.
func (h *Harness) finish() {
	h.t.Helper()
	for {
		fault, ok := h.await(func() bool { return h.exited && h.ended })
		switch {
		case ok:
			return
		case fault == "":
			h.t.Errorf("the plugin did not end within %v; stderr: %s", h.opts.Timeout, h.Stderr())
			return
		}
		h.t.Error(fault)
	}
}

func (h *Harness) write(frame []byte) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err := h.in.Write(frame)
	return err
}

// stderrWriter collects diagnostics.
type stderrWriter struct{ h *Harness }

func (w stderrWriter) Write(b []byte) (int, error) {
	w.h.update(func() { w.h.stderr.Write(b) })
	return len(b), nil
}

// Stderr returns what the plugin wrote to stderr so far.
func (h *Harness) Stderr() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stderr.String()
}
