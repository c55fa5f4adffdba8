package host_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheDoctorNamesWhatIsWrongAndWhatToDo(t *testing.T) {
	i := newInstance(t)
	r := i.run("doctor")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.out, "→ flash start")
	assert.Empty(t, r.err)

	i.script("hangs", `,"sources":[{"name":"hangs.items","kind":"locations"}],"sandbox":{"exec":["sh"]}`, "while read -r line; do :; done\n")
	i.script("dies", `,"sources":[{"name":"dies.items","kind":"locations"}],"sandbox":{"exec":["sh"]}`, "echo the key is missing >&2; exit 9\n")
	i.write("config/flash/plugins/apple/manifest.json", `{"id":"apple","name":"Apple","version":"1","description":"d","exec":["./x"],"platforms":["darwin"],"status":["s"]}`, 0o644)
	i.write("config/flash/config.toml", "[plugin.memory]\nsandbox = false\n[flashlight]\nrows = \"many\"\n", 0o644)
	i.start()
	for _, want := range []string{"PROBLEM  hangs: launching for ", "PROBLEM  dies: ", "the key is missing", "flashlight.rows", "apple: is for macOS only", "ok       calculator: running", "runs without a sandbox"} {
		i.eventually(want, func() bool {
			r = i.run("doctor")
			return strings.Contains(r.out, want)
		})
		assert.Equal(t, 1, r.code)
	}
	assert.Contains(t, i.run("plugins").out, "is for macOS only")
}

func TestTheDoctorAsksForPermissionsThroughTheResidentOnly(t *testing.T) {
	i := newInstance(t)
	r := i.run("doctor", "--ask")
	assert.NotZero(t, r.code)
	assert.Contains(t, r.err, "flash start", "it is the resident that needs them")
	i.start()
	r = i.run("doctor", "--ask")
	assert.Empty(t, r.err)
	assert.Contains(t, r.out, "accessibility")
}
