package host

import (
	"bytes"
	"os"
	"strconv"
)

// footprint returns the process's resident and proportional set size in KiB,
// each 0 where the kernel does not say.
func footprint(pid int) (rss, pss int64) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		// Another user's process, or one in a namespace that hides its maps:
		// the plain status still has the resident size.
		data, _ = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		return kibField(data, "VmRSS:"), 0
	}
	return kibField(data, "Rss:"), kibField(data, "Pss:")
}

func kibField(data []byte, name string) int64 {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			f := bytes.Fields(rest)
			if len(f) == 0 {
				return 0
			}
			n, _ := strconv.ParseInt(string(f[0]), 10, 64)
			return n
		}
	}
	return 0
}
