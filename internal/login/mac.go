package login

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

func (m *Manager) agent() file {
	return file{path: filepath.Join(m.o.Home, "Library", "LaunchAgents", Label+".plist"), write: LaunchAgent, program: agentProgram}
}

// domain is where launchd keeps the jobs of the user's graphical session.
func (m *Manager) domain() string { return "gui/" + strconv.Itoa(m.o.UID) }

func (m *Manager) target() string { return m.domain() + "/" + Label }

// job is what launchd has of the agent now. A running one is the resident.
func (m *Manager) job(ctx context.Context) (loaded, running bool) {
	text, err := tool(ctx, "launchctl", "print", m.target())
	return err == nil, err == nil && jobRuns(text)
}

// jobRuns reads launchd's description of a job, whose form is not promised: a
// job that runs has a pid.
func jobRuns(text string) bool {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "pid = "); ok {
			n, err := strconv.Atoi(value)
			return err == nil && n > 0
		}
	}
	return false
}

func (m *Manager) enableMac(ctx context.Context, r *Result, force bool) error {
	agent := m.agent()
	changed, err := agent.place(r.Program, force, r)
	if err != nil {
		return err
	}
	// Switching it off in System Settings is a mark of launchd's own, which
	// outlives the file.
	if _, err := tool(ctx, "launchctl", "enable", m.target()); err != nil {
		r.note(err.Error())
	}
	loaded, running := m.job(ctx)
	switch {
	case loaded && !changed:
		return nil
	case running:
		r.note("the resident that launchd runs goes on; what has changed counts from the next login on")
		return nil
	case loaded:
		if _, err := tool(ctx, "launchctl", "bootout", m.target()); err != nil {
			return fmt.Errorf("launchd keeps what %s said before: %w", agent.path, err)
		}
	}
	if _, err := tool(ctx, "launchctl", "bootstrap", m.domain(), agent.path); err != nil {
		if _, none := tool(ctx, "launchctl", "print", m.domain()); none != nil {
			r.note("there is no graphical session now; it counts from the next login on")
			return nil
		}
		return fmt.Errorf("%s is written, and launchd does not take it: %w", agent.path, err)
	}
	return nil
}

func (m *Manager) disableMac(ctx context.Context, r *Result, force bool) error {
	// Without the file there is nothing of this home that launchd could have.
	if was, err := m.agent().remove(force, r); err != nil || !was {
		return err
	}
	switch loaded, running := m.job(ctx); {
	case running:
		// Taking the job from launchd would end it.
		r.note("the resident goes on until you log out or `flash stop` ends it")
	case loaded:
		if _, err := tool(ctx, "launchctl", "bootout", m.target()); err != nil {
			return fmt.Errorf("the agent is removed, and launchd keeps it until you log out: %w", err)
		}
	}
	return nil
}

func (m *Manager) statusMac(ctx context.Context) State {
	agent := m.agent()
	is, err := agent.look()
	s := State{By: []string{}, Files: []string{}}
	switch {
	case err != nil:
		s.Problem, s.Remedy = err.Error(), "make the file readable, or remove it"
		return s
	case !is.there:
		return s
	}
	s.Enabled, s.By, s.Files, s.Program = true, []string{"launch agent"}, []string{agent.path}, is.program
	switch {
	case !is.ours:
		s.Problem, s.Remedy = agent.path+" is not as Flash writes it", "leave it if it is as you want it, or `flash autostart enable --force`"
	case missing(agent.path, is.program) != "":
		s.Problem, s.Remedy = missing(agent.path, is.program), "flash autostart enable"
	}
	if text, err := tool(ctx, "launchctl", "print-disabled", m.domain()); err == nil && switchedOff(text) {
		s.Enabled = false
		s.Problem, s.Remedy = "Flash is switched off in System Settings, General, Login Items", "flash autostart enable"
	}
	return s
}

// switchedOff reads the list of what the user has switched off; older versions
// of macOS say true for disabled.
func switchedOff(text string) bool {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if ok && strings.Trim(name, `"`) == Label {
			return value == "disabled" || value == "true"
		}
	}
	return false
}
