package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// report is what is written of a run.
type report struct {
	SchemaVersion int       `json:"schema_version"`
	Date          time.Time `json:"date"`
	Commit        string    `json:"commit"`
	Modified      bool      `json:"modified"` // the checkout differs from the commit
	Flash         string    `json:"flash"`    // its version
	Identity      string    `json:"identity"` // it was signed with; "-" is ad hoc
	Machine       machine   `json:"machine"`
	Options       []string  `json:"options"` // as given on the command line
	// Complete is false when the run was interrupted.
	Complete bool    `json:"complete"`
	Summary  summary `json:"summary"`
	Checks   []entry `json:"checks"`
}

// machine is the Mac that the run was on.
type machine struct {
	OS      string `json:"os"`
	Version string `json:"version"`
	Build   string `json:"build"`
	Arch    string `json:"arch"`
	Model   string `json:"model"`
	CPU     string `json:"cpu"`
	Go      string `json:"go"`
}

type summary struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Manual  int `json:"manual"`
}

// entry is one check in the report.
type entry struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Result       result   `json:"result"`
	Reason       string   `json:"reason,omitempty"`
	Instructions string   `json:"instructions,omitempty"`
	Figures      []figure `json:"figures,omitempty"`
	DurationMS   int64    `json:"duration_ms"`
}

func (r *report) take(entries []entry) {
	r.Checks, r.Summary = entries, summary{}
	for _, e := range entries {
		switch e.Result {
		case passed:
			r.Summary.Passed++
		case failed:
			r.Summary.Failed++
		case manual:
			r.Summary.Manual++
		default:
			r.Summary.Skipped++
		}
	}
}

func (s summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped, %d to check by hand", s.Passed, s.Failed, s.Skipped, s.Manual)
}

func (f figure) text(v float64) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".") + " " + f.Unit)
}

func (f figure) String() string {
	text := f.Name + " " + f.text(f.Value)
	if f.Limit > 0 {
		text += " (at most " + f.text(f.Limit) + ")"
	}
	return text
}

// line is an entry as the terminal and the text show it.
func (e entry) line() string {
	mark := map[result]string{passed: "pass", failed: "FAIL", skipped: "skipped", manual: "manual"}[e.Result]
	text := fmt.Sprintf("%-8s %-28s %s", mark, e.ID, e.Title)
	if e.DurationMS > 0 {
		text += fmt.Sprintf(" (%.1f s)", float64(e.DurationMS)/1000)
	}
	for _, more := range append([]string{e.Reason, e.Instructions}, figureLines(e.Figures)...) {
		for line := range strings.Lines(more) {
			text += "\n         " + strings.TrimRight(line, "\n")
		}
	}
	return text
}

func figureLines(all []figure) (out []string) {
	for _, f := range all {
		out = append(out, f.String())
	}
	return out
}

func (r *report) text(w io.Writer) error {
	modified, unfinished := "", ""
	if r.Modified {
		modified = ", modified"
	}
	if !r.Complete {
		unfinished = "\nThe run was interrupted; what is skipped says nothing.\n"
	}
	_, err := fmt.Fprintf(w, "Flash %s, commit %s%s, signed by %s\n%s %s (%s), %s, %s, %s, %s\n%s\n%s",
		r.Flash, r.Commit, modified, r.Identity,
		r.Machine.OS, r.Machine.Version, r.Machine.Build, r.Machine.Arch, r.Machine.Model, r.Machine.CPU, r.Machine.Go,
		r.Date.Format(time.RFC3339), unfinished)
	for _, e := range r.Checks {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s\n", e.line())
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "\n%s\n", r.Summary)
	}
	return err
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// write puts both forms into a folder and returns their paths.
func (r *report) write(dir string) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, form := range []struct {
		name  string
		write func(io.Writer) error
	}{{"report.txt", r.text}, {"report.json", r.json}} {
		path := filepath.Join(dir, form.name)
		f, err := os.Create(path)
		if err != nil {
			return paths, err
		}
		if err := errors.Join(form.write(f), f.Close()); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// exitCode: only a run to its end without failures is 0.
func (r *report) exitCode() int {
	switch {
	case !r.Complete:
		return exitInterrupted
	case r.Summary.Failed > 0:
		return exitFailed
	}
	return exitOK
}
