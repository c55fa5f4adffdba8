package sdk_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// FuzzServe feeds a plugin anything and then asks for a sign of life.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"", "x", `{"id":1,"method":"initialize","params":{"protocol_version":1}}` + "\n" + `{"id":2,"method":"evaluate","params":{"query":"q"}}`,
		`{"method":"event","params":{"name":"core:ax.changed","payload":{"pid":1,"notification":"n"}}}`,
		`{"id":1,"result":{"ok":true}}`, `{"id":3,"method":"perform","params":{"kind":"action","name":"a","context":{"bundle_id":"b","pid":1}}}`,
		"{\"id\":4,\"method\":\"ping\"}\r\n\xff\xfe{{{",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		in := append(append([]byte(nil), input...), "\n{\"id\":9007199254740991,\"method\":\"ping\"}\n"...)
		var out, diagnostics bytes.Buffer
		p := sdk.Plugin{
			Event:    func(_ context.Context, _ *sdk.Host, ev sdk.Event) { _, _ = ev.AX(); _, _ = ev.Applications() },
			Evaluate: func(context.Context, *sdk.Host, protocol.Evaluate) ([]protocol.Answer, error) { return nil, nil },
			Search:   func(context.Context, *sdk.Host, protocol.Search) ([]protocol.Row, error) { return nil, nil },
			Hints: func(context.Context, *sdk.Host, protocol.Hints) ([]protocol.HintTarget, int, error) {
				return nil, 0, nil
			},
			Perform: func(context.Context, *sdk.Host, protocol.Perform) protocol.Outcome { return protocol.Unhandled() },
		}
		sdk.Serve(context.Background(), p, sdk.Options{In: bytes.NewReader(in), Out: &out, Err: &diagnostics})
		if bytes.Contains(out.Bytes(), []byte("protocol version mismatch")) {
			return // which is the plugin's end
		}
		if !bytes.Contains(out.Bytes(), []byte(`{"id":9007199254740991,"result":{"ok":true}}`)) {
			t.Fatalf("no sign of life after %q: %q", input, out.Bytes())
		}
		for line := range bytes.Lines(out.Bytes()) {
			if _, err := protocol.DecodeEnvelope(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				t.Fatalf("sent a bad line: %v", err)
			}
		}
	})
}
