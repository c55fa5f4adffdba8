package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// Run steps a fresh engine through t and hands each decision to got.
func (t Trace) Run(got func(i int, e Event, d engine.Decision)) {
	var state engine.State
	names := NewNames(t.Settings)
	for i, e := range t.In {
		ev := names.Engine(e)
		got(i, e, engine.Step(&state, &t.Settings.Engine, &ev))
	}
}

// Replay prints what the engine does with every event of the traces: one JSON
// object an event, or lines for people.
func Replay(w io.Writer, traces []Trace, asJSON bool) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	var failed error
	for _, t := range traces {
		if !asJSON && t.ID != "" {
			fmt.Fprintf(out, "# %s %s\n", t.ID, t.Note)
		}
		t.Run(func(_ int, e Event, d engine.Decision) {
			if asJSON {
				if err := enc.Encode(Of(d)); err != nil && failed == nil {
					failed = err
				}
				return
			}
			fmt.Fprintln(out, Text(e, d))
		})
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return failed
}

// Check compares the traces that say what they want with what the engine does,
// and returns one line for each difference.
func Check(traces []Trace) (checked int, differences []string) {
	for _, t := range traces {
		if t.Want == nil {
			continue
		}
		t.Run(func(i int, e Event, d engine.Decision) {
			checked++
			if got := Of(d); got != t.Want[i] {
				differences = append(differences, fmt.Sprintf("%s event %d: got %+v, want %+v (%s)", t.ID, i, got, t.Want[i], Text(e, d)))
			}
		})
	}
	return checked, differences
}
