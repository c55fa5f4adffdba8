package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDecisionTable(t *testing.T) {
	full := Support{LandlockABI: 7, Seccomp: true, Namespaces: true}
	older := func(abi int, namespaces bool) Support {
		s := Support{LandlockABI: abi, Seccomp: true, Namespaces: namespaces}
		if !namespaces {
			s.NamespacesWhy, s.NamespacesRemedy = "user namespaces are switched off", "switch them on"
		}
		return s
	}
	bare := Policy{PluginID: "p", GOOS: "linux"}
	execs := Policy{PluginID: "p", GOOS: "linux", Exec: []string{"/usr/bin/git"}}
	forks := Policy{PluginID: "p", GOOS: "linux", Subprocess: true}
	sockets := Policy{PluginID: "p", GOOS: "linux", UnixSockets: []string{"/run/x"}}
	online := Policy{PluginID: "p", GOOS: "linux", UnixSockets: []string{"/run/x"}, Network: true}
	signals := Policy{PluginID: "p", GOOS: "linux", Signal: true}
	carved := Policy{PluginID: "p", GOOS: "linux", Read: []string{"/home/u"}, DenyRead: []string{"/home/u/.ssh"}}
	proc := Policy{PluginID: "p", GOOS: "linux", OwnProc: true}
	off := Policy{PluginID: "p", GOOS: "linux", Disabled: true, Exec: []string{"/bin/sh"}}

	thread := plan{way: wayThread, signals: true, abstract: true, metadata: true}
	shim := plan{way: wayNamespace, signals: true, abstract: true, mask: true}
	withInit := shim
	withInit.init = true
	for name, c := range map[string]struct {
		policy  Policy
		support Support
		want    plan
	}{
		"nothing declared":                        {bare, full, thread},
		"nothing declared, no namespaces":         {bare, older(7, false), thread},
		"exec":                                    {execs, full, withInit},
		"subprocess":                              {forks, full, withInit},
		"unix_sockets":                            {sockets, full, shim},
		"unix_sockets and network":                {online, full, shim},
		"signal":                                  {signals, full, plan{way: wayThread, abstract: true, metadata: true}},
		"a secret below a grant":                  {carved, full, shim},
		"a secret below a grant, no namespaces":   {carved, older(7, false), thread},
		"/proc/self":                              {proc, full, shim},
		"/proc/self, no namespaces":               {proc, older(7, false), thread},
		"Debian 12, nothing declared":             {bare, older(2, true), plan{way: wayNamespace, mask: true, truncate: true}},
		"Debian 12, exec":                         {execs, older(2, true), plan{way: wayNamespace, init: true, mask: true, truncate: true}},
		"Debian 12, unix_sockets":                 {sockets, older(2, true), plan{way: wayNamespace, mask: true, truncate: true, netns: true}},
		"Debian 12, signal granted":               {signals, older(2, false), plan{way: wayThread, truncate: true, metadata: true}},
		"ABI 5":                                   {bare, older(5, true), plan{way: wayNamespace, mask: true}},
		"sandbox = false without anything at all": {off, Support{}, plan{way: wayPlain}},
	} {
		got, err := planFor(&c.policy, c.support)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}

	for name, c := range map[string]struct {
		policy  Policy
		support Support
		says    string
	}{
		"no seccomp":                          {bare, Support{LandlockABI: 7, Namespaces: true}, "no seccomp"},
		"no Landlock":                         {bare, older(0, true), "Landlock is not available"},
		"exec without namespaces":             {execs, older(7, false), "start processes"},
		"subprocess without namespaces":       {forks, older(7, false), "start processes"},
		"unix_sockets without namespaces":     {sockets, older(7, false), "unix_sockets"},
		"Debian 12 without namespaces":        {bare, older(2, false), "signalling"},
		"Debian 12, unix_sockets and network": {online, older(2, true), "abstract sockets"},
	} {
		_, err := planFor(&c.policy, c.support)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "plugin p is not started", name)
		require.Contains(t, refused.Remedy, "sandbox = false under [plugin.p]", name)
	}
}

func TestProblemsNameWhatIsRefusedAndTheRemedy(t *testing.T) {
	require.Empty(t, Support{LandlockABI: 7, Seccomp: true, Namespaces: true}.problems())
	require.Empty(t, Support{LandlockABI: 2, Seccomp: true, Namespaces: true}.problems())
	for _, s := range []Support{
		{LandlockABI: 7, Namespaces: true},
		{Seccomp: true, Namespaces: true},
		{LandlockABI: 7, Seccomp: true, NamespacesWhy: "off", NamespacesRemedy: "on"},
		{LandlockABI: 2, Seccomp: true, NamespacesWhy: "off", NamespacesRemedy: "on"},
	} {
		list := s.problems()
		require.NotEmpty(t, list)
		for _, p := range list {
			require.NotEmpty(t, p.What)
			require.NotEmpty(t, p.Refused)
			require.NotEmpty(t, p.Remedy)
		}
	}
}
