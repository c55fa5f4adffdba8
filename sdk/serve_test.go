package sdk_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

func TestInitializeIsAnsweredBeforeStartPublishes(t *testing.T) {
	h := sdktest.InProcess(t, fixture(), sdktest.Options{})
	assert.Equal(t, `{"ok":true,"protocol_version":1}`, h.Call("initialize", `{"protocol_version":1}`))
	assert.Equal(t, "first", h.NextPublish()[0].Title)
}

func TestAnotherVersionIsRefusedAndEndsThePluginWithZero(t *testing.T) {
	for params, host := range map[string]string{
		`{"protocol_version":2}`:   "2",
		`{"protocol_version":"1"}`: "0",
		`{"protocol_version":1.0}`: "0",
		`{}`:                       "0",
	} {
		t.Run(params, func(t *testing.T) {
			h := sdktest.InProcess(t, fixture(), sdktest.Options{})
			assert.Equal(t, `{"ok":false,"protocol_version":1,"error":"protocol version mismatch: host v`+host+`, plugin v1"}`, h.Call("initialize", params))
			assert.Zero(t, h.WaitExit())
			assert.Zero(t, h.Notifications(protocol.MethodPublish), "start ran for a host of another version")
		})
	}
}

func TestASecondInitializeIsRefusedAndThePluginServesOn(t *testing.T) {
	h := inProcess(t, fixture())
	assert.Equal(t, `{"ok":false,"error":"initialize may only be called once"}`, h.Call("initialize", `{"protocol_version":1}`))
	assert.Equal(t, `{"ok":true}`, ping(h))
}

func TestRequestsAreServedBeforeInitialize(t *testing.T) {
	h := sdktest.InProcess(t, fixture(), sdktest.Options{})
	assert.Equal(t, `{"ok":true}`, ping(h))
	assert.Equal(t, "4!", h.Evaluate("4")[0].Title)
}

func TestEachSurfaceAnswersInItsOwnShape(t *testing.T) {
	h := inProcess(t, fixture())
	assert.Equal(t, `{"ok":true,"answers":[{"title":"2!","effect":{"type":"copy_text","text":"2"}}]}`, h.Call("evaluate", `{"query":"2","scope":"","surface":""}`))
	assert.Equal(t, `{"ok":true,"rows":[{"source":"a","title":"s/q"}]}`, h.Call("search", `{"query":"q","scope":"s"}`))
	assert.Equal(t, `{"ok":true,"targets":[{"id":"t1","frame":{"x":1,"y":2,"width":3,"height":4},"pid":7}],"context_pid":7}`,
		h.Call("hints", `{"bundle_id":"b","pid":7,"front_window_frame":{"x":1,"y":2,"width":3,"height":4}}`))
	assert.Equal(t, `{"ok":true,"message":"a b"}`, h.Call("perform", `{"kind":"command","command":"c","subcommand":"echo","args":["a","b"],"raw":""}`))
	assert.Equal(t, `{"ok":false,"unhandled":true}`, h.Call("perform", `{"kind":"navigate","url":"x://y"}`))
}

func TestRefusalsCarryTheWiresWords(t *testing.T) {
	h := inProcess(t, fixture())
	for _, c := range []struct{ method, params, text string }{
		{"no.such", `{}`, "unknown method: no.such"},
		{"evaluate", `{"query":3}`, "invalid evaluate params"},
		{"search", `{}`, "invalid search params"},
		{"hints", `{"bundle_id":"b","pid":2147483648,"front_window_frame":{"x":1,"y":2,"width":3,"height":4}}`, "invalid hints params"},
		{"perform", `{"kind":"run"}`, "invalid perform params"},
		{"evaluate", `{"query":"fail"}`, "no backend"},
		{"search", `{"query":"huge","scope":""}`, "response exceeded outbound frame limit"},
	} {
		assert.Equal(t, `{"ok":false,"error":"`+c.text+`"}`, h.Call(c.method, c.params), c.method)
	}
}

func TestASurfaceWithoutAHandlerIsNotServed(t *testing.T) {
	h := inProcess(t, sdk.Plugin{})
	assert.Equal(t, `{"ok":false,"error":"unknown method: evaluate"}`, h.Call("evaluate", `{"query":"x"}`))
	assert.Equal(t, protocol.Unhandled(), h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "x:"}))
	h.Event("core:focus.changed", `{"pid":1}`)
	assert.Equal(t, `{"ok":true}`, ping(h))
}

func TestAPanickingHandlerIsAnsweredWithoutItsContentAndThePluginLives(t *testing.T) {
	h := inProcess(t, fixture())
	assert.Equal(t, `{"ok":false,"error":"evaluate handler failed"}`, h.Call("evaluate", `{"query":"panic"}`))
	assert.Equal(t, `{"ok":false,"error":"evaluate handler failed"}`, h.Call("evaluate", `{"query":"index"}`))
	assert.Equal(t, "4!", h.Evaluate("4")[0].Title)
	h.WaitStderr("panic in the evaluate handler: a value of the plugin's own at ")
	h.WaitStderr("index out of range")
	assert.Contains(t, h.Stderr(), "sdk_test.fixture")
	assert.NotContains(t, h.Stderr(), "secret")
}

func TestADeadlineEndsTheHandlersContext(t *testing.T) {
	h := inProcess(t, fixture())
	id := h.RequestDeadline("evaluate", `{"query":"deadline"}`, 10*time.Millisecond)
	assert.Equal(t, `{"ok":false,"error":"deadline exceeded"}`, h.Reply(id))
}

func TestTheSeventeenthRequestIsRefusedWhilePingsAndHostRepliesFlowOn(t *testing.T) {
	g := newGate()
	p := sdk.Plugin{Perform: func(ctx context.Context, h *sdk.Host, p protocol.Perform) protocol.Outcome {
		if p.Subcommand == "call" {
			return perform(ctx, h, p)
		}
		g.pass()
		return protocol.Done("late")
	}}
	h := inProcess(t, p)
	release := make(chan struct{})
	h.HostReply("host.ping", func(string) string { <-release; return `{"ok":true}` })
	call := h.Request("perform", `{"kind":"command","command":"c","subcommand":"call","args":["host.ping"]}`)
	h.NextHostCall("host.ping")
	var ids []int64
	for range 15 {
		ids = append(ids, h.Request("perform", `{"kind":"navigate","url":"x:"}`))
	}
	g.awaitEntered(t, 15)
	assert.Equal(t, `{"ok":false,"error":"plugin request capacity exceeded"}`, h.Call("perform", `{"kind":"navigate","url":"x:"}`))
	assert.Equal(t, `{"ok":true}`, ping(h))
	close(release)
	h.Reply(call)
	close(g.open)
	for _, id := range ids {
		assert.Equal(t, `{"ok":true,"message":"late"}`, h.Reply(id))
	}
}

func TestAReplyMeansThatThereIsRoomAgain(t *testing.T) {
	g := newGate()
	h := inProcess(t, sdk.Plugin{
		Perform: func(context.Context, *sdk.Host, protocol.Perform) protocol.Outcome {
			g.pass()
			return protocol.Done("late")
		},
		Evaluate: func(context.Context, *sdk.Host, protocol.Evaluate) ([]protocol.Answer, error) { return nil, nil },
	})
	var held []int64
	for range 15 {
		held = append(held, h.Request("perform", `{"kind":"navigate","url":"x:"}`))
	}
	g.awaitEntered(t, 15)
	for range 2000 {
		require.Equal(t, `{"ok":true,"answers":[]}`, h.Call("evaluate", `{"query":"x"}`))
	}
	close(g.open)
	for _, id := range held {
		h.Reply(id)
	}
}

func TestRequestsOfMoreThan32MiBTogetherAreRefused(t *testing.T) {
	g := newGate()
	p := sdk.Plugin{Evaluate: func(context.Context, *sdk.Host, protocol.Evaluate) ([]protocol.Answer, error) {
		g.pass()
		return nil, nil
	}}
	h := inProcess(t, p)
	big := `{"query":"` + strings.Repeat("x", 9<<20) + `"}`
	ids := []int64{h.Request("evaluate", big), h.Request("evaluate", big), h.Request("evaluate", big)}
	g.awaitEntered(t, 3)
	assert.Equal(t, `{"ok":false,"error":"plugin request capacity exceeded"}`, h.Call("evaluate", big))
	close(g.open)
	for _, id := range ids {
		assert.Equal(t, `{"ok":true,"answers":[]}`, h.Reply(id))
	}
	assert.Equal(t, `{"ok":true,"answers":[]}`, h.Call("evaluate", big), "the budget was not given back")
}

func TestTwoRequestsWithOneIDAreBothAnswered(t *testing.T) {
	h := inProcess(t, fixture())
	h.SendBytes([]byte(`{"id":77,"method":"evaluate","params":{"query":"a"}}` + "\n" + `{"id":77,"method":"evaluate","params":{"query":"a"}}` + "\n"))
	assert.Contains(t, h.Reply(77), `"a!"`)
	assert.Contains(t, h.Reply(77), `"a!"`)
}

func TestABurstOfPipelinedRequestsIsAnsweredInFull(t *testing.T) {
	h := inProcess(t, sdk.Plugin{})
	var b []byte
	for i := range 2000 {
		b = protocol.AppendRequest(b, int64(1000+i), []string{"ping", "no.such"}[i%2], nil, "", 0)
	}
	h.SendBytes(b)
	for i := range 2000 {
		h.Reply(int64(1000 + i))
	}
}

func TestBadInputIsDroppedWithOneLineAndTheStreamHeals(t *testing.T) {
	h := inProcess(t, fixture())
	h.NextPublish()
	bad := []string{
		`banner v1`, `[]`, `{}`, `null`, `{"id":1`, `{"id":0,"method":"ping"}`, `{"id":-1,"method":"ping"}`,
		`{"id":1.5,"method":"ping"}`, `{"id":true,"method":"ping"}`, `{"id":"1","method":"ping"}`,
		`{"id":1,"method":"ping","params":[]}`, `{"id":1,"method":"ping","result":{}}`, `{"id":1,"method":"ping","more":1}`,
		`{"id":1,"method":"ping","method":"ping"}`, `{"id":1,"result":{}}`, `{"id":1,"result":{"ok":false}}`,
		`{"method":"event"}`, `{"method":"event","params":{"name":1}}`, `{"method":"no.such"}`,
		`{"method":"event","params":{"name":"x","payload":{"t":"\ud800"}}}`,
		`{"id":1,"method":"ping","params":{"a":NaN}}`,
		`{"id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}}`,
		"{\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}",
		strings.Repeat("x", protocol.MaxFrame+1),
	}
	for i, line := range bad {
		h.Send(line)
		require.Equal(t, `{"ok":true}`, ping(h))
		require.Equal(t, i+1, strings.Count(h.Stderr(), "\n"), "line %d: %.60s\n%s", i, line, h.Stderr())
	}
	assert.Zero(t, h.Notifications(protocol.MethodLog), "an event was delivered from a bad line")
	assert.NotContains(t, h.Stderr(), "banner")
}

func TestBlankLinesAndCarriageReturnsAreNoNoise(t *testing.T) {
	h := inProcess(t, sdk.Plugin{})
	h.SendBytes([]byte("\r\n\n  \n" + `{"id":9000,"method":"ping"}` + "\r\n"))
	assert.Equal(t, `{"ok":true}`, h.Reply(9000))
	assert.Empty(t, h.Stderr())
}

func TestACharacterSplitOverReadsArrivesWhole(t *testing.T) {
	h := inProcess(t, fixture())
	line := []byte(`{"id":9001,"method":"evaluate","params":{"query":"≤🚀"}}` + "\n")
	for i := range line {
		h.SendBytes(line[i : i+1])
	}
	assert.Contains(t, h.Reply(9001), `"≤🚀!"`)
}

func TestANotificationOverTheCapIsDroppedWhole(t *testing.T) {
	h := inProcess(t, fixture())
	h.NextPublish()
	h.Command("c", "huge-publish")
	h.WaitStderr("dropped a publish notification of ")
	assert.Zero(t, h.Notifications(protocol.MethodPublish))
}

func TestTheEndOfInputRunsTheHookAndExitsWithZero(t *testing.T) {
	h := inProcess(t, fixture())
	id := h.Request("perform", `{"kind":"command","command":"c","subcommand":"wait","args":[]}`)
	ping(h)
	h.CloseStdin()
	assert.Equal(t, `{"ok":true,"message":"ended"}`, h.Reply(id), "a reply of the drain was lost")
	assert.Equal(t, "shutdown", h.NextLog().Message)
	assert.Zero(t, h.WaitExit())
}

func TestAcceptedEventsAreHandledBeforeTheEnd(t *testing.T) {
	h := inProcess(t, fixture())
	var b []byte
	for i := range 20 {
		b = protocol.AppendNotification(b, "event", protocol.AppendEvent(nil, "core:apps.launched", []byte(fmt.Sprintf(`{"pid":%d}`, i+1))))
	}
	h.SendBytes(b)
	h.CloseStdin()
	h.WaitExit()
	assert.Equal(t, 21, h.Notifications(protocol.MethodLog))
}

func TestAShutdownThatHangsIsCutOff(t *testing.T) {
	h := sdktest.Self(t, "fixture", sdktest.Options{Config: `{"slow_shutdown":true}`})
	h.Initialize()
	h.CloseStdin()
	assert.Zero(t, h.WaitExit())
}

func TestARecordWithoutItsNewlineIsDiscardedAtTheEnd(t *testing.T) {
	h := inProcess(t, fixture())
	h.SendBytes([]byte(`{"id":5000,"method":"ping"}`))
	h.CloseStdin()
	assert.Zero(t, h.WaitExit())
}

func TestServeEndsWithItsContextAndItsStop(t *testing.T) {
	for _, how := range []string{"context", "stop"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			stop := make(chan struct{})
			in, inEnd := newBlockedReader()
			defer inEnd()
			var hooks atomic.Int32
			done := make(chan int)
			go func() {
				p := sdk.Plugin{Shutdown: func(context.Context, *sdk.Host) { hooks.Add(1) }}
				done <- sdk.Serve(ctx, p, sdk.Options{In: in, Out: &bytes.Buffer{}, Stop: stop})
			}()
			if how == "context" {
				cancel()
			} else {
				close(stop)
			}
			assert.Zero(t, <-done)
			assert.EqualValues(t, 1, hooks.Load())
		})
	}
}
