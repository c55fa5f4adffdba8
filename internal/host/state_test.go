package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFilesOfItsOwnThatCannotBeReadAreSaidWhereTheUserLooks(t *testing.T) {
	const half = `{"schema":1,"enab`
	i := newInstance(t)
	i.write("state/flash/plugins.json", half, 0o600)
	i.write("state/flash/frecency.json", "\x00garbage", 0o600)
	started := i.run("start")
	assert.Zero(t, started.code)
	for where, said := range map[string]string{"start": started.err, "status": i.run("status").out, "doctor": i.run("doctor").out} {
		assert.Contains(t, said, "plugins.json cannot be read", where)
		assert.Contains(t, said, "frecency.json.broken, learning starts anew", where)
	}
	assert.Contains(t, i.run("plugin", "disable", "emojis").err, "move it away to start anew")
	assert.Equal(t, half, i.read(i.dir, "state/flash/plugins.json"), "what cannot be read is kept")
}
