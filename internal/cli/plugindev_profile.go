package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/broker/allow"
	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

func devProfileCmd() *cobra.Command {
	var explain []string
	var platform string
	cmd := &cobra.Command{
		Use:   "profile [PLUGIN]",
		Short: "Show the sandbox of a plugin, or why something is allowed or denied in it",
		Long:  "Show the sandbox of a plugin, or why something is allowed or denied in it. Without PLUGIN it is\nthe folder one stands in.",
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if platform != "" && platform != "linux" && platform != "darwin" {
				return fail(ExitUsage, "profile: --platform %q: take linux or darwin", platform)
			}
			if slices.Contains(explain, "") {
				return fail(ExitUsage, "profile: --explain takes a path, HOST:PORT, URL or command")
			}
			w, def, err := findPlugin(append(args, ".")[0])
			if err != nil {
				return err
			}
			return profile(cmd.OutOrStdout(), w, def, explain, platform)
		},
	}
	cmd.Flags().StringArrayVar(&explain, "explain", nil, "a path, HOST:PORT, URL or command: is it allowed, and by which rule")
	cmd.Flags().StringVar(&platform, "platform", "", "linux or darwin (default: this one in words, and the rules of both)")
	return cmd
}

func profile(out io.Writer, w *devtool.World, def manifest.Definition, explain []string, platform string) error {
	data, done, err := profileData(w, def)
	if err != nil {
		return err
	}
	defer done()
	policyFor := func(goos string) (*sandbox.Policy, []sandbox.Note, error) { return w.Policy(def, data, goos) }
	policy, notes, err := policyFor(platform)
	if err != nil {
		return err
	}
	if len(explain) > 0 {
		for _, what := range explain {
			lines := explainOne(policy, what)
			if strings.Contains(what, "://") {
				lines = explainURL(policy, def.Manifest, w.Config.For(def.ID()).FetchURLs, what)
			}
			for _, line := range lines {
				fmt.Fprintln(out, line)
			}
		}
		return nil
	}
	fmt.Fprintf(out, "Plugin %s %s, on %s:\n", def.ID(), def.Manifest.Version, policy.GOOS)
	for _, line := range policy.Explain() {
		fmt.Fprintf(out, "  %s\n", line)
	}
	for _, note := range notes {
		fmt.Fprintf(out, "  note   %s\n", note)
	}
	if platform != "darwin" {
		linux := policy
		if policy.GOOS != "linux" {
			if linux, _, err = policyFor("linux"); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "\nLinux, a Landlock ruleset and a seccomp filter:\n")
		for _, line := range rulesetLines(linux) {
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
	if platform != "linux" {
		darwin := policy
		if policy.GOOS != "darwin" {
			if darwin, _, err = policyFor("darwin"); err != nil {
				return err
			}
		}
		text, err := darwin.Seatbelt()
		if err != nil {
			return fmt.Errorf("the macOS profile of %s: %w", def.ID(), err)
		}
		fmt.Fprintf(out, "\nmacOS, a profile of sandbox-exec%s:\n", elsewhere(darwin))
		for line := range strings.Lines(text) {
			fmt.Fprintf(out, "  %s", line)
		}
	}
	return nil
}

// elsewhere warns of a profile that was made from another machine's files.
func elsewhere(p *sandbox.Policy) string {
	if p.GOOS == runtime.GOOS {
		return ""
	}
	return " (with this machine's paths)"
}

// profileData is the plugin's data directory, or a stand-in while there is none.
func profileData(w *devtool.World, def manifest.Definition) (string, func(), error) {
	data := w.Paths.PluginData(def.ID())
	if info, err := os.Stat(data); err == nil && info.IsDir() {
		return data, func() {}, nil
	}
	temp, err := os.MkdirTemp("", "flash-plugin-data-*")
	return temp, func() { _ = os.RemoveAll(temp) }, err
}

// rulesetLines says what the kernel is given: rights by path, then what is
// refused as system calls.
func rulesetLines(p *sandbox.Policy) []string {
	if p.Disabled {
		return []string{"none: sandbox = false"}
	}
	var lines []string
	add := func(rights string, paths []string) {
		for _, path := range paths {
			lines = append(lines, fmt.Sprintf("path_beneath %-22s %s", rights, path))
		}
	}
	add("read,list", p.SystemRead)
	add("read,list", p.Read)
	add("read,list", []string{p.Root})
	add("read,execute", p.Start)
	add("read,execute", p.Exec)
	add("read,store", p.SystemWrite)
	add("read,list,write,make", append([]string{p.DataDir}, p.Write...))
	for _, path := range p.DenyRead {
		lines = append(lines, "masked       "+strings.Repeat(" ", 23)+path)
	}
	for _, path := range p.UnixSockets {
		lines = append(lines, "unix socket  "+strings.Repeat(" ", 23)+path)
	}
	refused := []struct {
		on   bool
		what string
	}{
		{!p.Network, "seccomp: no sockets of the network (capability network)"},
		{len(p.UnixSockets) == 0, "seccomp: no connection to a socket by path (sandbox.unix_sockets)"},
		{!p.Forks(), "seccomp: no new process (sandbox.exec, capability subprocess)"},
		{!p.Signal, "scope: no signal to a process outside (sandbox.signal)"},
		{p.Forks(), "namespaces: its own pids and mounts, which end with it"},
		{p.MemoryBytes > 0, fmt.Sprintf("limit: %d MiB of private memory", p.MemoryBytes>>20)},
		{p.FileBytes > 0, fmt.Sprintf("limit: %d MiB a file", p.FileBytes>>20)},
	}
	for _, r := range refused {
		if r.on {
			lines = append(lines, r.what)
		}
	}
	return lines
}

// verdict is one line of an explanation.
func verdict(allowed bool, kind, target, why string) string {
	verb := "denied "
	if allowed {
		verb = "allowed"
	}
	return fmt.Sprintf("%s  %-7s %s  (%s)", verb, kind, target, why)
}

// explainOne takes a path, HOST:PORT, or the name of a command. A path has a
// slash, or is the folder one stands in, the one above, or the home folder.
func explainOne(p *sandbox.Policy, what string) []string {
	say := func(kind, target string) string {
		allowed, why := p.Decide(kind, target)
		return verdict(allowed, kind, target, why)
	}
	if rest, ok := strings.CutPrefix(what, "~"); ok && (rest == "" || strings.HasPrefix(rest, "/")) {
		if home, err := os.UserHomeDir(); err == nil {
			what = filepath.Join(home, rest)
		}
	}
	if strings.ContainsRune(what, filepath.Separator) || what == "." || what == ".." {
		path, err := filepath.Abs(what)
		if err != nil {
			return []string{err.Error()}
		}
		lines := []string{say("read", path), say("write", path), say("exec", path)}
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			lines = append(lines, say("unix", path))
		}
		return lines
	}
	if host, port, err := net.SplitHostPort(what); err == nil && host != "" && port != "" {
		allowed, why := p.Decide("network", "")
		return []string{verdict(allowed, "network", what, why+"; host.fetch goes through the host instead")}
	}
	path, err := exec.LookPath(what)
	if err != nil {
		return []string{verdict(false, "exec", what, "it is not on PATH; a path has a slash, an address a port")}
	}
	return []string{say("exec", path), say("fork", "")}
}

// explainURL says whether the plugin may connect there itself, and whether the
// host fetches the address for it.
func explainURL(p *sandbox.Policy, m *protocol.Manifest, configured []string, what string) []string {
	allowed, why := p.Decide("network", "")
	lines := []string{verdict(allowed, "network", what, why)}
	u, err := allow.Parse(what)
	if err != nil {
		return append(lines, verdict(false, "fetch", what, err.Error()))
	}
	if !m.HasCapability("network_fetch") {
		return append(lines, verdict(false, "fetch", what, "no capability network_fetch"))
	}
	for _, from := range []struct {
		where string
		urls  []string
	}{{"fetch_urls", m.FetchURLs}, {"fetch_urls of the configuration", configured}} {
		for _, prefix := range from.urls {
			if list, _ := allow.NewList([]string{prefix}); list.Allows(u) {
				return append(lines, verdict(true, "fetch", what, from.where+" "+prefix))
			}
		}
	}
	return append(lines, verdict(false, "fetch", what, "not within fetch_urls"))
}
