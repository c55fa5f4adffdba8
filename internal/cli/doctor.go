package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/doctor"
	"github.com/flash-launcher/flash/internal/login"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/sandbox"
)

func (a *app) doctorCmd() *cobra.Command {
	var asJSON, ask bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong, and say what to do",
		Long: `Look at the resident, the configuration, the sandbox, the desktop and each plugin,
and say what to do about what is wrong. Works without a resident, too. Ends with 1 when there is a problem.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ask {
				if err := a.call(cmd.Context(), control.MethodAsk, nil, &control.Asked{}); err != nil {
					return err
				}
			}
			in, err := a.examine(cmd)
			if err != nil {
				return err
			}
			r := doctor.Check(in)
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				writeFindings(cmd.OutOrStdout(), r)
			}
			if err == nil && r.Problems > 0 {
				err = &exitError{code: ExitFailure, err: errors.New("there are problems"), quiet: true}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&ask, "ask", false, "first have the system ask you for a permission that the resident lacks")
	return cmd
}

// examine asks the resident; without one it looks at what one would find.
func (a *app) examine(cmd *cobra.Command) (in doctor.Input, err error) {
	defer func() {
		if p, noPaths := config.DefaultPaths(); noPaths == nil {
			in.Storage = storage(p)
		}
		if m, noLogin := login.Current(); noLogin == nil {
			s := m.Status(cmd.Context())
			in.Login = &s
		}
	}()
	var d control.Doctor
	err = a.call(cmd.Context(), control.MethodDoctor, nil, &d)
	switch {
	case err == nil:
		return doctor.Input{Resident: &d, Config: d.Status.Config, ConfigFaults: d.Status.ConfigFaults, Sandbox: d.Status.Sandbox}, nil
	case !errors.Is(err, control.ErrNotRunning):
		return doctor.Input{}, err
	}
	paths, perr := config.DefaultPaths()
	if perr != nil {
		return doctor.Input{}, perr
	}
	in = doctor.Input{NotRunning: "no resident answers", Config: paths.ConfigFile, Sandbox: doctor.Machine(sandbox.Available())}
	_, faults := config.Load(paths.ConfigFile)
	for _, f := range faults {
		in.ConfigFaults = append(in.ConfigFaults, f.Error())
	}
	return in, nil
}

// storage tries whether the folders take what is written to them: on a full or
// read-only disk Flash runs on, and neither logs nor remembers.
func storage(p config.Paths) []control.Check {
	var out []control.Check
	said := map[string]bool{}
	for _, f := range []struct{ name, dir string }{{"state", p.State}, {"log", p.Logs}, {"plugins' data", p.Data}} {
		c := control.Check{Name: f.name, OK: true, Detail: f.dir}
		if err := tryWriting(f.dir); err != nil {
			c.OK, c.Detail = false, fmt.Sprintf("%v; free space there, or make it writable for you", err)
			if said[c.Detail] {
				continue
			}
			said[c.Detail] = true
		}
		out = append(out, c)
	}
	return out
}

// tryWriting writes to dir, or to what it would be made in, and leaves nothing.
func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".flash-doctor-*")
	for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		f, err = os.CreateTemp(dir, ".flash-doctor-*")
	}
	if err == nil {
		defer os.Remove(f.Name())
		_, err = f.Write(make([]byte, os.Getpagesize()))
		err = errors.Join(err, f.Close())
	}
	// Not the name of the file that was tried, which nobody knows.
	var in *fs.PathError
	if errors.As(err, &in) {
		return fmt.Errorf("%s: %w", dir, in.Err)
	}
	return err
}

var findingMarks = map[doctor.State]string{doctor.OK: "ok", doctor.Note: "note", doctor.Problem: "PROBLEM"}

func writeFindings(w io.Writer, r doctor.Report) {
	area := ""
	for _, f := range r.Findings {
		if f.Area != area {
			area = f.Area
			fmt.Fprintf(w, "%s\n", area)
		}
		fmt.Fprintf(w, "  %-8s %s: %s\n", findingMarks[f.State], printable.Line(f.Name), printable.Line(f.Detail))
		if f.Remedy != "" {
			fmt.Fprintf(w, "  %-8s   → %s\n", "", printable.Line(f.Remedy))
		}
		for _, line := range f.Output {
			fmt.Fprintf(w, "  %-8s   | %s\n", "", printable.Line(line))
		}
	}
	switch r.Problems {
	case 0:
		fmt.Fprintln(w, "no problems")
	case 1:
		fmt.Fprintln(w, "1 problem")
	default:
		fmt.Fprintf(w, "%d problems\n", r.Problems)
	}
}
