package environ

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheLastEntryOfANameCounts(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=", "B=x=y", "A=3", "C"}
	assert.Equal(t, "3", Lookup(env, "A"))
	assert.Equal(t, "2", Lookup(env, "AB"))
	assert.Equal(t, "x=y", Lookup(env, "B"))
	assert.Empty(t, Lookup(env, "C"))
	assert.Empty(t, Lookup(nil, "A"))
	assert.Empty(t, Lookup(env[:3], "A"), "set to nothing")
}
