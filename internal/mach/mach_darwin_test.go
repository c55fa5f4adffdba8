package mach

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestThisMachineHasTheProcessorsThatItRunsOn(t *testing.T) {
	for range 1000 { // what the kernel maps in is given back each time
		ticks, err := Processors()
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(ticks), runtime.NumCPU())
		require.NotZero(t, ticks[0].User+ticks[0].System+ticks[0].Idle)
	}
}

func TestThisMachinesPagesAreItsMemory(t *testing.T) {
	p, err := Memory()
	require.NoError(t, err)
	total, err := unix.SysctlUint64("hw.memsize")
	require.NoError(t, err)
	page, err := unix.SysctlUint32("vm.pagesize")
	require.NoError(t, err)
	sum := (uint64(p.Free) + uint64(p.Wired) + uint64(p.Compressor) + uint64(p.External) + uint64(p.Internal)) * uint64(page)
	assert.InEpsilon(t, total, sum, 0.15)
	assert.NotZero(t, p.Wired)
}
