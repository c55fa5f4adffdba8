package sdktest_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// recorder is a test that may fail without failing ours.
type recorder struct {
	testing.TB
	failure string
	cleanup []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Cleanup(fn func()) { r.cleanup = append(r.cleanup, fn) }
func (r *recorder) Error(args ...any) { r.failure += fmt.Sprint(args...) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failure += fmt.Sprintf(format, args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failureOf returns what a test of p with body would have failed with.
func failureOf(t *testing.T, p sdk.Plugin, o sdktest.Options, body func(h *sdktest.Harness)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, fn := range r.cleanup {
				fn()
			}
		}()
		h := sdktest.InProcess(r, p, o)
		h.Initialize()
		body(h)
	}()
	<-done
	return r.failure
}

const manifest = `{"id":"m","name":"M","version":"1","description":"d","exec":["./m"],"sources":[{"name":"m.items"}],"status":["s"]}`

func starting(fn func(h *sdk.Host)) sdk.Plugin {
	return sdk.Plugin{Start: func(_ context.Context, h *sdk.Host) error {
		fn(h)
		return nil
	}}
}

func TestBreakingTheManifestFailsATestThatDoesNotLook(t *testing.T) {
	o := sdktest.Options{Manifest: []byte(manifest)}
	for name, p := range map[string]sdk.Plugin{
		"bad publish": starting(func(h *sdk.Host) { h.Publish([]protocol.Row{{Source: "other", Title: "x"}}) }),
		"not declare": starting(func(h *sdk.Host) { h.Status(map[string]string{"other": "x"}) }),
		"bad poll":    starting(func(h *sdk.Host) { h.Every("Not A Name", time.Second, func(context.Context) {}) }),
	} {
		assert.Contains(t, failureOf(t, p, o, func(h *sdktest.Harness) { h.CloseStdin() }), name)
	}
	good := starting(func(h *sdk.Host) {
		h.Publish([]protocol.Row{{Source: "m.items", Title: "x"}})
		h.Status(map[string]string{"s": "x"})
	})
	assert.Empty(t, failureOf(t, good, o, func(h *sdktest.Harness) { h.NextPublish(); h.NextStatus() }))
}

func TestAWaitThatIsInVainFailsWithWhatItWaitedFor(t *testing.T) {
	o := sdktest.Options{Timeout: 300 * time.Millisecond}
	assert.Contains(t, failureOf(t, sdk.Plugin{}, o, func(h *sdktest.Harness) { h.NextPublish() }), "a publish notification did not come within 300ms")
}

func TestAManifestWithFaultsFailsBeforeThePluginRuns(t *testing.T) {
	o := sdktest.Options{Manifest: []byte(`{"id":"m"}`)}
	assert.Contains(t, failureOf(t, sdk.Plugin{}, o, func(*sdktest.Harness) { t.Error("the plugin ran") }), "manifest: ")
}
