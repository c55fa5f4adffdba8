package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/devtool/play"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

func devRunCmd() *cobra.Command {
	var record, replay, data string
	var open bool
	cmd := &cobra.Command{
		Use:   "run [PLUGIN]",
		Short: "Talk to a plugin in its sandbox and see every frame",
		Long:  "Talk to a plugin in its sandbox and see every frame: → of the host, ← of the plugin,\n! its stderr, # a remark. The host is scripted: it grants what the manifest does, and\nopens, copies and fetches nothing. Without PLUGIN it is the folder one stands in.\nLines on stdin say what happens:\n\n" + play.Help,
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if sameFile(record, replay) {
				return fail(ExitUsage, "run: --record would empty %s before --replay reads it; name another file", replay)
			}
			w, def, err := findPlugin(append(args, ".")[0])
			if err != nil {
				return err
			}
			o, done, err := playOptions(cmd, w, def, data, !open)
			if err != nil {
				return err
			}
			defer done()
			if replay != "" {
				f, err := os.Open(replay)
				if err != nil {
					return &exitError{code: ExitNotFound, err: fmt.Errorf("the recording: %w", err)}
				}
				defer f.Close()
				o.Replay = f
			}
			if record != "" {
				f, err := os.Create(record)
				if err != nil {
					return fmt.Errorf("the recording: %w", err)
				}
				defer func() { err = errors.Join(err, f.Close()) }()
				o.Record = f
			}
			return play.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&record, "record", "", "write all frames to this file")
	cmd.Flags().StringVar(&replay, "replay", "", "send what the host sent in this recording, and compare")
	cmd.Flags().StringVar(&data, "data", "", "data directory of the plugin (default: one that is removed afterwards)")
	cmd.Flags().BoolVar(&open, "no-sandbox", false, "start it unconfined")
	return cmd
}

// playOptions makes the options of a session and what cleans up after it.
func playOptions(cmd *cobra.Command, w *devtool.World, def manifest.Definition, data string, confined bool) (play.Options, func(), error) {
	done := func() {}
	if data == "" {
		temp, err := os.MkdirTemp("", "flash-plugin-data-*")
		if err != nil {
			return play.Options{}, nil, err
		}
		data, done = temp, func() { _ = os.RemoveAll(temp) }
	} else if err := os.MkdirAll(data, 0o700); err != nil {
		return play.Options{}, nil, fmt.Errorf("the data directory: %w", err)
	}
	data, err := filepath.Abs(data)
	if err != nil {
		return play.Options{}, nil, err
	}
	terminal := isTerminal(cmd.OutOrStdout())
	return play.Options{
		Manifest: def.Manifest, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Terminal: terminal, Color: terminal && wantsColor(),
		Script: !readsTerminal(cmd.InOrStdin()),
		Start: func(ctx context.Context) (*sandbox.Process, error) {
			return w.Start(ctx, def, data, confined, devtool.Debug)
		},
	}, done, nil
}

// wantsColor heeds https://no-color.org, and terminals that know no colours.
func wantsColor() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }

func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func readsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
