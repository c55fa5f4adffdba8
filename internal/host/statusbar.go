package host

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/protocol"
)

const (
	// onceWait bounds how long one line waits for segments that have no value
	// yet: a monitor's child starts, reads, and reads again a second later.
	onceWait = 3 * time.Second
	// clickNotice is how long what a click had to say stays.
	clickNotice = 5 * time.Second
)

// statusBar is what the bars of others need of the host.
type statusBar struct {
	reconfigured pulse
	emitters     atomic.Uint64 // counted, for their names
}

func (h *Host) registerStatusBar(s *control.Server) {
	s.Handle(control.MethodStatusBar, h.statusBarView)
	s.Handle(control.MethodStatusBarClick, h.statusBarClick)
}

// template is the one that a client names, else the configuration's.
func (h *Host) template(text *string) string {
	if text != nil {
		return *text
	}
	return h.cfg.Load().StatusBar.Template
}

// statusBarView sends the line each time it changes, until the client goes.
func (h *Host) statusBarView(ctx context.Context, r control.Request) (any, error) {
	var p control.StatusBarParams
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	wake := make(chan struct{}, 1)
	view := h.status.NewView(fmt.Sprintf("emitter %d", h.bar.emitters.Add(1)), func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	})
	defer view.Close()
	if p.Once {
		return h.statusBarOnce(ctx, p, view, wake)
	}
	for {
		reconfigured := h.bar.reconfigured.Wait()
		text := h.template(p.Template)
		faults := h.show(view, text, p.Hover)
		for text == h.template(p.Template) {
			if line, changed := view.Line(); changed {
				if err := r.Emit(control.StatusBarView{Line: line, Faults: faults}); err != nil {
					return nil, err
				}
			}
			select {
			case <-ctx.Done():
				return nil, nil
			case <-wake:
			case <-reconfigured:
				reconfigured = h.bar.reconfigured.Wait()
			}
		}
	}
}

func (h *Host) statusBarOnce(ctx context.Context, p control.StatusBarParams, view *status.View, wake <-chan struct{}) (any, error) {
	select {
	case <-h.up:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	faults := h.show(view, h.template(p.Template), p.Hover)
	deadline := time.NewTimer(onceWait)
	defer deadline.Stop()
	for waited := false; ; {
		line, _ := view.Line()
		if waited || view.Complete() {
			return control.StatusBarView{Line: line, Faults: faults}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		case <-deadline.C:
			waited = true
		}
	}
}

// show puts a template into a view and returns what is wrong with it.
func (h *Host) show(view *status.View, text string, hover bool) (faults []string) {
	t := status.ParseTemplate(text)
	for _, f := range t.Faults() {
		faults = append(faults, "statusbar.template: "+f.Error())
	}
	if hover {
		t = t.Hovering()
	}
	view.Show(t, true)
	return faults
}

func (h *Host) statusBarClick(ctx context.Context, r control.Request) (any, error) {
	var p control.StatusBarClick
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	action := p.Name
	if !isAction(action) {
		line, _ := status.ParseTemplate(h.template(p.Template)).Line(h.status.Snapshot(), h.time.Now())
		if action = line.Action(p.Name, max(p.Button, 1)); action == "" {
			return nil, control.Errorf(control.CodeNotFound, "statusbar: nothing called %q can be clicked; give it a name and a deed with #[range=user|NAME,click=…]", p.Name)
		}
	}
	// What was clicked is done even if the bar goes meanwhile.
	return resultOf(h.clicked(context.WithoutCancel(ctx), action)), nil
}

// isAction reports whether what a click does names a row, a command or a bang;
// what does not is text for the flashlight.
func isAction(s string) bool {
	_, _, err := catalog.ParseRowID(s)
	return err == nil || strings.HasPrefix(s, ":") || strings.HasPrefix(s, "!")
}

// clicked does what a click on the bar says.
func (h *Host) clicked(ctx context.Context, action string) protocol.Outcome {
	if isAction(action) {
		return h.engine.Act(ctx, action, "")
	}
	if err := h.screen().open(action, false); err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

// barClicked is clicked for the bar itself, which has no other place to say what
// came of it than a notification.
func (h *Host) barClicked(ctx context.Context, action string) {
	o := h.clicked(ctx, action)
	text := o.Message
	if !o.OK {
		text = o.Err
	}
	if text == "" {
		return
	}
	if err := h.desk().Notifier.Notify(ctx, "Flash", text, clickNotice); err != nil {
		h.log.Warn("a click's answer cannot be shown", "error", err.Error())
	}
}

// templateFaults are what is wrong with the configured template. They change
// nothing of what the rest of the file says: the text stands in the bar.
func (c *configuration) templateFaults() []string {
	out := []string{}
	for _, f := range status.ParseTemplate(c.StatusBar.Template).Faults() {
		out = append(out, "statusbar.template: "+f.Error())
	}
	return out
}
