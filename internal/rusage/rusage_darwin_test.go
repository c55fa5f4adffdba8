package rusage

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThisProcessHasAFootprintAndUsesProcessorTime(t *testing.T) {
	before, err := Of(os.Getpid())
	require.NoError(t, err)
	assert.Greater(t, before.Footprint, int64(1<<20))
	assert.Greater(t, before.Resident, int64(1<<20))
	held := make([]byte, 32<<20)
	for i := range held {
		held[i] = byte(i)
	}
	after, err := Of(os.Getpid())
	require.NoError(t, err)
	assert.Greater(t, after.Footprint-before.Footprint, int64(24<<20), "what is written to counts")
	assert.Greater(t, after.CPU, before.CPU)
	assert.NotZero(t, held[len(held)-1])
}

func TestAProcessThatIsGoneIsAnError(t *testing.T) {
	_, err := Of(1<<30 - 1)
	require.Error(t, err)
}
