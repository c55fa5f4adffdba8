package rusage

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// info is the struct as <sys/resource.h> lays it out, field by field.
func info(fields ...uint64) []byte {
	out := make([]byte, 16) // ri_uuid
	for _, f := range fields {
		out = binary.LittleEndian.AppendUint64(out, f)
	}
	return out
}

func TestTheFieldsOfMacOSAreRead(t *testing.T) {
	// user, system, package idle and interrupt wake-ups, page-ins, wired,
	// resident, footprint, start, exit
	u, err := decode(info(24_000_000, 12_000_000, 3, 40, 5, 6, 70_000, 80_000, 9, 10), 24_000_000)
	require.NoError(t, err)
	assert.Equal(t, Usage{Footprint: 80_000, Resident: 70_000, CPU: 1500 * time.Millisecond, Wakeups: 40}, u)
}

func TestLongProcessorTimesDoNotOverflow(t *testing.T) {
	const days = 300 * 24 * 3600
	u, err := decode(info(days*24_000_000, 12_000_000, 0, 0, 0, 0, 0, 0, 0, 0), 24_000_000)
	require.NoError(t, err)
	assert.Equal(t, days*time.Second+500*time.Millisecond, u.CPU)
}

func TestAShortAnswerIsAnError(t *testing.T) {
	_, err := decode(info(1), 1e9)
	require.ErrorIs(t, err, errShort)
	_, err = decode(info(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0)
	require.ErrorIs(t, err, errShort)
}
