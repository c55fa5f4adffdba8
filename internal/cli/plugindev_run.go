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
		Use:   "run PLUGIN",
		Short: "Talk to a plugin in its sandbox and see every frame",
		Long:  "Talk to a plugin in its sandbox and see every frame: → of the host, ← of the plugin,\n! its stderr, # a remark. The host is scripted: it grants what the manifest does, and\nopens, copies and fetches nothing. Lines on stdin say what happens:\n\n" + play.Help,
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			w, def, err := findPlugin(args[0])
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
	return play.Options{
		Manifest: def.Manifest, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Color: isTerminal(cmd.OutOrStdout()),
		Script: !readsTerminal(cmd.InOrStdin()),
		Start:  func(ctx context.Context) (*sandbox.Process, error) { return w.Start(ctx, def, data, confined) },
	}, done, nil
}

func readsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func devWatchCmd() *cobra.Command {
	var build string
	cmd := &cobra.Command{
		Use:   "watch DIR",
		Short: "Build and start a plugin again whenever its files change",
		Long: `Build and start a plugin again whenever its files change, and show its frames. The build is
--build, else make where the folder has a Makefile. A resident that has the plugin in one of its
plugin folders starts it anew by itself, within a second of the build.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return watchPlugin(cmd, args[0], build) },
	}
	cmd.Flags().StringVar(&build, "build", "", "command that builds the plugin, run by sh in its folder")
	return cmd
}

func watchPlugin(cmd *cobra.Command, dir, build string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, manifest.FileName)); err != nil {
		return &exitError{code: ExitNotFound, err: fmt.Errorf("%s is no plugin's folder: %w", dir, err)}
	}
	build = devtool.BuildCommand(dir, build)
	built := ""
	if build != "" {
		built = devtool.Product(filepath.Join(dir, filepath.Base(dir)))
	}
	changes, err := devtool.WatchChanges(dir, built)
	if err != nil {
		return err
	}
	defer changes.Close()
	for {
		round, stop := context.WithCancel(ctx)
		played := make(chan error, 1)
		if err := devtool.Build(ctx, dir, build, cmd.ErrOrStderr()); err != nil {
			played <- err
		} else {
			changes.Drop()
			go func() { played <- playUntil(round, cmd, dir) }()
		}
		err := changes.Next(ctx)
		stop()
		if problem := <-played; problem != nil && ctx.Err() == nil {
			fmt.Fprintf(out, "# %v\n", problem)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		fmt.Fprintln(out, "# changed")
	}
}

// playUntil runs the plugin until round ends and then ends it as a host does.
func playUntil(round context.Context, cmd *cobra.Command, dir string) error {
	w, def, err := findPlugin(dir)
	if err != nil {
		return err
	}
	o, done, err := playOptions(cmd, w, def, "", true)
	if err != nil {
		return err
	}
	defer done()
	o.In = silence{round}
	return play.Run(cmd.Context(), o)
}

// silence says nothing until its context ends.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}
