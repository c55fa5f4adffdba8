package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFlashIsEndedByItsOwnCommand(t *testing.T) {
	i := newInstance(t)
	i.start()
	r := i.run("query", "--json", ":qu")
	assert.Contains(t, r.out, ":quit")
	r = i.run("query", ":quit")
	assert.Contains(t, r.out, "End Flash and all its plugins")
	r = i.run("perform", ":quit")
	assert.Zero(t, r.code, r.err)
	assert.Equal(t, "Flash ends\n", r.out)
	i.eventually("the end", func() bool { return i.run("status").code == 3 })
}

func TestWhatStartsAtLoginEndsWithoutAnErrorWhereOneRuns(t *testing.T) {
	i := newInstance(t)
	i.start()
	assert.Equal(t, 6, i.run("run").code)
	r := i.run("run", "--unless-running")
	assert.Zero(t, r.code, r.err)
	r = i.run("start")
	assert.Zero(t, r.code, r.err)
	assert.Contains(t, r.out, "already running")
}
