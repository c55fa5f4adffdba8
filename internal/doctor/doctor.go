// Package doctor makes findings out of what is known of a resident, its
// configuration and the machine: what works, what is worth knowing, what is
// wrong, and for that what to do. It looks at nothing itself and changes nothing.
package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/login"
)

// State is how bad a finding is.
type State string

// The states. Only a problem needs the user.
const (
	OK      State = "ok"
	Note    State = "note"
	Problem State = "problem"
)

// Finding is one thing that was looked at.
type Finding struct {
	Area   string `json:"area"` // resident, configuration, storage, sandbox, desktop, plugins
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
	// Output is the last that a plugin wrote to stderr.
	Output []string `json:"output,omitempty"`
}

// Report is what `flash doctor --json` prints.
type Report struct {
	Findings []Finding `json:"findings"`
	Problems int       `json:"problems"`
}

// Input is what is known. Resident is nil when none answers: then the sandbox
// and the configuration are those that one would have.
type Input struct {
	Resident     *control.Doctor
	NotRunning   string // why none answers
	Config       string // the file
	ConfigFaults []string
	Storage      []control.Check // the folders that a resident writes to
	Sandbox      []control.Check
	Login        *login.State // whether it starts at login; nil where that is not known
}

// SlowStart is a start of a plugin that is worth a note: the budget for a cold
// one is 100 ms.
const SlowStart = time.Second

// Check makes the findings, in the order of areas.
func Check(in Input) Report {
	var r Report
	r.resident(in)
	r.login(in.Login)
	r.configuration(in)
	r.checks("storage", in.Storage, Problem)
	if in.Resident != nil {
		for _, f := range in.Resident.Status.StateFaults {
			r.add(Finding{Area: "storage", Name: "at the start", State: Problem, Detail: f})
		}
	}
	r.checks("sandbox", in.Sandbox, Problem)
	if in.Resident != nil {
		r.checks("desktop", in.Resident.Status.Desktop, Note)
		for _, f := range in.Resident.Status.PluginFaults {
			r.add(Finding{Area: "plugins", Name: "manifest", State: Problem, Detail: f, Remedy: "mend the manifest; it is read again at once"})
		}
		for _, p := range in.Resident.Plugins {
			r.plugin(p)
		}
	}
	return r
}

func (r *Report) add(f Finding) {
	if f.State == Problem {
		r.Problems++
	}
	r.Findings = append(r.Findings, f)
}

func (r *Report) resident(in Input) {
	if in.Resident == nil {
		r.add(Finding{Area: "resident", Name: "running", State: Problem, Detail: in.NotRunning, Remedy: "flash start"})
		return
	}
	st := in.Resident.Status
	r.add(Finding{Area: "resident", Name: "running", State: OK,
		Detail: fmt.Sprintf("%s, pid %d, up %s", st.Version, st.PID, time.Duration(st.UptimeSeconds)*time.Second)})
}

func (r *Report) login(s *login.State) {
	switch {
	case s == nil:
	case s.Problem != "":
		r.add(Finding{Area: "resident", Name: "start at login", State: Problem, Detail: s.Problem, Remedy: s.Remedy})
	case s.Enabled:
		r.add(Finding{Area: "resident", Name: "start at login", State: OK, Detail: "on, by " + strings.Join(s.By, " and ")})
	default:
		r.add(Finding{Area: "resident", Name: "start at login", State: OK, Detail: "off; `flash autostart enable` turns it on"})
	}
}

func (r *Report) configuration(in Input) {
	for _, f := range in.ConfigFaults {
		r.add(Finding{Area: "configuration", Name: in.Config, State: Problem, Detail: strings.TrimSpace(strings.TrimPrefix(f, in.Config+":")), Remedy: "mend the file; it is read again at once, and the last good value stays until then"})
	}
	if len(in.ConfigFaults) == 0 {
		r.add(Finding{Area: "configuration", Name: in.Config, State: OK, Detail: "no faults"})
	}
}

// checks takes over what the host looked at; a failed one's detail is its remedy.
func (r *Report) checks(area string, all []control.Check, bad State) {
	for _, c := range all {
		f := Finding{Area: area, Name: c.Name, State: OK, Detail: c.Detail}
		if !c.OK {
			f.State = bad
		}
		r.add(f)
	}
}

func (r *Report) plugin(p control.DoctorPlugin) {
	f := Finding{Area: "plugins", Name: p.ID, State: OK, Detail: p.State}
	switch p.State {
	case "running":
		f.Detail = fmt.Sprintf("running, %d rows, started in %.0f ms", p.Rows, p.InitializeMS)
		if p.InitializeMS > float64(SlowStart.Milliseconds()) {
			f.State, f.Remedy = Note, "a plugin answers initialize at once and does its work afterwards; its author can measure it with `flash plugin-dev bench`"
		}
	case "initial", "launching", "installing":
		f.State, f.Detail = Problem, fmt.Sprintf("%s for %d ms", p.State, p.StateMS)
		f.Remedy = "it is ended and started anew at [plugins] startup_timeout; `flash logs` says more"
		if p.State == "installing" {
			f.State, f.Remedy = Note, "its install step runs"
		}
	case "backoff", "failed":
		f.State, f.Detail, f.Output = Problem, p.State+": "+p.LastError, p.Stderr
		f.Remedy = "once mended, `flash plugin reload " + p.ID + "`"
		if p.State == "backoff" {
			f.Remedy = "it is started anew by itself; `flash plugin disable " + p.ID + "` leaves it off"
		}
	default:
		if f.Detail = p.Why; p.Why == "" {
			f.Detail = p.State
		}
		if p.Waits {
			f.State = Note
		}
	}
	if p.ManifestError != "" {
		f.State, f.Remedy = Problem, "the last good manifest is in force: "+p.ManifestError
	}
	r.add(f)
	if p.Unconfined {
		r.add(Finding{Area: "plugins", Name: p.ID, State: Note, Detail: "runs without a sandbox, as the configuration says",
			Remedy: "remove `sandbox = false` from [plugin." + p.ID + "]"})
	}
}
