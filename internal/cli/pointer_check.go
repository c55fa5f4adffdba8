package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/printable"
)

func (a *app) pointerCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "List the pointing devices, and what the worker would change of each",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, _, err := pointerSettings(cmd)
			if err != nil {
				return err
			}
			r := worker.Check(s, "")
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), r); err != nil {
					return err
				}
			} else {
				var rows [][]string
				for _, d := range r.Devices {
					buttons := "-"
					if d.Buttons > 0 {
						buttons = strconv.Itoa(d.Buttons)
					}
					rows = append(rows, []string{d.Name, d.USB(), d.Model, buttons, strings.Join(d.Changes, ", "), d.Source})
				}
				table(cmd.OutOrStdout(), []string{"DEVICE", "VENDOR:PRODUCT", "MODEL", "BUTTONS", "CHANGED", "FROM"}, rows)
				for _, n := range r.Notes {
					fmt.Fprintln(cmd.ErrOrStderr(), "flash: "+printable.Line(n))
				}
			}
			return pointerError(r.Err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
