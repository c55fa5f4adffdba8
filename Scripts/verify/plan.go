package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// selection says which checks the person wants.
type selection struct{ only, not []string }

func (s selection) wants(id string) bool {
	match := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, _ := path.Match(p, id)
			return ok || strings.HasPrefix(id, p+".")
		})
	}
	return (len(s.only) == 0 || match(s.only)) && !match(s.not)
}

// with adds what the selected checks need, so that -only works by itself.
func (s selection) with(all []check) map[string]bool {
	byID := map[string]check{}
	for _, c := range all {
		byID[c.id] = c
	}
	want := map[string]bool{}
	var add func(id string)
	add = func(id string) {
		if want[id] {
			return
		}
		want[id] = true
		for _, n := range byID[id].needs {
			add(n)
		}
	}
	for _, c := range all {
		if s.wants(c.id) {
			add(c.id)
		}
	}
	// What was refused by name stays refused, and its dependants say so.
	for _, c := range all {
		if slices.ContainsFunc(s.not, func(p string) bool { return selection{only: []string{p}}.wants(c.id) }) {
			want[c.id] = false
		}
	}
	return want
}

// execute runs the checks in their order and tells of each before and after.
// Whatever ends ctx, each check has its entry.
func execute(ctx context.Context, all []check, s selection, on *session, begin func(check), done func(entry)) []entry {
	want := s.with(all)
	var out []entry
	results := map[string]result{}
	for _, c := range all {
		e := entry{ID: c.id, Title: c.title}
		switch why := unmet(c, results, want); {
		case c.run == nil:
			e.Result, e.Instructions = manual, c.by
		case !want[c.id]:
			e.Result, e.Reason = skipped, "not asked for"
		case ctx.Err() != nil:
			e.Result, e.Reason = skipped, "interrupted before it began"
		case why != "":
			e.Result, e.Reason = skipped, why
		default:
			begin(c)
			start := on.now()
			f := runOne(ctx, c, on)
			e.Result, e.Reason, e.Figures = f.result, f.reason, f.figures
			e.DurationMS = on.now().Sub(start).Milliseconds()
		}
		results[c.id] = e.Result
		out = append(out, e)
		done(e)
	}
	return out
}

func unmet(c check, results map[string]result, want map[string]bool) string {
	for _, n := range c.needs {
		switch {
		case !want[n]:
			return "needs " + n + ", which was not asked for"
		case results[n] != passed:
			return "needs " + n + ": " + map[result]string{failed: "it failed", skipped: "it was skipped"}[results[n]]
		}
	}
	return ""
}

// runOne runs a check within its time. One that was cut short has no result,
// whatever it said.
func runOne(ctx context.Context, c check, s *session) finding {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	f := c.run(within, s)
	switch {
	case ctx.Err() != nil:
		return finding{skipped, "interrupted", f.figures}
	case within.Err() != nil && f.result != passed:
		return fail(fmt.Sprintf("did not finish within %s: %s", c.timeout, f.reason), f.figures...)
	}
	for _, fig := range f.figures {
		if f.result == passed && fig.over() {
			return fail(fmt.Sprintf("%s is %s, above %s", fig.Name, fig.text(fig.Value), fig.text(fig.Limit)), f.figures...)
		}
	}
	return f
}

// pollEvery paces looks at something that is about to change.
const pollEvery = 100 * time.Millisecond

// until looks until something holds, and returns how long that took.
func (s *session) until(ctx context.Context, within time.Duration, holds func() bool) (time.Duration, bool) {
	start := s.now()
	for {
		if holds() {
			return s.now().Sub(start), true
		}
		if s.now().Sub(start) >= within || s.sleep(ctx, pollEvery) != nil {
			return s.now().Sub(start), false
		}
	}
}
