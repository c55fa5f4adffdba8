package browsers

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/program"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	// scriptPatience is how long a browser may take to answer.
	scriptPatience = 3 * time.Second
	// askPatience is how long macOS may wait for the user's answer to whether
	// Flash may control a browser, which it asks for at the first event.
	askPatience = time.Minute
	// askAgain bounds how often a browser is asked that macOS has refused.
	askAgain = time.Minute
	// maxScript is well above what tabs.js prints at most, maxScripted is what is
	// taken of it from one process.
	maxScript   = 32 << 20
	maxScripted = 4000
)

//go:embed tabs.js
var tabsScript string

var (
	errRefused  = errors.New("macOS does not let Flash control this browser; allow it in System Settings, Privacy & Security, Automation, below Flash or the terminal that started it")
	errAsking   = errors.New("macOS asks whether Flash may control this browser; answer its question")
	errNoScript = errors.New("osascript may not be run or is missing; it comes with macOS and is in the sandbox of this plugin")
	errLate     = errors.New("the browser did not answer in time")
	errEnded    = errors.New("the browser has just ended")
	errGone     = errors.New("that tab is no longer there")
	errScript   = errors.New("what osascript printed cannot be read; report it with the browser's version")
)

// Apple event errors, as <CarbonCore/MacErrors.h> numbers them.
const (
	eventNotPermitted = -1743
	processNotFound   = -600
	connectionInvalid = -609
	noSuchObject      = -1728
	eventTimedOut     = -1712
)

func scriptError(number int64) error {
	switch number {
	case eventNotPermitted:
		return errRefused
	case processNotFound, connectionInvalid:
		return errEnded
	case noSuchObject:
		return errGone
	case eventTimedOut:
		return errLate
	case 0:
		return errors.New("the script for this browser failed; report it with the browser's version")
	}
	return errors.New("the browser answers with Apple event error " + strconv.FormatInt(number, 10))
}

// scriptPrefix begins the id of a tab that is gone to by Apple events; a window
// and a tab follow, as the browser names them.
const scriptPrefix = "script:"

func scriptID(window, tab string) string { return scriptPrefix + window + ":" + tab }

// scriptPlace takes a scriptID apart. What is in it comes from a row, which
// another process has held meanwhile.
func scriptPlace(id string) (window, tab string, ok bool) {
	rest, ok := strings.CutPrefix(id, scriptPrefix)
	if !ok {
		return "", "", false
	}
	window, tab, ok = strings.Cut(rest, ":")
	return window, tab, ok && plainID(window) && plainID(tab)
}

// plainID knows the numbers and UUIDs that browsers name things by.
func plainID(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-'
	})
}

// parseScript reads what tabs.js prints of one process.
func parseScript(out []byte, pid int) ([]tab, error) {
	o, err := protocol.ParseObject(bytes.TrimSpace(out))
	if err != nil || len(out) == 0 {
		return nil, errScript
	}
	if number, failed := o.OptInt("error"); failed {
		return nil, scriptError(number)
	}
	type window struct {
		id   string
		tabs []tab
	}
	var windows []window
	count := 0
	o.Objects("windows", func(w *protocol.Object) {
		at := window{id: w.String("id")}
		front := w.Int("front")
		ids, titles, urls := w.Strings("ids"), w.Strings("titles"), w.Strings("urls")
		if len(titles) != len(ids) || len(urls) != len(ids) {
			w.Fail("ids", "are not as many as titles and addresses")
		}
		if o.Err() != nil || !plainID(at.id) {
			return
		}
		inUse := len(windows) == 0 // they come from front to back
		for i, id := range ids {
			if count++; count > maxScripted || !plainID(id) {
				continue
			}
			shown := int64(i) == front
			at.tabs = append(at.tabs, tab{
				title: titles[i], url: urls[i], pid: pid, id: scriptID(at.id, id), front: shown, focused: shown && inUse,
			})
		}
		windows = append(windows, at)
	})
	if o.Err() != nil {
		return nil, errScript
	}
	// Which is in front changes with each focus.
	slices.SortStableFunc(windows, func(a, b window) int {
		if len(a.id) != len(b.id) {
			return len(a.id) - len(b.id)
		}
		return strings.Compare(a.id, b.id)
	})
	tabs := []tab{}
	for _, w := range windows {
		tabs = append(tabs, w.tabs...)
	}
	return tabs, nil
}

// ask runs tabs.js.
func (p *plugin) ask(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	argv := append([]string{p.osascript, "-l", "JavaScript", "-e", tabsScript}, args...)
	out, err := program.Run(ctx, argv, program.Environment(), limit, maxScript)
	var status *program.StatusError
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, program.ErrTimeout):
		return nil, errLate
	case errors.Is(err, program.ErrTooMuch):
		return nil, errScript
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &status):
		return nil, statusError(status.Complaints)
	}
	return nil, errNoScript
}

// statusError reads the number with which osascript ends a complaint, as in
// `execution error: Error: Error: Application isn't running. (-600)`.
func statusError(complaint string) error {
	complaint = strings.TrimSpace(complaint)
	if inner, ok := strings.CutSuffix(complaint, ")"); ok {
		if i := strings.LastIndexByte(inner, '('); i >= 0 {
			if n, err := strconv.ParseInt(inner[i+1:], 10, 32); err == nil && n != 0 {
				return scriptError(n)
			}
		}
	}
	return errScript
}

// scriptable says whether a browser is asked by Apple events: where it takes
// them and the user has not turned that off.
func (p *plugin) scriptable(b *browser) bool {
	return p.osascript != "" && b.script != "" && p.h.Config().Bool("apple_events", true)
}

// scripted reads the tabs of every process of a browser.
func (p *plugin) scripted(ctx context.Context, b *browser) ([]tab, error) {
	p.mu.Lock()
	pids, ids := b.pids, b.ids
	p.mu.Unlock()
	tabs := []tab{}
	for _, pid := range pids {
		if p.refused(b, ids[pid]) {
			return nil, errRefused
		}
		out, err := p.list(ctx, b, pid, ids[pid])
		var more []tab
		if err == nil {
			more, err = parseScript(out, pid)
		}
		p.know(b, ids[pid], err)
		if err != nil {
			return nil, err
		}
		tabs = append(tabs, more...)
	}
	return tabs, nil
}

// hello is the first event to an application, at which macOS may ask the user.
// Were it ended after the usual time, the question would come again with each
// reading.
type hello struct {
	met     bool // it has answered once
	refused bool
	under   *question
}

type question struct {
	done chan struct{}
	late bool // nobody waits for it any more
	out  []byte
	err  error
}

// helloOf is called with mu.
func (b *browser) helloOf(id string) *hello {
	if b.hellos == nil {
		b.hellos = map[string]*hello{}
	}
	if b.hellos[id] == nil {
		b.hellos[id] = &hello{}
	}
	return b.hellos[id]
}

// refused says whether macOS has refused an application a short while ago.
func (p *plugin) refused(b *browser, id string) bool {
	p.mu.Lock()
	refused := b.helloOf(id).refused
	p.mu.Unlock()
	if !refused {
		return false
	}
	ok, _ := b.again.Allow()
	return !ok
}

// know notes what the end of a reading says about the user's leave.
func (p *plugin) know(b *browser, id string, err error) {
	p.mu.Lock()
	h := b.helloOf(id)
	switch {
	case err == nil:
		h.met, h.refused = true, false
	case errors.Is(err, errRefused):
		h.met, h.refused = false, true
	}
	p.mu.Unlock()
	if errors.Is(err, errRefused) {
		_, _ = b.again.Allow()
		if ok, more := b.complain.Allow(); ok {
			p.h.Log(sdk.LevelWarn, "the tabs of a browser may not be read", "browser", b.name, "error", err, "more_since", more)
		}
	}
}

// list asks one process for its tabs. While macOS waits for the user's answer
// that goes on by itself, and its end has the browser read again.
func (p *plugin) list(ctx context.Context, b *browser, pid int, id string) ([]byte, error) {
	args := []string{"list", strconv.Itoa(pid), id, b.script}
	p.mu.Lock()
	h := b.helloOf(id)
	if h.met {
		p.mu.Unlock()
		return p.ask(ctx, p.patience, args...)
	}
	if h.under != nil {
		p.mu.Unlock()
		return nil, errAsking
	}
	if p.closed {
		p.mu.Unlock()
		return nil, context.Canceled
	}
	q := &question{done: make(chan struct{})}
	h.under = q
	p.greeting.Go(func() {
		q.out, q.err = p.ask(p.ctx, askPatience, args...)
		p.mu.Lock()
		h.under = nil
		late := q.late
		p.mu.Unlock()
		close(q.done)
		if late && !errors.Is(q.err, errLate) {
			b.settle.Trigger()
		}
	})
	p.mu.Unlock()
	wait := time.NewTimer(p.patience)
	defer wait.Stop()
	select {
	case <-q.done:
		return q.out, q.err
	case <-ctx.Done():
	case <-wait.C:
	}
	p.mu.Lock()
	ended := h.under != q
	q.late = true
	p.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended:
		<-q.done
		return q.out, q.err
	}
	return nil, errAsking
}

// act has a browser do something, in the process that the row was of.
func (p *plugin) act(ctx context.Context, b *browser, verb string, pid int, args ...string) error {
	p.mu.Lock()
	id, runs := b.ids[pid]
	p.mu.Unlock()
	if !runs {
		return errEnded
	}
	out, err := p.ask(ctx, p.patience, append([]string{verb, strconv.Itoa(pid), id, b.script}, args...)...)
	if err != nil {
		return err
	}
	o, err := protocol.ParseObject(bytes.TrimSpace(out))
	if err != nil {
		return errScript
	}
	if number, failed := o.OptInt("error"); failed {
		return scriptError(number)
	}
	if o.Done() != nil {
		return errScript
	}
	return nil
}

// makesTabs says whether an empty tab is asked for by an Apple event. Arc opens
// its bar for the key, which is what its users expect.
func (p *plugin) makesTabs(b *browser) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.way == wayScript && b.script != arcScript
}
