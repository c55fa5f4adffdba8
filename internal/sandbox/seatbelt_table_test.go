package sandbox

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
)

// macPlaces are the names of the table on the made-up Mac.
func macPlaces(in PolicyInput) seatbelttest.Places {
	home, support := seatbelttest.Home, seatbelttest.Support
	return seatbelttest.Places{
		"home": home, "root": in.Root, "data": in.DataDir, "outside": "/Volumes/Work/shared",
		"otherdata": seatbelttest.DataDirs + "/plugins/other", "state": support + "/state/rank",
		"run": support + "/run", "control": support + "/run/flash.sock",
		"granted": home + "/granted.sock", "sockets": home + "/sockets",
		"history": home + "/.zsh_history", "systemsecret": "/private/etc/master.passwd", "passwd": "/private/etc/passwd",
		"keychain": home + "/Library/Keychains/login.keychain-db", "browser": home + "/Library/Safari/History.db",
		"null": "/dev/null", "tcp": "127.0.0.1:9", "udp": "127.0.0.1:9",
		"program": "/usr/bin/true", "otherprogram": "/usr/bin/id", "shell": "/bin/sh",
		"host": "others", "other": "others", "self": "self",
	}
}

// granting puts features into the input of a policy.
func granting(in PolicyInput, at seatbelttest.Places, features ...seatbelttest.Feature) PolicyInput {
	for _, f := range features {
		g := seatbelttest.GrantOf(f, at)
		in.Read = append(in.Read[:len(in.Read):len(in.Read)], g.Read...)
		in.ConfigWrite = append(in.ConfigWrite[:len(in.ConfigWrite):len(in.ConfigWrite)], g.Write...)
		in.Exec = append(in.Exec[:len(in.Exec):len(in.Exec)], g.Exec...)
		in.UnixSockets = append(in.UnixSockets[:len(in.UnixSockets):len(in.UnixSockets)], g.Sockets...)
		in.Capabilities = append(in.Capabilities[:len(in.Capabilities):len(in.Capabilities)], g.Capabilities...)
		in.Mach = append(in.Mach[:len(in.Mach):len(in.Mach)], g.Mach...)
		in.Signal = in.Signal || g.Signal
		in.AppleEvents = in.AppleEvents || g.AppleEvents
	}
	return in
}

// tableInput is the demo plugin with what the table talks about in place.
func tableInput(t testing.TB) (PolicyInput, *seatbelttest.Mac) {
	in, files := macInput(t)
	files.Add("/Volumes/Work/shared/file", seatbelttest.Home+"/granted.sock", seatbelttest.Home+"/sockets/a", seatbelttest.Support+"/run/free.sock")
	files.Link("/Volumes/Work/shared", in.DataDir+"/out")
	return in, files
}

func everyFeature(in PolicyInput) PolicyInput {
	files := in.Files.(*seatbelttest.Mac)
	files.Add("/Volumes/Work/shared/file", seatbelttest.Home+"/granted.sock", seatbelttest.Home+"/sockets/a")
	return granting(in, macPlaces(in), seatbelttest.Features...)
}

// Every feature alone, every pair, and everything without any pair, so that no
// grant opens or closes what another one is about.
func TestTheTableHoldsForEveryProfile(t *testing.T) {
	in, files := tableInput(t)
	at := macPlaces(in)
	attempts, deeds := seatbelttest.OnDarwin()
	args := make([][]string, len(attempts))
	for i, a := range attempts {
		args[i] = a.On(files, at)
	}
	for set := range uint(1) << len(seatbelttest.Features) {
		if n := bits.OnesCount(set); n > 2 && n < len(seatbelttest.Features)-2 {
			continue
		}
		var features []seatbelttest.Feature
		for i, f := range seatbelttest.Features {
			if set&(1<<i) != 0 {
				features = append(features, f)
			}
		}
		p, notes, err := PolicyFor(granting(in, at, features...))
		require.NoError(t, err)
		if len(notes) > 0 {
			require.Empty(t, notes, "%q", features)
		}
		profile := readProfile(t, p)
		for i, a := range attempts {
			allowed, err := deeds[i].Tried(profile, args[i])
			if err != nil || allowed != a.Opened(features) {
				require.NoError(t, err, a.String())
				require.Failf(t, "not what the table says", "%s is allowed: %v, with %q", a, allowed, features)
			}
		}
	}
}

// The table is able to fail: a profile that lacks any one of its denies, or has
// one allow too many, is found out.
func TestAProfileWithoutOneOfItsDeniesIsFoundOut(t *testing.T) {
	in, files := tableInput(t)
	at := macPlaces(in)
	p, _, err := PolicyFor(granting(in, at, seatbelttest.ReadHome, seatbelttest.WriteHome, seatbelttest.SocketRun))
	require.NoError(t, err)
	text, err := p.Seatbelt()
	require.NoError(t, err)
	features := []seatbelttest.Feature{seatbelttest.ReadHome, seatbelttest.WriteHome, seatbelttest.SocketRun}
	wrong := func(text string) (rows []string) {
		profile, err := seatbelttest.Parse(text)
		require.NoError(t, err)
		attempts, deeds := seatbelttest.OnDarwin()
		for i, a := range attempts {
			allowed, err := deeds[i].Tried(profile, a.On(files, at))
			if err != nil || allowed != a.Opened(features) {
				rows = append(rows, a.String())
			}
		}
		return rows
	}
	require.Empty(t, wrong(text))
	for _, secret := range []string{
		seatbelttest.Home + "/.ssh", seatbelttest.Home + "/.config/gh", seatbelttest.DataDirs,
		seatbelttest.Support + "/state", seatbelttest.Support + "/run/flash.sock", seatbelttest.Home + "/Library/Keychains",
	} {
		require.NotEmpty(t, wrong(withoutLines(text, "(deny file-read*", secret)), secret)
	}
	require.NotEmpty(t, wrong(strings.ReplaceAll(text, " file-write* (subpath", " (subpath")), "writing")
	require.NotEmpty(t, wrong(strings.ReplaceAll(text, " file-test-existence", "")), "looking for what is there")
	require.NotEmpty(t, wrong(strings.ReplaceAll(text, "(deny file-read* file-read-metadata", "(deny file-read*")), "looking, where the operation's own name counts more")
	require.NotEmpty(t, wrong(withoutLines(text, `(deny network-outbound `, seatbelttest.Support+"/run/flash.sock")))
	pins := strings.Index(text, "(deny file-write-create file-write-unlink")
	require.Positive(t, pins)
	require.NotEmpty(t, wrong(text[:pins]+"(deny system-fcntl (fcntl-command 80 110))\n(deny mach-lookup (xpc-service-name-prefix \"\"))\n"), "renames")
	require.NotEmpty(t, wrong(withoutLines(text, "(deny system-fcntl", "")))
	require.NotEmpty(t, wrong(withoutLines(text, "(deny mach-lookup", "")))
	for _, more := range []string{
		`(allow sysctl-read)`, `(allow file-read*)`, `(allow file-write*)`, `(allow process-fork)`, `(allow signal)`, `(allow appleevent-send)`,
		`(allow system-socket)`, `(allow process-info*)`, `(allow mach-lookup)`, `(allow process-exec*)`, `(allow file-map-executable)`,
		`(allow network-outbound (remote ip "*:*"))`, fmt.Sprintf(`(allow file-read* (subpath %q))`, seatbelttest.Home+"/.ssh"),
	} {
		require.NotEmpty(t, wrong(text+more+"\n"), more)
	}
}

// withoutLines drops the one-line rules that begin so and name the path.
func withoutLines(text, begin, path string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, begin) || !strings.Contains(line, path) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
