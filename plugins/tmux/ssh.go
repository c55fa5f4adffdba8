package tmux

import (
	"context"
	"strings"
	"time"
)

const (
	// sshEvery is the time between readings of other machines: no notification
	// of theirs reaches this one.
	sshEvery = 5 * time.Second
	// sshExpires is how long the rows of a machine stay that does not answer.
	sshExpires = 120 * time.Second
)

// ssh runs tmux on the server's machine. It never asks for anything and needs
// no connection that is already open.
func (s *server) ssh(ctx context.Context, args []string) ([]byte, error) {
	argv := []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=3", "-T", "--", s.host, remoteCommand(args)}
	out, err := run(ctx, argv, sshPatience)
	if e, ok := err.(*commandError); ok && e.Status == 1 && noServer(e.Complaints) {
		return nil, errGone
	}
	return out, err
}

// remoteCommand is the line that the shell over there runs.
func remoteCommand(args []string) string {
	var b strings.Builder
	b.WriteString("tmux -u")
	for _, a := range args {
		b.WriteByte(' ')
		b.WriteString(shellQuote(a))
	}
	return b.String()
}

// shellQuote quotes for any POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// noServer says whether tmux complained that no server runs.
func noServer(complaint string) bool {
	return strings.Contains(complaint, "no server running") ||
		strings.Contains(complaint, "error connecting to") && strings.Contains(complaint, "No such file")
}

// goodHost says whether a name from the configuration is a host and no option.
func goodHost(host string) bool {
	return host != "" && host[0] != '-' && !strings.ContainsAny(host, " \t\r\n\x00'\"`$;|&<>()\\")
}

// expireRemotes drops the rows of machines that were not heard of for too long.
func (p *plugin) expireRemotes(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.host != "" && s.known && now.Sub(s.heard) > sshExpires {
			s.known, s.inv = false, inventory{}
		}
	}
}
