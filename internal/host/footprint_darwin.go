package host

import "github.com/flash-launcher/flash/internal/rusage"

// footprint returns the process's resident size in KiB and, in place of the
// proportional one that macOS does not count, its footprint; 0 where it does
// not say.
func footprint(pid int) (rss, pss int64) {
	u, err := rusage.Of(pid)
	if err != nil {
		return 0, 0
	}
	return u.Resident >> 10, u.Footprint >> 10
}
