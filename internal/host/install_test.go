package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needy is a plugin whose program is made by its install step.
func needy(i *instance, version, command string) string {
	root := filepath.Join(i.dir, "config/flash/plugins/needy")
	i.write("config/flash/plugins/needy/manifest.json", `{"id":"needy","name":"Needy","version":"`+version+`","description":"d","exec":["./made"],"install":"`+command+`","sources":[{"name":"needy.items","kind":"locations"}],"capabilities":["notify"],"sandbox":{"exec":["sh"],"read":["~/.ssh/config","~/Notes"]}}`, 0o644)
	i.write("config/flash/plugins/needy/source", "#!/bin/sh\n"+`echo '{"method":"publish","params":{"rows":[{"source":"needy.items","title":"Made to measure"}]}}'`+"\n"+answering(`echo '{"id":'$id',"result":{"ok":true}}'`), 0o755)
	return root
}

func TestAnInstallStepRunsOnceItWasSeenAndAllowed(t *testing.T) {
	i := newInstance(t)
	root := needy(i, "1", "cp source made && echo ran >> runs")
	i.start()
	p := i.plugin("needy")
	assert.Equal(t, "stopped", p.State)
	assert.Contains(t, p.Why, "flash plugin install needy")
	assert.NoFileExists(t, filepath.Join(root, "runs"))

	r := i.run("plugin", "install", "needy") // the end of the input is no yes
	assert.Equal(t, 1, r.code, r.err)
	assert.Contains(t, r.out, "cp source made && echo ran >> runs")
	assert.Contains(t, r.err, "was not run")
	for _, line := range []string{"    capability notify\n", "    run sh\n", "    read ~/.ssh/config   (a secret)\n", "    read ~/Notes\n"} {
		assert.Contains(t, r.out, line)
	}
	assert.NoFileExists(t, filepath.Join(root, "runs"))

	assert.Contains(t, i.ok("plugin", "install", "needy", "--yes"), "needy is running")
	i.eventually("its row shows", func() bool { return len(i.query("made to measure").Rows) == 1 })
	i.ok("stop")
	i.start()
	i.eventually("it runs again", func() bool { return i.plugin("needy").State == "running" })
	assert.Equal(t, "ran\n", i.read(root, "runs"), "the step ran once")

	needy(i, "2", "cp source made && echo ran >> runs")
	i.eventually("an update runs it again", func() bool { return i.read(root, "runs") == "ran\nran\n" })
	needy(i, "2", "cp source made && echo other >> runs")
	i.eventually("another command is asked about", func() bool {
		p := i.plugin("needy")
		return p.State == "stopped" && strings.Contains(p.Why, "flash plugin install needy")
	})
	assert.Equal(t, "ran\nran\n", i.read(root, "runs"))
}

func TestAFailingInstallStepSaysWhyAndCanBeStopped(t *testing.T) {
	i := newInstance(t)
	needy(i, "1", "echo the library is missing >&2; exit 3")
	i.start()
	r := i.run("plugin", "install", "needy", "--yes")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "the library is missing")
	assert.Contains(t, r.err, "needy.log")
	require.NotEmpty(t, i.plugin("calculator").PID, "the others run")
	assert.Contains(t, i.ok("plugin", "disable", "needy"), "stopped")
}

func (i *instance) read(path ...string) string {
	i.t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(i.t, err)
	return string(data)
}
