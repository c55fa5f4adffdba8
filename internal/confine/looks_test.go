package confine

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
	"github.com/flash-launcher/flash/protocol"
)

// wrong lists the rows of the table that the profile answers otherwise than the
// manifest and the configuration say.
func (d *declared) wrong(t *testing.T, profile *seatbelttest.Profile) []string {
	t.Helper()
	var list []string
	attempts, deeds := seatbelttest.OnDarwin()
	for i, a := range attempts {
		args := a.On(d.mac, d.places())
		allowed, err := deeds[i].Tried(profile, args)
		require.NoError(t, err, a.String())
		if allowed != d.opens(a, deeds[i], args) {
			list = append(list, a.String())
		}
	}
	return list
}

// missing lists what is declared and yet denied.
func (d *declared) missing(t *testing.T, profile *seatbelttest.Profile) []string {
	t.Helper()
	var list []string
	want := func(operation, arg string) {
		allowed, err := profile.Allowed(operation, arg)
		require.NoError(t, err)
		if !allowed {
			list = append(list, operation+" "+arg)
		}
	}
	want("process-exec", d.program)
	want("file-map-executable", d.program)
	want("file-read-data", d.root+"/manifest.json")
	want("file-read-metadata", d.data)
	want("file-read-metadata", filepath.Dir(d.data))
	for _, operation := range []string{"file-read-data", "file-write-create", "file-write-data", "file-write-unlink", "file-write-mode"} {
		want(operation, d.data+"/tmp/x")
	}
	for _, path := range d.reads {
		want("file-read-data", path)
		want("file-read-metadata", filepath.Dir(path))
	}
	for _, path := range d.programs {
		want("process-fork", "")
		want("process-exec", path)
		want("process-exec-interpreter", path)
		want("file-read-data", path)
		want("file-map-executable", path)
		want("signal", "same-sandbox")
	}
	for _, path := range d.sockets {
		want("network-outbound", path)
		if d.mac.IsDir(path) {
			want("network-outbound", path+"/default")
			want("file-read-data", path)
		}
	}
	for _, service := range d.mach {
		want("mach-lookup", service)
	}
	for operation, on := range map[string]bool{"appleevent-send": d.event, "process-fork": d.fork} {
		if on {
			want(operation, "")
		}
	}
	if d.signal {
		want("signal", "others")
	}
	if d.network {
		want("network-outbound", "192.0.2.1:443")
		want("network-outbound", "/private/var/run/mDNSResponder")
		want("mach-lookup", "com.apple.trustd.agent")
	}
	return list
}

// unexplained lists the rules that a plugin which declares nothing does not have
// and that no declaration accounts for, and the secrets that are missing.
func (d *declared) unexplained(t *testing.T, place Place, profile *seatbelttest.Profile) []string {
	t.Helper()
	bare := *d
	_, base := bare.profileOf(t, &protocol.Manifest{ID: d.id}, config.Plugin{Sandbox: true}, place)
	known, has := parts(base), parts(profile)
	var list []string
	for part, r := range has {
		if _, ok := known[part]; ok || !r.allow || d.explains(r) {
			continue
		}
		list = append(list, "more: "+part)
	}
	for part, r := range known {
		if _, ok := has[part]; ok || r.allow || r.operation != "file-read*" {
			continue
		}
		// A secret's deny is gone or has another form only where something is
		// declared that is the secret or inside of it.
		secret := r.secret()
		if !slices.ContainsFunc(slices.Concat(d.reads, d.programs, d.sockets), func(path string) bool { return inside(path, secret) }) {
			list = append(list, "less: "+part)
		}
	}
	slices.Sort(list)
	return list
}

// part is one operation of one rule with one of its filters.
type part struct {
	allow     bool
	operation string
	filter    *seatbelttest.Filter // nil: always
}

// secret is the path that a deny is about.
func (p part) secret() string {
	f := *p.filter
	if len(f.Of) > 0 {
		f = f.Of[0]
	}
	return f.Values[0]
}

func parts(p *seatbelttest.Profile) map[string]part {
	all := map[string]part{}
	for _, r := range p.Rules {
		verb := map[bool]string{true: "allow ", false: "deny "}[r.Allow]
		for _, op := range r.Operations {
			if len(r.Filters) == 0 {
				all[verb+op] = part{r.Allow, op, nil}
			}
			for _, f := range r.Filters {
				all[verb+op+" "+f.String()] = part{r.Allow, op, &f}
			}
		}
	}
	return all
}

// The services that come with the network and with Apple events.
var (
	ofNetwork = []string{
		"com.apple.SystemConfiguration.configd", "com.apple.dnssd.service", "com.apple.networkd", "com.apple.trustd", "com.apple.trustd.agent",
	}
	ofEvents = []string{"com.apple.coreservices.appleevents", "com.apple.coreservices.launchservicesd", "com.apple.lsd.mapdb"}
)

func (d *declared) explains(p part) bool {
	value := ""
	if p.filter != nil && len(p.filter.Values) > 0 {
		value = p.filter.Values[0]
	}
	switch p.operation {
	case "process-fork", "process-info*":
		return d.fork && (p.filter == nil && p.operation == "process-fork" || value == "same-sandbox")
	case "signal":
		return p.filter == nil && d.signal || value == "same-sandbox" && d.fork
	case "appleevent-send":
		return d.event
	case "system-socket", "sysctl-read":
		return d.network
	case "mach-lookup":
		return slices.Contains(d.mach, value) || d.network && slices.Contains(ofNetwork, value) || d.event && slices.Contains(ofEvents, value)
	case "network-outbound":
		return slices.Contains(d.sockets, value) || d.network && (value == "ip" || value == "/private/var/run/mDNSResponder")
	case "process-exec*":
		return p.filter != nil && p.filter.Kind == "literal" && slices.Contains(d.programs, value)
	case "file-read*", "file-map-executable":
		if slices.Contains(d.programs, value) {
			return p.filter.Kind == "literal"
		}
		library := slices.ContainsFunc(d.programs, func(program string) bool {
			prefix := filepath.Dir(filepath.Dir(program))
			return filepath.Dir(value) == prefix && slices.Contains([]string{"lib", "lib64", "libexec"}, filepath.Base(value))
		})
		return library || p.operation == "file-read*" && (slices.Contains(d.reads, value) || slices.Contains(d.sockets, value))
	}
	return false
}
