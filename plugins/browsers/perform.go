package browsers

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	// keyT is the macOS code of the key T, as on the wire.
	keyT = 0x11
	// maxNodes bounds the search for a tab in a browser's window.
	maxNodes = 3000
	scheme   = "tab:"
)

func (p *plugin) perform(ctx context.Context, h *sdk.Host, r protocol.Perform) protocol.Outcome {
	if !p.begin(h) {
		return protocol.Unhandled()
	}
	switch r.Kind {
	case protocol.PerformResolve:
		return p.selectRow(ctx, r.Row)
	case protocol.PerformAction:
		return p.action(ctx, r)
	case protocol.PerformNavigate:
		return p.navigate(ctx, r.URL)
	case protocol.PerformCommand:
		if r.Command == command && r.Subcommand == "refresh" {
			return p.refreshAll(ctx)
		}
		return protocol.Failed("unsupported subcommand: " + r.Subcommand)
	}
	return protocol.Unhandled()
}

// refreshAll reads every browser that runs, and says how.
func (p *plugin) refreshAll(ctx context.Context) protocol.Outcome {
	var said []string
	for _, b := range p.browsers {
		if !p.running(b) {
			continue
		}
		p.mu.Lock()
		for _, hello := range b.hellos {
			hello.refused = false // whoever asks may have changed that
		}
		p.mu.Unlock()
		if err := p.refresh(ctx, b); err != nil {
			return protocol.Failed(b.name + ": " + err.Error())
		}
		p.mu.Lock()
		line := b.name + ": " + b.way
		if b.reason != nil {
			line += " (" + b.reason.Error() + ")"
		}
		p.mu.Unlock()
		said = append(said, line)
	}
	if len(said) == 0 {
		return protocol.Done("no browser runs")
	}
	return protocol.Done(strings.Join(said, "; "))
}

// target is the tab that a row stands for.
func (p *plugin) target(row protocol.Row) (*browser, tab, bool) {
	name, _ := strings.CutSuffix(row.Source, ".tabs")
	i := slices.IndexFunc(kinds[:], func(k kind) bool { return k.name == name })
	text, _ := row.Metadata.Get(protocol.MetaPID)
	pid, err := strconv.ParseInt(text, 10, 32)
	if i < 0 || err != nil || pid <= 0 {
		return nil, tab{}, false
	}
	t := tab{title: row.Title, url: row.URL, pid: int(pid)}
	t.id, _ = row.Metadata.Get(metaTab)
	text, _ = row.Metadata.Get(metaWindow)
	t.window, _ = strconv.ParseInt(text, 10, 64)
	return p.browsers[i], t, true
}

func (p *plugin) selectRow(ctx context.Context, row protocol.Row) protocol.Outcome {
	b, t, ok := p.target(row)
	if !ok {
		return protocol.Unhandled()
	}
	return p.selectTab(ctx, b, t)
}

// selectTab shows a tab and brings its window to the front: by Apple events, by
// DevTools, by its window where that shows it, else by the tab strip.
func (p *plugin) selectTab(ctx context.Context, b *browser, t tab) protocol.Outcome {
	window, place, scripted := scriptPlace(t.id)
	switch {
	case scripted:
		if err := p.act(ctx, b, "select", t.pid, window, place, t.url); err != nil {
			b.settle.Trigger()
			return protocol.Failed(err.Error())
		}
	case t.id != "":
		if err := p.tools(ctx, b, "GET", "/json/activate/", t.id); err != nil {
			b.settle.Trigger()
			return protocol.Failed(err.Error())
		}
	case t.window == 0:
		window, err := p.press(ctx, t)
		if err != nil {
			b.settle.Trigger()
			return protocol.Failed(err.Error())
		}
		t.window = window
	}
	if err := p.h.Activate(ctx, t.pid, t.window); err != nil {
		b.settle.Trigger()
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

func (p *plugin) tools(ctx context.Context, b *browser, method, path, id string) error {
	if strings.Trim(id, "0123456789abcdefABCDEF-") != "" {
		return errTools
	}
	port, err := toolsPort(p.toolsDir(b))
	if err == nil {
		_, err = toolsAsk(ctx, port, method, path+id)
	}
	return err
}

type noTab struct{}

func (noTab) Error() string {
	return "the browser shows no tab of this title; turn its accessibility on, or open the address instead"
}

// press presses a tab in the strip of the window that has it, and returns that
// window's number.
func (p *plugin) press(ctx context.Context, t tab) (int64, error) {
	s, err := p.h.AXSnapshot(ctx, sdk.AXQuery{
		PID: t.pid, Roots: "windows", Follow: []string{"AXChildren"}, Collect: []string{"AXTitle", "AXRole", "AXWindowNumber"},
		PruneRoles: []string{"AXWebArea", "AXMenuBar", "AXMenu"}, MaxNodes: maxNodes, Deadline: titlesPatience,
	})
	if err != nil {
		return 0, err
	}
	windows := map[string]int64{}
	for _, n := range s.Nodes {
		if n.Parent == "" {
			windows[n.Handle] = n.Attrs.Int("AXWindowNumber", 0)
		}
		switch n.Attrs.String("AXRole", "") {
		case "AXRadioButton", "AXTab":
			if n.Attrs.String("AXTitle", "") == t.title {
				return windows[n.Root], p.h.AXPerform(ctx, n.Handle, "")
			}
		}
	}
	return 0, noTab{}
}

func (p *plugin) action(ctx context.Context, r protocol.Perform) protocol.Outcome {
	row, ok := rowOf(r.ActionArgs)
	b, t, known := p.target(row)
	if ok && !known {
		return protocol.Unhandled()
	}
	if !ok {
		// Without a row it is about the browser in front.
		if b = p.of(r.Context.BundleID, r.Context.PID); b == nil || r.Context.PID == 0 {
			return protocol.Unhandled()
		}
		t = tab{pid: r.Context.PID}
	}
	switch {
	case r.Name == "tab_new":
		return p.newTab(ctx, b, t)
	case r.Name != "tab_select" && r.Name != "tab_close":
		return protocol.Failed("unsupported action: " + r.Name)
	case !ok:
		return protocol.Failed("this needs a tab from the list")
	case r.Name == "tab_select":
		return p.selectTab(ctx, b, t)
	case t.id == "":
		// Keys would close whatever is in front by the time they arrive.
		return protocol.Failed(p.noClose(b))
	}
	var err error
	if window, place, scripted := scriptPlace(t.id); scripted {
		err = p.act(ctx, b, "close", t.pid, window, place, t.url)
	} else {
		err = p.tools(ctx, b, "GET", "/json/close/", t.id)
	}
	b.settle.Trigger()
	if err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

// noClose says what closing a tab needs.
func (p *plugin) noClose(b *browser) string {
	if !p.scriptable(b) {
		return "closing a tab needs DevTools; " + errNoTools.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.reason != nil {
		return "closing a tab needs Apple events; " + b.reason.Error()
	}
	return errGone.Error()
}

// newTab opens an empty tab: by Apple events or DevTools, whichever the browser
// is read by, else by the key that does it everywhere.
func (p *plugin) newTab(ctx context.Context, b *browser, t tab) protocol.Outcome {
	if err := p.h.Activate(ctx, t.pid, t.window); err != nil {
		return protocol.Failed(err.Error())
	}
	b.settle.Trigger()
	window, _, scripted := scriptPlace(t.id)
	switch {
	case p.makesTabs(b):
		if p.act(ctx, b, "new", t.pid, window) == nil {
			return protocol.Done("")
		}
	case t.id != "" && !scripted && p.tools(ctx, b, "PUT", "/json/new", "") == nil:
		return protocol.Done("")
	}
	modifier := "control"
	if p.mac {
		modifier = "command"
	}
	if err := p.h.PostKeys(ctx, t.pid, []sdk.Key{{Code: keyT, Modifiers: []string{modifier}}}, 0); err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

// navigate goes to the open tab of an address, tab:https://…, and opens the
// address where there is none.
func (p *plugin) navigate(ctx context.Context, to string) protocol.Outcome {
	address, ok := strings.CutPrefix(to, scheme)
	if !ok || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return protocol.Unhandled()
	}
	p.mu.Lock()
	var in *browser
	var found tab
	for _, b := range p.browsers {
		if i := slices.IndexFunc(b.tabs, func(t tab) bool { return t.url == address }); i >= 0 && in == nil {
			in, found = b, b.tabs[i]
		}
	}
	p.mu.Unlock()
	if in != nil {
		if out := p.selectTab(ctx, in, found); out.OK {
			return out
		}
	}
	return protocol.Outcome{OK: true, NavigationURL: address}
}

// rowOf is the row that an action is about.
func rowOf(args []byte) (protocol.Row, bool) {
	if args == nil {
		return protocol.Row{}, false
	}
	o, err := protocol.ParseObject(args)
	if err != nil || !o.Has("row") {
		return protocol.Row{}, false
	}
	r, err := protocol.DecodePerform(append(append([]byte(`{"kind":"resolve","row":`), o.Raw("row")...), '}'))
	return r.Row, err == nil
}
