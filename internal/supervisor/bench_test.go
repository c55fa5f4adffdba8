package supervisor_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/internal/supervisor/childtest"
	"github.com/flash-launcher/flash/protocol"
)

// benched starts a good child on the system's time.
func benched(b *testing.B, publish func(rows []protocol.Row)) *supervisor.Plugin {
	b.Helper()
	running := make(chan struct{}, 1)
	p := supervisor.New(definition(resident), supervisor.Options{
		Runner: childtest.NewRunner("good"),
		Time:   event.System(),
		Prepare: func(_ context.Context, def supervisor.Definition) (supervisor.Spec, error) {
			return supervisor.Spec{PluginID: def.ID(), Argv: def.Argv, Dir: "/"}, nil
		},
		Sinks: supervisor.Sinks{
			Publish: func(_ string, _ uint64, rows []protocol.Row) { publish(rows) },
			Running: func(string, uint64) { running <- struct{}{} },
		},
	})
	p.Start()
	<-running
	b.Cleanup(func() { require.NoError(b, p.Close(context.Background())) })
	return p
}

// BenchmarkPing is one round trip over the pipes of a real child.
func BenchmarkPing(b *testing.B) {
	p := benched(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Ping(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPublish is a whole catalogue from a perform that asks for it to the
// sink that gets its rows. The child encodes the catalogue anew each time.
func BenchmarkPublish(b *testing.B) {
	for _, rows := range []int{1000, protocol.MaxCatalogRows} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			got := make(chan int, 1)
			p := benched(b, func(rows []protocol.Row) { got <- len(rows) })
			b.SetBytes(int64(len(childtest.Publication(rows, "row"))))
			b.ReportAllocs()
			for b.Loop() {
				out := p.Perform(b.Context(), protocol.Perform{
					Kind: protocol.PerformCommand, Command: "test", Subcommand: "publish", Args: []string{strconv.Itoa(rows)},
				}, 0)
				if !out.OK || <-got != rows {
					b.Fatalf("%+v", out)
				}
			}
		})
	}
}
