package cli

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/devtool/play"
)

func devWatchCmd() *cobra.Command {
	var build string
	cmd := &cobra.Command{
		Use:   "watch [PLUGIN]",
		Short: "Build and start a plugin again whenever its files change",
		Long: `Build and start a plugin again whenever its files change, and show its frames. The build is
--build, else make where the folder has a Makefile. While a build fails the last one that did not
goes on. A resident that has the plugin in one of its plugin folders starts it anew by itself,
within a second of the build. Without PLUGIN it is the folder one stands in.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return watchPlugin(cmd, append(args, ".")[0], build)
		},
	}
	cmd.Flags().StringVar(&build, "build", "", "command that builds the plugin, run by sh in its folder")
	return cmd
}

func watchPlugin(cmd *cobra.Command, what, build string) error {
	ctx := cmd.Context()
	w, err := devtool.Open()
	if err != nil {
		return err
	}
	dir, err := w.Folder(what)
	if err != nil {
		return notFound(err)
	}
	build = devtool.BuildCommand(dir, build)
	changes, err := devtool.WatchChanges(dir)
	if err != nil {
		return err
	}
	defer changes.Close()

	out := &lockedWriter{w: cmd.OutOrStdout()}
	stop := func() {}
	defer func() { stop() }()
	for first := true; ; first = false {
		program := devtool.Program(dir)
		if build != "" {
			changes.Product(devtool.Product(program))
		}
		was := devtool.ModTime(program)
		err := devtool.Build(ctx, dir, build, cmd.ErrOrStderr())
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			fmt.Fprintf(out, "# %v\n", err)
		} else {
			stop()
			if !first && devtool.ModTime(program).Equal(was) {
				// What changed is beside the program, where a resident does not look.
				devtool.Touch(program)
			}
			stop = playOn(cmd, dir, out)
		}
		if changes.Built() {
			fmt.Fprintln(out, "# changed during the build")
			continue
		}
		if err := changes.Next(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		fmt.Fprintln(out, "# changed")
	}
}

// playOn runs the plugin in the background. stop ends it as a host does, and
// returns once it has ended.
func playOn(cmd *cobra.Command, dir string, out io.Writer) (stop func()) {
	round, end := context.WithCancel(cmd.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := playUntil(round, cmd, dir, out); err != nil && cmd.Context().Err() == nil {
			fmt.Fprintf(out, "# %v\n", err)
		}
	}()
	return func() {
		end()
		<-ended
	}
}

// playUntil runs the plugin until round ends and then ends it as a host does.
func playUntil(round context.Context, cmd *cobra.Command, dir string, out io.Writer) error {
	w, def, err := findPlugin(dir)
	if err != nil {
		return err
	}
	o, done, err := playOptions(cmd, w, def, "", true)
	if err != nil {
		return err
	}
	defer done()
	o.In, o.Out = silence{round}, out
	return play.Run(cmd.Context(), o)
}

// silence says nothing until its context ends.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}

// lockedWriter takes one write at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
