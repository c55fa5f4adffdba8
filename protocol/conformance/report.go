package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// frameShown is how much of a frame a failure prints.
const frameShown = 2000

// Status is the outcome of one scenario.
type Status string

// The outcomes. A scenario is skipped when the manifest does not declare what
// it requires.
const (
	Passed  Status = "pass"
	Failed  Status = "fail"
	Skipped Status = "skip"
)

// Report is what a run found, in the order of the scenarios' names.
type Report struct {
	Plugin  string   `json:"plugin"`
	Version string   `json:"version"`
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Results []Result `json:"results"`
}

// Result is the outcome of one scenario.
type Result struct {
	Scenario  string   `json:"scenario"`
	About     string   `json:"about"`
	Status    Status   `json:"status"`
	Reason    string   `json:"reason,omitempty"` // of a skip
	Failure   *Failure `json:"failure,omitempty"`
	ElapsedMS int64    `json:"elapsed_ms"`
	// Notes are what a host would mind and the wire does not forbid.
	Notes []string `json:"notes,omitempty"`
}

// Failure is the first step that did not hold.
type Failure struct {
	Step       string   `json:"step,omitempty"`       // which one, as it stands in the scenario
	Frame      string   `json:"frame,omitempty"`      // the frame that was looked at
	Want       string   `json:"want,omitempty"`       // the expectation
	Difference string   `json:"difference"`           // how they differ
	Transcript []string `json:"transcript,omitempty"` // the last frames both ways
	Stderr     string   `json:"stderr,omitempty"`     // the end of what the plugin said there
}

// Error makes a Failure an error within the package's own flow.
func (f *Failure) Error() string { return f.Difference }

// OK reports whether nothing failed and something was tried.
func (r Report) OK() bool { return r.Failed == 0 && r.Passed > 0 }

// WriteJSON writes the report as one indented JSON document.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes the report for a person: failures in full, the rest in a line each.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.text(&b, func(Result) bool { return true })
	fmt.Fprintf(&b, "%s %s: %d passed, %d failed, %d do not apply\n", r.Plugin, r.Version, r.Passed, r.Failed, r.Skipped)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteFailures writes the scenarios that failed and nothing else.
func (r Report) WriteFailures(w io.Writer) error {
	var b strings.Builder
	r.text(&b, func(res Result) bool { return res.Status == Failed })
	_, err := io.WriteString(w, b.String())
	return err
}

// text shows each way of failing once: a plugin that does not even start fails
// in every scenario alike.
func (r Report) text(b *strings.Builder, shows func(Result) bool) {
	seen := map[string]string{}
	for _, res := range r.Results {
		if !shows(res) {
			continue
		}
		fmt.Fprintf(b, "%-4s  %s  (%d ms)", res.Status, res.Scenario, res.ElapsedMS)
		first := ""
		if res.Failure != nil {
			first = seen[res.Failure.sameness()]
		}
		if first != "" {
			fmt.Fprintf(b, "  as %s\n", first)
			continue
		}
		b.WriteString("\n")
		if res.Reason != "" {
			fmt.Fprintf(b, "      %s\n", res.Reason)
		}
		for _, note := range res.Notes {
			fmt.Fprintf(b, "      note: %s\n", note)
		}
		if f := res.Failure; f != nil {
			seen[f.sameness()] = res.Scenario
			fmt.Fprintf(b, "      %s\n", res.About)
			f.text(b)
		}
	}
}

// sameness is equal in failures of which one tells all that the other does.
func (f *Failure) sameness() string {
	return strings.Join([]string{f.Frame, f.Want, f.Difference, f.Stderr}, "\x00")
}

func (f *Failure) text(b *strings.Builder) {
	for _, part := range []struct{ name, text string }{
		{"step", f.Step}, {"frame", f.Frame}, {"want", f.Want}, {"differs", f.Difference},
		{"frames", strings.Join(f.Transcript, "\n")}, {"stderr", f.Stderr},
	} {
		if part.text == "" {
			continue
		}
		fmt.Fprintf(b, "      %-8s %s\n", part.name, strings.ReplaceAll(strings.TrimRight(part.text, "\n"), "\n", "\n               "))
	}
}

func join(lines []string) string {
	const shown = 12
	if len(lines) > shown {
		lines = append(lines[:shown:shown], fmt.Sprintf("… and %d more", len(lines)-shown))
	}
	return strings.Join(lines, "\n")
}
