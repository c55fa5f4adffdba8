package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// moves are what a hand makes in ten seconds of steady movement.
	moves = 2000
	// heldMoves stay below the threshold of the session's configuration.
	heldMoves = 200
	// gatedCPU is what movement may cost that is not delivered: 12,000 of them
	// cost a worker that takes each over a second.
	gatedCPU = 10 // ms
	// workerSettle is how long a worker's start takes to be collected.
	workerSettle = 6 * time.Second
)

// handError is that nothing could be posted, which says nothing of Flash.
type handError struct{ error }

func posted(err error) finding {
	var h handError
	if errors.As(err, &h) {
		return skip("nothing can be posted: " + err.Error())
	}
	return fail(err.Error())
}

// worker runs a pointer worker around something, and returns what was delivered
// to it and what that cost.
func (s *session) worker(ctx context.Context, do func() error, flags ...string) (map[string]int, []figure, error) {
	p, err := s.runner.start(ctx, s.flashCommand(append([]string{"pointer", "run", "--summary"}, flags...)...))
	if err != nil {
		return nil, nil, err
	}
	stopped := false
	defer func() {
		if !stopped {
			p.stop()
		}
	}()
	if err := s.sleep(ctx, workerSettle); err != nil {
		return nil, nil, err
	}
	before := s.used(ctx, p.pid())
	if err := do(); err != nil {
		return nil, nil, handError{err}
	}
	after := s.used(ctx, p.pid())
	o := p.stop()
	stopped = true
	if !o.ok() {
		return nil, nil, fmt.Errorf("flash pointer run: %s", o.said())
	}
	counts := delivered(o.stderr)
	if _, ok := counts["actions"]; !ok {
		return nil, nil, fmt.Errorf("flash pointer run printed no summary: %s", o.said())
	}
	var cost []figure
	for i, name := range [...]string{"context switches", "CPU"} {
		if before[i] >= 0 && after[i] >= before[i] {
			cost = append(cost, figure{Name: name, Value: after[i] - before[i], Unit: []string{"", "ms"}[i]})
		}
	}
	return counts, cost, nil
}

// used are a process's context switches and milliseconds of processor time so
// far, -1 for what cannot be read.
func (s *session) used(ctx context.Context, pid int) (out [2]float64) {
	out = [2]float64{-1, -1}
	p := strconv.Itoa(pid)
	if o := s.brief(ctx, "/usr/bin/top", "-l", "1", "-pid", p, "-stats", "csw"); o.ok() {
		if n, err := lastNumber(o.stdout); err == nil {
			out[0] = n
		}
	}
	if o := s.brief(ctx, "ps", "-o", "cputime=", "-p", p); o.ok() {
		if ms, err := cpuTime(o.stdout); err == nil {
			out[1] = ms
		}
	}
	return out
}

// cpuTime reads minutes and seconds, and hours before them, in milliseconds.
func cpuTime(text string) (float64, error) {
	total := 0.0
	for part := range strings.SplitSeq(strings.TrimSpace(text), ":") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, err
		}
		total = total*60 + n
	}
	return total * 1000, nil
}

func pointerGate(ctx context.Context, s *session) finding {
	post := func() error { return s.hand.move(moves) }
	all, always, err := s.worker(ctx, post, "--full-mask")
	if err != nil {
		return posted(err)
	}
	if all["move"] < moves/2 {
		return skip(fmt.Sprintf("a worker that takes all movement was told of %d of %d that were posted, so that nothing can be said", all["move"], moves))
	}
	gated, cost, err := s.worker(ctx, post)
	if err != nil {
		return posted(err)
	}
	figures := []figure{{Name: "delivered while nothing is held", Value: float64(gated["move"])}, {Name: "delivered with all movement taken", Value: float64(all["move"])}}
	for _, f := range cost {
		if f.Name == "CPU" {
			f.Limit = gatedCPU
		}
		f.Name += " while nothing is held"
		figures = append(figures, f)
	}
	for _, f := range always {
		f.Name += " with all movement taken"
		figures = append(figures, f)
	}
	if gated["move"] > 0 {
		return fail("movement is delivered while nothing is held", figures...)
	}
	return pass("", figures...)
}

func pointerHold(ctx context.Context, s *session) finding {
	const gesture = 5
	counts, cost, err := s.worker(ctx, func() error {
		if err := s.hand.button(gesture, true); err != nil {
			return err
		}
		err := s.hand.move(heldMoves)
		// What goes down comes up, whatever happened.
		if up := s.hand.button(gesture, false); err == nil {
			err = up
		}
		return err
	})
	if err != nil {
		return posted(err)
	}
	figures := append([]figure{{Name: "delivered while held", Value: float64(counts["move"])}, {Name: "actions", Value: float64(counts["actions"])}}, cost...)
	switch {
	case counts["down"] == 0 || counts["up"] == 0:
		return fail("the press or the release of the button was not delivered", figures...)
	case counts["move"] == 0:
		return fail("no movement is delivered while the gesture button is held", figures...)
	case counts["actions"] > 0:
		return fail("movement below the threshold fired an action", figures...)
	}
	return pass("", figures...)
}

const (
	// quietTime is how long the host and its plugins take to come to rest.
	quietTime = 30 * time.Second
	// idleSeconds is a minute, in which each child answers one liveness ping.
	idleSeconds = "60"
	// idleWakeups is what that minute may have a second: some forty processes
	// with a ping and the Go runtime's monitor stay under three. One process
	// that ticks ten times a second is above it.
	idleWakeups = 5
	idleCPU     = 1 // percent of a core
	// budget is what the whole running system may take.
	budget = 130 // MiB
	times  = 5
)

// sample runs the script on the session's resident.
func (s *session) sample(ctx context.Context, seconds string) (sample, error) {
	return readSample(s.runner.run(ctx, command{
		argv: []string{"Scripts/measure-footprint.sh", "--json", seconds}, dir: s.root, env: append(slices.Clone(s.environ), "FLASH="+s.flash),
	}))
}

func idle(ctx context.Context, s *session) finding {
	s.say("Half a minute to rest, then one minute is measured: leave the Mac alone, please.")
	if err := s.sleep(ctx, quietTime); err != nil {
		return fail(err.Error())
	}
	m, err := s.sample(ctx, idleSeconds)
	if err != nil {
		return fail(err.Error())
	}
	return idleFinding(m)
}

func idleFinding(m sample) finding {
	figures := []figure{{Name: "wake-ups a second", Value: m.Total.Wakeups, Limit: idleWakeups}, {Name: "CPU", Value: m.Total.CPU, Unit: "% of a core", Limit: idleCPU}, {Name: "processes", Value: float64(m.Total.Count)}}
	// The busiest processes name the culprit.
	busiest := slices.SortedFunc(slices.Values(m.Processes), func(a, b load) int { return int((b.Wakeups - a.Wakeups) * 1000) })
	for _, p := range busiest[:min(3, len(busiest))] {
		figures = append(figures, figure{Name: "wake-ups a second of " + p.ID, Value: p.Wakeups})
	}
	if m.Total.Wakeups == 0 {
		return fail("no process woke up in a minute, its pings included: wake-ups cannot be read here", figures...)
	}
	return pass("", figures...)
}

func memory(ctx context.Context, s *session) finding {
	var all []sample
	for range times {
		m, err := s.sample(ctx, "1")
		if err != nil {
			return fail(err.Error())
		}
		all = append(all, m)
	}
	return memoryFinding(all)
}

// memoryFinding holds the largest of the samples to the budget: what a system
// takes at times, it takes.
func memoryFinding(all []sample) finding {
	totals := make([]float64, 0, len(all))
	for _, m := range all {
		totals = append(totals, m.Total.Memory/1024)
	}
	slices.Sort(totals)
	last := all[len(all)-1]
	figures := []figure{
		{Name: "median", Value: median(totals), Unit: "MiB", Limit: budget}, {Name: "maximum", Value: totals[len(totals)-1], Unit: "MiB", Limit: budget},
		{Name: "samples", Value: float64(len(totals))}, {Name: "processes", Value: float64(last.Total.Count)}, {Name: "resident", Value: last.Processes[0].Memory / 1024, Unit: "MiB"},
	}
	return pass("", figures...)
}

// median of sorted values.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
