package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
)

// dice draws the parts of a policy from bytes, so that a fuzzer can steer them.
type dice struct {
	bytes []byte
	at    int
}

func (d *dice) n(below int) int {
	if d.at == len(d.bytes) {
		return 0
	}
	d.at++
	return int(d.bytes[d.at-1]) % below
}

// Few names and few levels, so that grants, secrets and questions meet. The
// first is not on the machine that runs this: nothing there is a link.
var pathNames = []string{"a", "b", "ab", "c"}

func (d *dice) path() string {
	path := "/flash-made-up"
	for range d.n(5) {
		path += "/" + pathNames[d.n(len(pathNames))]
	}
	return path
}

func (d *dice) paths(most int) []string {
	var list []string
	for range d.n(most + 1) {
		list = append(list, d.path())
	}
	return sortedUnique(list)
}

func (d *dice) yes() bool { return d.n(2) == 1 }

// policy is one that PolicyFor could have made: a secret that is granted by its
// own name is none, and a directory of sockets is one of the sockets.
func (d *dice) policy() *Policy {
	p := &Policy{
		GOOS: "darwin", Root: d.path() + "/root", DataDir: d.path() + "/data", Start: []string{d.path() + "/start"},
		Read: d.paths(3), Write: d.paths(2), SystemRead: d.paths(1), UnixSockets: d.paths(2), DenyRead: d.paths(4),
		Network: d.yes(), Subprocess: d.yes(), AppleEvents: d.yes(), Signal: d.yes(), SystemWrite: []string{"/dev/null"},
	}
	for range d.n(2) {
		p.Exec = append(p.Exec, d.path()+"/exec")
	}
	if d.yes() {
		p.SocketDirs = slices.Clone(p.UnixSockets)
	}
	if d.yes() {
		p.Mach = []string{"com.example.service"}
	}
	p.DenyRead = slices.DeleteFunc(p.DenyRead, func(path string) bool {
		return slices.Contains(p.Read, path) || slices.Contains(p.Write, path)
	})
	return p
}

// answers counts what was answered, denied and allowed, by kind.
type answers map[string]*[2]int

// agrees asks Decide and the profile the same and wants the same answer.
func agrees(t *testing.T, p *Policy, targets []string, count answers) {
	t.Helper()
	text, err := p.Seatbelt()
	require.NoError(t, err)
	profile, err := seatbelttest.Parse(text)
	require.NoError(t, err, text)
	same := func(kind, target, operation, arg string) {
		t.Helper()
		want, why := p.Decide(kind, target)
		require.NotEqual(t, "secret ", why)
		got, err := profile.Allowed(operation, arg)
		require.NoError(t, err)
		if want != got {
			require.Failf(t, "Decide and the profile disagree", "%s %q: Decide says %v (%s), %s %q is %v in\n%s\nof %+v", kind, target, want, why, operation, arg, got, text, p)
		}
		if count[kind] == nil {
			count[kind] = new([2]int)
		}
		count[kind][map[bool]int{false: 0, true: 1}[got]]++
	}
	for _, target := range targets {
		same("read", target, "file-read-data", target)
		same("read", target, "file-read-xattr", target)
		same("write", target, "file-write-data", target)
		same("exec", target, "process-exec", target)
		same("exec", target, "process-exec-interpreter", target)
		same("unix", target, "network-outbound", target)
	}
	same("network", "", "network-outbound", "192.0.2.1:443")
	same("network", "", "network-outbound", "[::1]:80")
	same("fork", "", "process-fork", "")
	same("signal", "", "signal", "others")
	same("appleevents", "", "appleevent-send", "")
	for _, service := range slices.Concat(baseMach, networkMach, eventMach, []string{"com.example.service", "com.apple.tccd"}) {
		same("mach", service, "mach-lookup", service)
	}
}

// interesting are all paths that the policy names, what is around them, and
// some that it may not name.
func interesting(p *Policy, d *dice) []string {
	list := []string{"/", "/dev/null", "/dev", resolverSocket, d.path(), d.path(), d.path()}
	for _, path := range slices.Concat(p.Start, p.Exec, p.Read, p.Write, p.UnixSockets, p.DenyRead, []string{p.Root, p.DataDir}) {
		list = append(append(list, parents(path)...), path, path+"/a", path+"x")
	}
	return sortedUnique(list)
}

func TestDecideAgreesWithTheProfileForMacOS(t *testing.T) {
	seed, count := rand.New(rand.NewPCG(1, 2)), answers{}
	for range 150 {
		d := &dice{bytes: make([]byte, 128)}
		for i := range d.bytes {
			d.bytes[i] = byte(seed.Uint32())
		}
		p := d.policy()
		agrees(t, p, interesting(p, d), count)
	}
	require.Len(t, count, 9)
	for kind, n := range count {
		require.Greater(t, n[0], 20, "%s is never denied", kind)
		require.Greater(t, n[1], 20, "%s is never allowed", kind)
	}
}

// The same for policies as manifests make them, with the paths of a Mac.
func TestDecideAgreesWithTheProfileOfEveryFeature(t *testing.T) {
	in, files := tableInput(t)
	at := macPlaces(in)
	var targets []string
	for _, a := range seatbelttest.Attempts {
		for _, arg := range a.On(files, at) {
			if strings.HasPrefix(arg, "/") && !strings.HasPrefix(arg, "/bin") && !strings.HasPrefix(arg, "/proc") {
				targets = append(targets, arg)
			}
		}
	}
	targets = sortedUnique(targets)
	for _, f := range seatbelttest.Features {
		p, _, err := PolicyFor(granting(in, at, f))
		require.NoError(t, err)
		agrees(t, p, targets, answers{})
	}
	p, _, err := PolicyFor(everyFeature(in))
	require.NoError(t, err)
	agrees(t, p, targets, answers{})
}

// What a policy says of itself, line by line, is what its profile does.
func TestTheExplanationOfAPolicyIsWhatItsProfileDoes(t *testing.T) {
	in, _ := tableInput(t)
	for _, input := range []PolicyInput{in, everyFeature(in)} {
		p, _, err := PolicyFor(input)
		require.NoError(t, err)
		profile := readProfile(t, p)
		asks := map[string][]string{
			"read": {"file-read-data"}, "read, write": {"file-read-data", "file-write-data"}, "read, exec": {"file-read-data", "process-exec"},
			"unix": {"network-outbound"}, "mach": {"mach-lookup"}, "network": {"network-outbound"}, "fork": {"process-fork"},
			"signal": {"signal"}, "appleevents": {"appleevent-send"},
		}
		seen := 0
		for _, line := range p.Explain() {
			target := map[string]string{"network": "192.0.2.1:443", "signal": "others"}[line.Kind]
			if target == "" {
				target = line.Target
			}
			for _, operation := range asks[line.Kind] {
				got, err := profile.Allowed(operation, target)
				require.NoError(t, err, line.String())
				require.Equal(t, line.Allowed, got, line.String())
				seen++
			}
		}
		require.Greater(t, seen, 50)
	}
}

func FuzzDecideAgreesWithTheProfileForMacOS(f *testing.F) {
	for i := range 8 {
		f.Add([]byte(fmt.Sprint(strings.Repeat("a grant in a secret in a grant", i), i)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := &dice{bytes: raw}
		p := d.policy()
		agrees(t, p, interesting(p, d), answers{})
	})
}
