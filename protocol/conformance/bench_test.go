package conformance

import (
	"bytes"
	"testing"
)

// BenchmarkLargeFrame is what a frame of 1 MiB costs the runner, which must not
// be what a scenario's time limits measure.
func BenchmarkLargeFrame(b *testing.B) {
	line := append([]byte(`{"id":1,"method":"host.clipboard_write","params":{"text":"`), bytes.Repeat([]byte("x"), 1<<20)...)
	line = append(line, `"}}`...)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		e, err := parseEnvelope(line, false)
		if err != nil {
			b.Fatal(err)
		}
		if e.paramsValue() == nil {
			b.Fatal("no params")
		}
	}
}
