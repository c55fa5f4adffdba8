package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/sandbox"
)

func finding(t *testing.T, r Report, name string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("nothing is said of %s", name)
	return Finding{}
}

func TestEveryStateOfAPluginHasItsFinding(t *testing.T) {
	plugin := func(id, state string) control.DoctorPlugin {
		return control.DoctorPlugin{PluginInfo: control.PluginInfo{ID: id, State: state}}
	}
	good, slow, mute, broken, again, off, waits, open := plugin("good", "running"), plugin("slow", "running"), plugin("mute", "launching"),
		plugin("broken", "failed"), plugin("again", "backoff"), plugin("off", "stopped"), plugin("waits", "stopped"), plugin("open", "running")
	good.InitializeMS, good.Rows, slow.InitializeMS = 12, 3, 1500
	mute.StateMS = 3210
	broken.LastError, broken.Stderr = "exited with code 3", []string{"no such file"}
	again.LastError = "exited with code 1"
	off.Why = "disabled in flash.toml"
	waits.Why, waits.Waits = "waits for its install step", true
	open.Unconfined = true
	r := Check(Input{Config: "flash.toml", Resident: &control.Doctor{Plugins: []control.DoctorPlugin{good, slow, mute, broken, again, off, waits, open}}})
	assert.Equal(t, Finding{Area: "plugins", Name: "good", State: OK, Detail: "running, 3 rows, started in 12 ms"}, finding(t, r, "good"))
	assert.Equal(t, Note, finding(t, r, "slow").State)
	f := finding(t, r, "mute")
	assert.Equal(t, Problem, f.State)
	assert.Equal(t, "launching for 3210 ms", f.Detail)
	f = finding(t, r, "broken")
	assert.Equal(t, Problem, f.State)
	assert.Equal(t, "failed: exited with code 3", f.Detail)
	assert.Equal(t, []string{"no such file"}, f.Output)
	assert.Contains(t, f.Remedy, "flash plugin reload broken")
	assert.Contains(t, finding(t, r, "again").Remedy, "by itself")
	assert.Equal(t, Finding{Area: "plugins", Name: "off", State: OK, Detail: "disabled in flash.toml"}, finding(t, r, "off"))
	assert.Equal(t, Note, finding(t, r, "waits").State)
	assert.Equal(t, 3, r.Problems)
	last := r.Findings[len(r.Findings)-1]
	assert.Equal(t, Note, last.State)
	assert.Contains(t, last.Remedy, "sandbox = false")
}

func TestWithoutAResidentTheRestIsStillLookedAt(t *testing.T) {
	r := Check(Input{NotRunning: "no resident answers", Config: "flash.toml", ConfigFaults: []string{"3:1: rows: is no number"},
		Sandbox: Sandbox(sandbox.Report{Platform: "linux", LandlockABI: 0, Seccomp: true, Problems: []sandbox.Problem{{What: "Landlock is not available", Refused: "every plugin", Remedy: "use a kernel 5.13"}}})})
	assert.Equal(t, "flash start", finding(t, r, "running").Remedy)
	assert.Equal(t, Problem, finding(t, r, "flash.toml").State)
	f := finding(t, r, "Landlock is not available")
	assert.Equal(t, Problem, f.State)
	assert.Contains(t, f.Detail, "use a kernel 5.13")
	require.GreaterOrEqual(t, r.Problems, 3)
}
