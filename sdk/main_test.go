package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// The test binary is each of these plugins when it is started as a process.
func TestMain(m *testing.M) {
	if os.Getenv(orphanMaker) != "" {
		makeOrphan()
		return
	}
	sdktest.Main(m, map[string]func() sdk.Plugin{
		"fixture": fixture,
		"init":    initFixture,
		"still":   func() sdk.Plugin { return sdk.Plugin{Perform: fixture().Perform} },
	})
}

// fixture is a plugin whose every surface can be told what to do.
func fixture() sdk.Plugin {
	return sdk.Plugin{
		Start: func(ctx context.Context, h *sdk.Host) error {
			h.Publish([]protocol.Row{{Source: "a", Title: "first"}})
			return nil
		},
		Event: func(ctx context.Context, h *sdk.Host, ev sdk.Event) {
			h.Log(sdk.LevelInfo, ev.Name, "payload", string(ev.Payload))
		},
		Evaluate: func(ctx context.Context, h *sdk.Host, q protocol.Evaluate) ([]protocol.Answer, error) {
			switch q.Query {
			case "panic":
				panic("a secret")
			case "index":
				var none []int
				_ = none[len(q.Query)]
			case "fail":
				return nil, errors.New("no backend")
			case "deadline":
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []protocol.Answer{{Title: q.Query + "!", Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: q.Query}}}, nil
		},
		Search: func(ctx context.Context, h *sdk.Host, q protocol.Search) ([]protocol.Row, error) {
			if q.Query == "huge" {
				return []protocol.Row{{Source: "a", Title: strings.Repeat("x", protocol.MaxFrame)}}, nil
			}
			return []protocol.Row{{Source: "a", Title: q.Scope + "/" + q.Query}}, nil
		},
		Hints: func(ctx context.Context, h *sdk.Host, q protocol.Hints) ([]protocol.HintTarget, int, error) {
			return []protocol.HintTarget{{ID: "t1", Frame: q.Frame, PID: q.PID}}, q.PID, nil
		},
		Perform: perform,
		Shutdown: func(ctx context.Context, h *sdk.Host) {
			h.Log(sdk.LevelInfo, "shutdown")
			if h.Config().Bool("slow_shutdown", false) {
				select {}
			}
		},
	}
}

func perform(ctx context.Context, h *sdk.Host, p protocol.Perform) protocol.Outcome {
	switch p.Subcommand {
	case "echo":
		return protocol.Done(strings.Join(p.Args, " "))
	case "call":
		if _, err := h.Call(ctx, p.Args[0], nil); err != nil {
			return protocol.Done(err.Error())
		}
		return protocol.Done("ok")
	case "wait":
		<-ctx.Done()
		return protocol.Done("ended")
	case "print":
		fmt.Println("a stray print")
		return protocol.Done("")
	case "stdin":
		n, err := os.Stdin.Read(make([]byte, 1))
		return protocol.Done(fmt.Sprint(n, " ", err))
	case "huge-publish":
		h.Publish([]protocol.Row{{Source: "a", Title: strings.Repeat("x", protocol.MaxFrame)}})
		return protocol.Done("")
	case "flood":
		for i := range 100 {
			h.Publish([]protocol.Row{{Source: "a", Title: fmt.Sprint(i)}, {Source: "a", Title: strings.Repeat("x", 1<<20)}})
		}
		fmt.Fprintln(os.Stderr, "flooded")
		return protocol.Done("")
	case "run":
		if err := exec.CommandContext(ctx, p.Args[0], p.Args[1:]...).Run(); err != nil {
			return protocol.Failed(err.Error())
		}
		return protocol.Done("")
	case "run-many":
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() { _ = exec.CommandContext(ctx, "sleep", "0.2").Run() })
		}
		wg.Wait()
		return protocol.Done("")
	}
	return protocol.Unhandled()
}

func inProcess(t *testing.T, p sdk.Plugin) *sdktest.Harness {
	t.Helper()
	h := sdktest.InProcess(t, p, sdktest.Options{})
	h.Initialize()
	return h
}

func ping(h *sdktest.Harness) string { return h.Call(protocol.MethodPing, "") }

// gate is a handler's stop that a test opens.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}, 1024), make(chan struct{})} }

func (g *gate) pass() {
	g.entered <- struct{}{}
	<-g.open
}

func (g *gate) awaitEntered(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-g.entered:
		case <-time.After(10 * time.Second):
			t.Fatal("a handler did not begin")
		}
	}
}
