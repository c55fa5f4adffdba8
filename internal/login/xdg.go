package login

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func (m *Manager) configHome() string {
	if v := m.o.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(v) {
		return v
	}
	return filepath.Join(m.o.Home, ".config")
}

func (m *Manager) entry() file {
	return file{filepath.Join(m.configHome(), "autostart", entryName), AutostartEntry, entryProgram, entryOn}
}

func (m *Manager) unit() file { return unitIn(filepath.Join(m.configHome(), "systemd", "user")) }

func unitIn(dir string) file {
	return file{path: filepath.Join(dir, Unit), write: UserUnit, program: unitProgram}
}

// wanted is the link by which the user's manager starts the unit.
func (m *Manager) wanted() string {
	return filepath.Join(m.configHome(), "systemd", "user", "default.target.wants", Unit)
}

// managed reports whether a systemd user manager answers.
func managed(ctx context.Context) bool {
	if _, err := exec.LookPath("systemctl"); err != nil {
		return false
	}
	// It answers with how the system is, and an exit code that is not about us.
	out, _ := tool(ctx, "systemctl", "--user", "is-system-running")
	switch strings.TrimSpace(out) {
	case "", "offline", "unknown":
		return false
	}
	return true
}

// packaged is the unit of an installed package that starts the same program.
func (m *Manager) packaged(program string) (string, bool) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", false
	}
	for _, dir := range m.o.UnitDirs {
		u := unitIn(dir)
		is, err := u.look()
		if err != nil || !is.ours {
			continue
		}
		if to, err := filepath.EvalSymlinks(is.program); err == nil && to == real {
			return u.path, true
		}
	}
	return "", false
}

func (m *Manager) enableXDG(ctx context.Context, r *Result, force bool) error {
	entry, unit := m.entry(), m.unit()
	systemd := managed(ctx)
	// Both are looked at before either is changed.
	_, err := entry.check(force)
	var own found
	if systemd {
		var unitErr error
		own, unitErr = unit.check(force)
		err = errors.Join(err, unitErr)
	}
	if err != nil {
		return err
	}
	if systemd {
		if _, ok := m.packaged(r.Program); !ok || own.there {
			if _, err := unit.place(r.Program, force, r); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{"--user", "daemon-reload"}, {"--user", "enable", Unit}} {
			if _, err := tool(ctx, "systemctl", args...); err != nil {
				return err
			}
		}
	}
	_, err = entry.place(r.Program, force, r)
	return err
}

func (m *Manager) disableXDG(ctx context.Context, r *Result, force bool) error {
	entry, unit := m.entry(), m.unit()
	_, err := os.Lstat(m.wanted())
	wanted := err == nil
	own, unitErr := unit.look()
	if own.there && !own.ours && wanted {
		_, unitErr = unit.check(force)
	}
	if _, err := entry.check(force); err != nil || unitErr != nil {
		return errors.Join(err, unitErr)
	}
	systemd := managed(ctx)
	if wanted {
		if systemd {
			_, err = tool(ctx, "systemctl", "--user", "disable", Unit)
		} else {
			err = os.Remove(m.wanted())
		}
		if err != nil {
			return err
		}
	}
	// A unit that nothing wants starts nothing, so another's may stay.
	if own.ours {
		if _, err := unit.remove(force, r); err != nil {
			return err
		}
		if systemd {
			if _, err := tool(ctx, "systemctl", "--user", "daemon-reload"); err != nil {
				r.note(err.Error())
			}
		}
	}
	_, err = entry.remove(force, r)
	return err
}

func (m *Manager) statusXDG() State {
	s := State{By: []string{}, Files: []string{}}
	add := func(by, path string, is found) {
		s.Enabled = true
		s.By, s.Files = append(s.By, by), append(s.Files, path)
		if s.Program == "" {
			s.Program = is.program
		}
		switch gone := missing(path, is.program); {
		case s.Problem != "":
		case !is.ours:
			s.Problem, s.Remedy = path+" is not as Flash writes it", "leave it if it is as you want it, or `flash autostart enable --force`"
		case gone != "":
			s.Problem, s.Remedy = gone, "flash autostart enable"
		}
	}
	if to, err := os.Readlink(m.wanted()); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(m.wanted()), to)
		}
		is, err := unitIn(filepath.Dir(to)).look()
		if err == nil && is.there {
			add("systemd unit", to, is)
		} else {
			s.Problem, s.Remedy = m.wanted()+" leads to a unit that is gone", "flash autostart enable"
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.Problem, s.Remedy = err.Error(), "remove it, then `flash autostart enable`"
	}
	entry := m.entry()
	if is, err := entry.look(); err != nil {
		s.Problem, s.Remedy = err.Error(), "make the file readable, or remove it"
	} else if is.off {
		s.Problem, s.Remedy = entry.path+" was switched off in the settings of the desktop", "flash autostart enable, or disable to remove the rest"
	} else if is.there {
		add("autostart entry", entry.path, is)
	}
	return s
}
