package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/rank"
)

func (a *app) historyCmd() *cobra.Command {
	var asJSON bool
	var item string
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show how much Flash has learned from what you choose",
		Long: `Show how much Flash has learned from what you choose. It is kept as row ids with a score and a
date, and puts what you take often first. [history] learning = false in the configuration stops it.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.history(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), h)
			}
			writeHistory(cmd, h)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	clear := &cobra.Command{
		Use:   "clear",
		Short: "Forget what was learned, of one row or of all",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("item") && item == "" {
				return fail(ExitUsage, "history clear: --item needs a row id; `flash query` prints them")
			}
			h, err := a.clearHistory(cmd.Context(), item)
			if err == nil {
				writeHistory(cmd, h)
			}
			return err
		},
	}
	clear.Flags().StringVar(&item, "item", "", "only of the row with this `ID`, as flash query prints it")
	cmd.AddCommand(clear)
	return cmd
}

func writeHistory(cmd *cobra.Command, h control.History) {
	learning := "learning is on"
	if !h.Learning {
		learning = "learning is off"
	}
	noun := "rows"
	if h.Items == 1 {
		noun = "row"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d %s learned, %s (%s)\n", h.Items, noun, learning, h.File)
}

// history asks the resident, or reads the file while none runs.
func (a *app) history(ctx context.Context) (control.History, error) {
	var h control.History
	err := a.call(ctx, control.MethodHistory, nil, &h)
	if !errors.Is(err, control.ErrNotRunning) {
		return h, err
	}
	_, h, err = learned()
	return h, err
}

// clearHistory has the resident forget, or changes the file while none runs.
func (a *app) clearHistory(ctx context.Context, item string) (control.History, error) {
	var h control.History
	err := a.call(ctx, control.MethodHistoryClear, control.HistoryClear{Item: item}, &h)
	if !errors.Is(err, control.ErrNotRunning) {
		return h, err
	}
	store, h, err := learned()
	switch {
	case err != nil:
		return h, err
	case item == "":
		h.Items = 0
		return h, store.ClearAll()
	case store.Score(item, time.Now()) == 0:
		return h, fail(ExitNotFound, "history: nothing is learned of row %q; `flash query` prints row ids", item)
	}
	h.Items--
	return h, store.Clear(item)
}

// learned opens the file as the resident would.
func learned() (*rank.Store, control.History, error) {
	p, err := config.DefaultPaths()
	if err != nil {
		return nil, control.History{}, err
	}
	c, _ := config.Load(p.ConfigFile)
	h := control.History{File: filepath.Join(p.State, control.FrecencyFile), Learning: c.History.Learning}
	store, err := rank.Open(h.File, time.Now)
	if err != nil {
		return nil, h, err
	}
	h.Items = len(store.Scores(time.Now()))
	return store, h, nil
}
