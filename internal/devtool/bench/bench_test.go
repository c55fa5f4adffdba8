package bench

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

// options measure a shell script as a plugin.
func options(t *testing.T, script string) Options {
	t.Helper()
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	sh, err = filepath.EvalSymlinks(sh)
	require.NoError(t, err)
	m, err := protocol.DecodeManifest([]byte(`{"id":"p","name":"P","version":"1","description":"x","exec":["./p"]}`))
	require.NoError(t, err)
	def := manifest.Definition{Manifest: m, Root: t.TempDir(), Argv: []string{sh, "-c", script}}
	return Options{
		Targets: []Target{{Definition: def}, {Definition: def, Reference: true}}, Samples: 2, Settle: time.Millisecond,
		Start: func(ctx context.Context, def manifest.Definition, dataDir string) (*sandbox.Process, error) {
			return sandbox.NewRunner().Start(ctx, sandbox.Command{Argv: def.Argv, Dir: def.Root, Env: []string{},
				Policy: &sandbox.Policy{PluginID: "p", Root: def.Root, DataDir: dataDir, Argv0: sh, Disabled: true}})
		},
	}
}

const plugin = `read -r a; echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
	echo '{"id":1,"method":"host.ping","params":{}}'; read -r answer
	for n in 2 3 4; do read -r b || break; echo "{\"id\":$n,\"result\":{\"ok\":true}}"; done
	while read -r c; do :; done; `

func TestALifeIsMeasuredFromSpawnToExit(t *testing.T) {
	for _, together := range []bool{false, true} {
		o := options(t, plugin)
		o.Concurrent = together
		r, err := Run(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, r.Results, 2)
		for _, res := range r.Results {
			assert.Equal(t, 2, res.Summary.Samples)
			assert.Equal(t, 2, res.Summary.CleanExits)
			for _, s := range res.Raw {
				assert.GreaterOrEqual(t, s.InitializeMS, s.HandshakeMS)
				assert.Positive(t, s.RSSKiB)
				assert.Positive(t, s.Threads)
			}
		}
		assert.Equal(t, 1, r.Aggregate.Plugins, "references count in no sum")
		assert.Equal(t, together, r.Aggregate.AllInitializedMS != nil)
	}
}

func TestMoreChildrenThanPluginsLiveTogetherInTurn(t *testing.T) {
	o := options(t, plugin)
	o.Concurrent, o.Children, o.Pings = true, 3, 3
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, r.Results[0].Raw, 6, "three children in each of two samples")
	assert.Len(t, r.Results[1].Raw, 2, "the reference is measured apart")
	o.Targets = append([]Target{o.Targets[0]}, o.Targets...)
	o.Children = 5
	two, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, two.Results[0].Raw, 6, "the plugins in turn")
	assert.Len(t, two.Results[1].Raw, 4)
	assert.Equal(t, 3, r.Aggregate.Children)
	assert.Greater(t, r.Aggregate.RSSKiB, 2*r.Results[0].Summary.RSSKiB.P50)
	for _, res := range r.Results {
		require.NotNil(t, res.Summary.After)
		assert.Equal(t, 3, res.Summary.After.Pings)
		assert.Positive(t, res.Summary.After.RSSKiB)
		assert.GreaterOrEqual(t, res.Summary.After.PingMS.P95, res.Summary.After.PingMS.P50)
	}
}

func TestAnUncleanEndIsReportedAndIsNoError(t *testing.T) {
	r, err := Run(t.Context(), options(t, plugin+"exit 4"))
	require.NoError(t, err)
	assert.Zero(t, r.Results[0].Summary.CleanExits)
	assert.Equal(t, 4, r.Results[0].Raw[0].ExitCode)
	assert.Equal(t, 2, r.Aggregate.WithoutCleanExits)
}

func TestAPluginThatDoesNotInitializeIsNamedWithWhatItSaid(t *testing.T) {
	for script, want := range map[string]string{
		"echo no database >&2; exit 3": "plugin p: it ended without a reply to initialize: exit status 3; the end of its stderr:\n  no database",
		`read -r a; echo '{"id":1,"result":{"ok":false,"error":"no luck"}}'; while read -r b; do :; done`: "plugin p: it refused initialize: no luck",
		"exec >&-; while :; do sleep 1; done": "plugin p: it closed its stdin or stdout without a reply to initialize",
	} {
		_, err := Run(t.Context(), options(t, script))
		assert.ErrorContains(t, err, want)
	}
}

func TestTheEndOfTheContextEndsARunAtOnce(t *testing.T) {
	for _, together := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(t, `read -r a; while read -r b; do :; done`)
		o.Concurrent = together
		spawn := o.Start
		o.Start = func(ctx context.Context, def manifest.Definition, dataDir string) (*sandbox.Process, error) {
			p, err := spawn(ctx, def, dataDir)
			cancel()
			return p, err
		}
		began := time.Now()
		_, err := Run(ctx, o)
		require.ErrorIs(t, err, context.Canceled)
		assert.Less(t, time.Since(began), protocol.DeadlineStartup, "it does not wait for a reply")
	}
}

func TestWhatAPluginStartedCountsAsThePlugins(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("macOS tells of the process alone")
	}
	alone, err := Run(t.Context(), options(t, plugin))
	require.NoError(t, err)
	more, err := Run(t.Context(), options(t, "sleep 60 & helper=$!; trap 'kill $helper' EXIT; "+plugin))
	require.NoError(t, err)
	assert.Greater(t, more.Results[0].Raw[0].Threads, alone.Results[0].Raw[0].Threads)
	assert.Greater(t, more.Results[0].Raw[0].RSSKiB, alone.Results[0].Raw[0].RSSKiB)
}
