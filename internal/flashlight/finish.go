package flashlight

import (
	"context"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// finish is a bang whose source is searched: choosing a row that says how it
// finishes the command runs the bang with that, and does nothing else.
type finish struct {
	plugin string
	token  string
	title  string // of what Enter does
}

// mark has the rows of the bang's plugin finish it, those that can.
func (f finish) mark(rows []Row) {
	if f.token == "" {
		return
	}
	for i := range rows {
		if _, ok := rows[i].finishes(); ok && rows[i].Plugin == f.plugin {
			rows[i].finish = f
		}
	}
}

// finishes is what a row finishes a command with.
func (r *Row) finishes() (string, bool) {
	with, _ := r.Row.Metadata.Get(protocol.MetaFinishesCommand)
	with = strings.TrimSpace(with)
	return with, with != ""
}

// runFinished runs the bang that row finishes. Nothing is learned from it: what
// one ends or removes is not what one goes to.
func (e *Engine) runFinished(ctx context.Context, row Row) protocol.Outcome {
	with, _ := row.finishes()
	in := input{plugins: e.loaded()}
	m := in.plugin(row.Plugin)
	if m == nil || m.Bangs == nil {
		return protocol.Failed("nothing takes !" + row.finish.token + " any more")
	}
	return e.perform(ctx, row.Plugin, protocol.Perform{
		Kind: protocol.PerformCommand, Command: m.Bangs.Command, Subcommand: row.finish.token,
		Args: strings.Fields(with), Raw: "!" + row.finish.token + " " + with,
	})
}
