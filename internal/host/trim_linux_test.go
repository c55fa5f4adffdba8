package host

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyPagesThatNothingCanHaveWrittenAreDropped(t *testing.T) {
	const exe = "/usr/bin/flash"
	for line, want := range map[string]bool{
		"00400000-00c50000 r-xp 00000000 fe:00 123    /usr/bin/flash":           true,
		"00c50000-01480000 r--p 00850000 fe:00 123    /usr/bin/flash":           true,
		"01480000-01600000 rw-p 01080000 fe:00 123    /usr/bin/flash":           false,
		"00400000-00c50000 r-xp 00000000 fe:00 123    /usr/bin/flash (deleted)": false,
		"7f0000000000-7f0000021000 r-xp 00000000 fe:00 9 /usr/lib/libc.so.6":    false,
		"c000000000-c000400000 rw-p 00000000 00:00 0":                           false,
		"00c50000-00400000 r-xp 00000000 fe:00 123    /usr/bin/flash":           false,
		"x-y r-xp 00000000 fe:00 123    /usr/bin/flash":                         false,
		"": false,
	} {
		_, _, ok := programPages(line, exe)
		assert.Equal(t, want, ok, line)
	}
}

func TestAProgramGoesOnWithoutItsPages(t *testing.T) {
	before, _ := footprint(os.Getpid())
	trim()
	after, _ := footprint(os.Getpid())
	require.Positive(t, before)
	assert.Less(t, after, before-1024, "a test binary has megabytes of its own")
}
