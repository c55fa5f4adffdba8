package main

import (
	"context"
	"time"
)

// result is what came of a check.
type result string

// The results. What was not run to its end is skipped, and what this program
// cannot run at all is manual; neither counts as passed anywhere.
const (
	passed  result = "pass"
	failed  result = "fail"
	skipped result = "skipped"
	manual  result = "manual"
)

// check is one behaviour to look at.
type check struct {
	id, title string
	does      string   // how it looks at it
	needs     []string // checks that must have passed before
	timeout   time.Duration
	run       func(context.Context, *session) finding
	// by is how a person checks it; then there is no run.
	by string
}

// figure is a number that was measured. A limit of 0 is none.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit,omitempty"`
}

// over reports whether a figure is above its limit.
func (f figure) over() bool { return f.Limit > 0 && f.Value > f.Limit }

// finding is what running a check gave.
type finding struct {
	result  result
	reason  string
	figures []figure
}

func pass(reason string, figures ...figure) finding { return finding{passed, reason, figures} }

func fail(reason string, figures ...figure) finding { return finding{failed, reason, figures} }

func skip(reason string) finding { return finding{result: skipped, reason: reason} }
