package manifest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

func environment(t *testing.T, def manifest.Definition, loginPath string, host map[string]string) map[string]string {
	t.Helper()
	def.Manifest = &protocol.Manifest{ID: "calc", Version: "1.2"}
	env := manifest.Environment(def, manifest.World{
		DataDir: "/data/calc", ParentPID: 42, LoginPath: loginPath,
		Lookup: func(key string) (string, bool) { v, ok := host[key]; return v, ok },
	})
	got := map[string]string{}
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		require.NotContains(t, got, k)
		got[k] = v
	}
	return got
}

func TestAChildSeesOnlyTheNamedVariables(t *testing.T) {
	host := map[string]string{
		"HOME": "/h", "LANG": "C", "LC_ALL": "C", "LC_CTYPE": "C", "LOGNAME": "l", "PATH": "/bin", "SHELL": "/bin/sh",
		"TERM": "xterm", "TMPDIR": "/tmp", "USER": "u",
		"SSH_AUTH_SOCK": "/s", "GITHUB_TOKEN": "t", "DBUS_SESSION_BUS_ADDRESS": "b", "DISPLAY": ":0",
		"LD_PRELOAD": "x", "FLASH_PLUGIN_CONFIG": "forged", "GOMAXPROCS": "8",
	}
	got := environment(t, manifest.Definition{}, "", host)
	require.Equal(t, []string{
		"FLASH_PLUGIN_CONFIG", "FLASH_PLUGIN_DATA_DIR", "FLASH_PLUGIN_ID", "FLASH_PLUGIN_PARENT_PID", "FLASH_PLUGIN_VERSION",
		"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
	}, slices.Sorted(maps.Keys(got)))
	require.Equal(t, "calc", got["FLASH_PLUGIN_ID"])
	require.Equal(t, "1.2", got["FLASH_PLUGIN_VERSION"])
	require.Equal(t, "/data/calc", got["FLASH_PLUGIN_DATA_DIR"])
	require.Equal(t, "42", got["FLASH_PLUGIN_PARENT_PID"])
	require.Equal(t, "/bin", got["PATH"])
	require.Equal(t, "/login/bin", environment(t, manifest.Definition{}, "/login/bin", host)["PATH"])
	require.NotContains(t, environment(t, manifest.Definition{}, "", nil), "HOME", "what the host lacks is not made up")
}

func TestOnlyOfficialChildrenGetTheGoSettings(t *testing.T) {
	got := environment(t, manifest.Definition{Official: true}, "", nil)
	require.Equal(t, "1", got["GOMAXPROCS"])
	require.NotEmpty(t, got["GOGC"])
	require.NotEmpty(t, got["GOMEMLIMIT"])
	require.NotContains(t, environment(t, manifest.Definition{}, "", nil), "GOGC")
}

func TestAConfigurationThatIsNoTableDegradesToAnEmptyOne(t *testing.T) {
	for table, want := range map[string]string{
		"":                `{}`,
		"null":            `{}`,
		"[1]":             `{}`,
		`{"a":`:           `{}`,
		`{"a":{"b":"é"}}`: `{"a":{"b":"é"}}`,
	} {
		def := manifest.Definition{Config: manifest.PluginConfig{Table: []byte(table)}}
		require.Equal(t, want, environment(t, def, "", nil)["FLASH_PLUGIN_CONFIG"], table)
	}
}
