package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

func (a *app) pluginInstallCmd() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "install ID",
		Short: "Look at the install step of a plugin of your own, and run it",
		Long: `Some plugins have to be made ready once: a folder of scripts may need its
libraries. Their manifest then names one shell command, the install step. It is
run in the plugin's folder with your own rights, outside of the plugin's sandbox,
so it is run only once you have seen it and said yes. An update of the plugin
runs the same command again; another command is asked about anew.`,
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installPlugin(cmd, args[0], yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "run it without asking")
	return cmd
}

func (a *app) installPlugin(cmd *cobra.Command, id string, yes bool) error {
	p, err := a.pluginNamed(cmd, id)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if p.Install == "" {
		fmt.Fprintf(out, "%s has no install step\n", p.ID)
		return nil
	}
	if err := showInstall(out, p); err != nil {
		return err
	}
	if !yes && !agreed(cmd.InOrStdin(), out) {
		return fail(ExitFailure, "the install step of %s was not run", p.ID)
	}
	working := newProgress(cmd.ErrOrStderr())
	working.show("installing %s …", p.ID)
	err = a.call(cmd.Context(), control.MethodPlugin, control.PluginParams{ID: p.ID, Op: control.PluginInstall, Command: p.Install}, &p)
	working.clear()
	if err != nil {
		return err
	}
	if p.LastError != "" && p.State != "running" {
		return fail(ExitFailure, "%s is %s: %s", p.ID, p.State, p.LastError)
	}
	fmt.Fprintf(out, "%s is %s\n", p.ID, p.State)
	return nil
}

// showInstall shows what is asked for before it is granted.
func showInstall(out io.Writer, p control.PluginInfo) error {
	fmt.Fprintf(out, "%s %s, in %s, wants to run with your rights:\n\n", p.ID, p.Version, p.Root)
	// Line by line, as the shell reads it: joined, a command could
	// hide behind the comment of the line before.
	for line := range strings.Lines(p.Install) {
		fmt.Fprintln(out, "    "+printable.Line(strings.TrimSuffix(line, "\n")))
	}
	fmt.Fprintln(out)
	grants, err := grantsOf(p.Root)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The plugin itself runs in its sandbox. It asks for:")
	for _, g := range grants {
		fmt.Fprintln(out, "    "+g)
	}
	return nil
}

// grantsOf says in lines what the manifest of the plugin in root asks for, a
// secret by its name.
func grantsOf(root string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(root, manifest.FileName))
	if err != nil {
		return nil, err
	}
	m, err := protocol.DecodeManifest(data)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	expand := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			return filepath.Join(home, rest)
		}
		return path
	}
	secrets := sandbox.Secrets(runtime.GOOS, expand)
	var out []string
	add := func(what string, names []string) {
		for _, name := range names {
			out = append(out, what+" "+printable.Line(name))
		}
	}
	add("capability", m.Capabilities)
	add("fetch", m.FetchURLs)
	add("run", m.Sandbox.Exec)
	add("connect to", m.Sandbox.UnixSockets)
	for _, path := range m.Sandbox.Read {
		line := "read " + printable.Line(path)
		if slices.ContainsFunc(secrets, func(secret string) bool {
			return expand(path) == secret || strings.HasPrefix(expand(path), secret+string(filepath.Separator))
		}) {
			line += "   (a secret)"
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	return out, nil
}

func (a *app) pluginNamed(cmd *cobra.Command, id string) (control.PluginInfo, error) {
	var all control.Plugins
	if err := a.call(cmd.Context(), control.MethodPlugins, nil, &all); err != nil {
		return control.PluginInfo{}, err
	}
	for _, p := range all.Plugins {
		if p.ID == id {
			return p, nil
		}
	}
	return control.PluginInfo{}, fail(ExitNotFound, "no plugin is called %q; `flash plugins` lists them", id)
}

// agreed asks; anything but a yes is a no, the end of the input too.
func agreed(in io.Reader, out io.Writer) bool {
	fmt.Fprint(out, "Run it? [y/N] ")
	line, _ := bufio.NewReader(in).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
