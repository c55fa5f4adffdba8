package processes

import (
	"context"
	"strconv"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

func (p *plugin) perform(ctx context.Context, h *sdk.Host, r protocol.Perform) protocol.Outcome {
	switch {
	case r.Kind == protocol.PerformResolve:
		return resolve(r.Row)
	case r.Kind == protocol.PerformCommand && r.Command == command && r.Subcommand == kill:
		return p.kill(ctx, h, r.Args)
	case r.Kind == protocol.PerformCommand && r.Command == command && r.Subcommand == "refresh":
		if err := p.refresh(ctx, h); err != nil {
			return protocol.Failed(err.Error())
		}
		return protocol.Done("")
	case r.Kind == protocol.PerformCommand:
		return protocol.Failed("unsupported subcommand: " + r.Subcommand)
	}
	return protocol.Unhandled()
}

// resolve brings the process's windows to the front, if it has any. Ending a
// process is never what plainly choosing a row does.
func resolve(row protocol.Row) protocol.Outcome {
	text, _ := row.Metadata.Get(protocol.MetaPID)
	pid, err := strconv.ParseInt(text, 10, 32)
	if err != nil || pid <= 1 {
		return protocol.Unhandled()
	}
	return protocol.Outcome{OK: true, TargetPID: int(pid)}
}

// kill ends the one process that args name: a pid, or a name that one process
// alone has.
func (p *plugin) kill(ctx context.Context, h *sdk.Host, args []string) protocol.Outcome {
	if len(args) != 1 {
		return protocol.Failed("say the pid or the name of one process")
	}
	table, err := h.ProcessTable(ctx, 0)
	if err != nil {
		return protocol.Failed(err.Error())
	}
	pid, problem := pick(table, args[0])
	if problem != "" {
		return protocol.Failed(problem)
	}
	if err := h.Signal(ctx, pid); err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("asked process " + strconv.Itoa(pid) + " to end")
}

// pick finds the process that what names. The problem, when there is one, has
// no name in it: errors carry no user content.
func pick(table []protocol.Process, what string) (pid int, problem string) {
	if n, err := strconv.ParseInt(what, 10, 32); err == nil {
		for _, p := range table {
			if p.PID == int(n) {
				return p.PID, ""
			}
		}
		return 0, "no process has this pid"
	}
	count := 0
	for _, p := range table {
		if p.Name == what && !kernelThread(p) {
			pid = p.PID
			count++
		}
	}
	switch count {
	case 0:
		return 0, "no process has this name"
	case 1:
		return pid, ""
	}
	return 0, strconv.Itoa(count) + " processes have this name; say a pid"
}
