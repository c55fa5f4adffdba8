package sandbox

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissingNamespacesAreExplainedByWhatForbidsThem(t *testing.T) {
	for key, value := range map[string]string{
		"kernel/unprivileged_userns_clone":             "0",
		"user/max_user_namespaces":                     "0",
		"kernel/apparmor_restrict_unprivileged_userns": "1",
	} {
		why, remedy := explainNamespaces(errors.New("x"), func(name string) string {
			if name == key {
				return value
			}
			return ""
		})
		require.Contains(t, why, "switched off")
		require.Contains(t, remedy, "sysctl -w")
	}
	why, remedy := explainNamespaces(errors.New("x"), func(name string) string {
		return map[string]string{"vm/memfd_noexec": "2"}[name]
	})
	require.Contains(t, why, "memory")
	require.Contains(t, remedy, "sysctl -w vm.memfd_noexec=1")
	why, remedy = explainNamespaces(errors.New("operation not permitted"), func(string) string { return "" })
	require.Contains(t, why, "operation not permitted")
	require.Contains(t, remedy, "container")
}

func TestTheReportIsWhatTheKernelSays(t *testing.T) {
	r := Available()
	require.Equal(t, "linux", r.Platform)
	require.Equal(t, os.Geteuid() == 0, r.Root)
	require.Equal(t, landlockABI(), r.LandlockABI)
	require.Equal(t, len(detect().problems()), len(r.Problems))
}
