package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/doctor"
)

// grant is a permission that only the person can give.
type grant struct {
	id, title, where string
	needs            []string
	// ask has macOS put the question, where a program can.
	ask func(context.Context, *session)
	// given looks whether it is there now.
	given func(context.Context, *session) (bool, string)
}

// personTime is how long a person may take to find a switch.
const personTime = 10 * time.Minute

func grants() []check {
	all := []grant{
		{
			id: "grant.accessibility", title: "Accessibility is allowed", needs: []string{"resident"},
			where: "Privacy & Security, Accessibility: switch on the application that this runs in (Terminal, iTerm). What it starts is allowed with it",
			ask:   func(ctx context.Context, s *session) { s.call(ctx, "doctor", "--ask") },
			given: func(ctx context.Context, s *session) (bool, string) {
				var r doctor.Report
				if err := s.query(ctx, &r, "doctor", "--json"); err != nil {
					return false, err.Error()
				}
				return holds(r, "desktop", "accessibility")
			},
		},
		{
			id: "grant.automation", title: "System Events may be scripted",
			where: "Privacy & Security, Automation: below the application that this runs in, switch on System Events",
			given: scripted(`tell application "System Events" to count processes`),
		},
		{
			id: "grant.textedit", title: "TextEdit may be scripted",
			where: "Privacy & Security, Automation: below the application that this runs in, switch on TextEdit",
			given: func(ctx context.Context, s *session) (bool, string) {
				s.leaveTextEdit(ctx)
				return scripted(`tell application "TextEdit" to count documents`)(ctx, s)
			},
		},
		{
			id: "grant.pointer", title: "The pointer may be read", needs: []string{"program"},
			where: "Privacy & Security, Accessibility and, where macOS lists it there, Input Monitoring: switch on the application that this runs in",
			given: func(ctx context.Context, s *session) (bool, string) {
				var st struct{ State, Detail string }
				if err := s.query(ctx, &st, "pointer", "status", "--json"); err != nil {
					return false, err.Error()
				}
				return st.State == "stopped", strings.TrimSuffix(st.State+": "+st.Detail, ": ")
			},
		},
	}
	checks := make([]check, 0, len(all))
	for _, g := range all {
		checks = append(checks, check{id: g.id, title: g.title, does: "looks, and asks you to: System Settings, " + g.where, needs: g.needs, timeout: personTime + time.Minute, run: g.check})
	}
	return checks
}

func scripted(line string) func(context.Context, *session) (bool, string) {
	return func(ctx context.Context, s *session) (bool, string) {
		o := s.script(ctx, line)
		return o.ok(), o.said()
	}
}

// check looks for the permission, and asks the person until it is there or they
// go on without it.
func (g grant) check(ctx context.Context, s *session) finding {
	if s.noGrants {
		return skip("-no-grants asks for no permission")
	}
	ok, detail := g.given(ctx, s)
	if ok {
		return pass("")
	}
	if s.yes {
		return skip("not given, and -yes asks nobody: " + detail)
	}
	if g.ask != nil {
		g.ask(ctx, s)
	}
	for {
		reply, err := s.ask(fmt.Sprintf("\n%s\n  Open System Settings, %s.\n  Then press Return; s and Return goes on without it. ", detail, g.where))
		switch {
		case err != nil:
			return skip("not given, and nobody answers: " + err.Error())
		case ctx.Err() != nil:
			return skip("not given in " + personTime.String())
		case strings.HasPrefix(strings.ToLower(strings.TrimSpace(reply)), "s"):
			return skip("not given: " + detail)
		}
		// It may take a moment until the system tells.
		if _, ok := s.until(ctx, soon, func() bool { ok, detail = g.given(ctx, s); return ok }); ok {
			return pass("")
		}
	}
}
