// Package processes lists the user's machine's processes and ends the one that
// is chosen. It reads nothing itself: the host lends its process table and
// sends the signal, and checks that the pid is still the process that was shown.
package processes

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/monitor"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	source  = "processes.items"
	command = "processes"
	kill    = "kill"

	// period is the time between tables while a status segment is shown. A
	// table costs more than a counter, so it is read half as often.
	period = 2 * time.Second
	// quiet and ceiling settle the bursts of app launches and exits.
	quiet   = 300 * time.Millisecond
	ceiling = 10 * time.Second
	// complainEvery bounds the log lines of a host that keeps refusing.
	complainEvery = time.Minute
)

// New returns the plugin.
func New() sdk.Plugin {
	p := &plugin{complain: sdk.NewRefreshGate(nil, complainEvery)}
	return sdk.Plugin{Start: p.start, Event: p.event, Perform: p.perform}
}

type plugin struct {
	flight   sdk.SingleFlight
	settle   *sdk.Settle
	complain *sdk.RefreshGate
}

func (p *plugin) start(ctx context.Context, h *sdk.Host) error {
	return p.refresh(ctx, h)
}

// event runs on one goroutine, so settle needs no lock.
func (p *plugin) event(ctx context.Context, h *sdk.Host, ev sdk.Event) {
	switch {
	case ev.Name == "core:status.observed":
		p.observe(ctx, h, ev)
	case ev.Name == "core:session.opened":
		_ = p.refresh(ctx, h)
	case strings.HasPrefix(ev.Name, "core:apps."):
		if p.settle == nil {
			p.settle = sdk.NewSettle(nil, quiet, ceiling, func(ctx context.Context) { _ = p.refresh(ctx, h) })
		}
		p.settle.Trigger()
	}
}

func (p *plugin) observe(ctx context.Context, h *sdk.Host, ev sdk.Event) {
	shown, err := ev.Segments()
	if err != nil {
		h.Log(sdk.LevelWarn, "observed segments cannot be read", "error", err)
		return
	}
	if len(shown) == 0 {
		h.Every("table", 0, nil)
		return
	}
	_ = p.refresh(ctx, h)
	h.Every("table", period, func(ctx context.Context) { _ = p.refresh(ctx, h) })
}

// refresh reads one table and publishes what changed. Its error has been logged.
func (p *plugin) refresh(ctx context.Context, h *sdk.Host) error {
	_, err := p.flight.Fresh(ctx, func(ctx context.Context) error {
		table, err := h.ProcessTable(ctx, 0)
		if err != nil {
			if ok, more := p.complain.Allow(); ok && !errors.Is(err, context.Canceled) {
				h.Log(sdk.LevelWarn, "no process table", "error", err, "more_since", more)
			}
			return err
		}
		h.PublishChanged(rows(table))
		h.Status(map[string]string{"top_cpu": topCPU(table), "top_mem": topMemory(table)})
		return nil
	})
	return err
}

// rows lists what can be acted on, by pid so that an unchanged machine gives an
// unchanged catalogue. Figures that change all the time stay out of it.
func rows(table []protocol.Process) []protocol.Row {
	sorted := append([]protocol.Process(nil), table...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].PID < sorted[j].PID })
	out := make([]protocol.Row, 0, len(sorted))
	for _, p := range sorted {
		if kernelThread(p) || p.PID <= 1 || p.Name == "" {
			continue
		}
		pid := strconv.Itoa(p.PID)
		subtitle := "pid " + pid
		if p.Path != "" {
			subtitle += " · " + p.Path
		}
		out = append(out, protocol.Row{
			Source: source,
			Title:  clip(p.Name, protocol.MaxTitle),
			Metadata: protocol.NewMetadata(map[string]string{
				protocol.MetaKind:            "process",
				protocol.MetaPID:             pid,
				protocol.MetaSubtitle:        subtitle,
				protocol.MetaAliases:         pid,
				protocol.MetaFinishesCommand: pid,
			}),
		})
		if len(out) == protocol.MaxCatalogRows {
			break
		}
	}
	return out
}

// kernelThread reports whether p is a thread of the Linux kernel: those have
// neither a program nor memory, and no signal reaches them.
func kernelThread(p protocol.Process) bool { return p.Path == "" && p.RSS == 0 }

func topCPU(table []protocol.Process) string {
	var top protocol.Process
	for _, p := range table {
		if p.CPU > top.CPU {
			top = p
		}
	}
	if top.Name == "" {
		return ""
	}
	return top.Name + " " + strconv.FormatFloat(top.CPU, 'f', 0, 64) + "%"
}

func topMemory(table []protocol.Process) string {
	var top protocol.Process
	for _, p := range table {
		if p.RSS > top.RSS {
			top = p
		}
	}
	if top.Name == "" {
		return ""
	}
	return top.Name + " " + monitor.Bytes(uint64(top.RSS))
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
