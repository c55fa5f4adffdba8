package sandbox

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Seatbelt writes the policy as a profile for /usr/bin/sandbox-exec.
//
// Deny is the default. Secrets get a deny of their own behind the allows; what
// a manifest names inside a secret is carved out within that deny's filter,
// because a later allow does not reopen a denied parent. Paths are canonical
// vnode paths (/private/var/…), which the policy has resolved.
func (p *Policy) Seatbelt() (string, error) {
	var w profile
	w.line("(version 1)")
	w.line("(deny default)")
	w.line("(allow process-info* (target self))")
	w.line("(allow sysctl-read)")
	w.line(`(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))`)
	w.line("(allow file-read-metadata)")
	w.allow("file-read*", filters("literal", "/"))
	w.allow("file-read*", filters("subpath", p.SystemRead...))
	w.allow("file-map-executable", filters("subpath", append(append([]string{}, p.SystemRead...), p.Root)...))
	w.allow("file-write-data", filters("literal", p.SystemWrite...))
	w.allow("file-ioctl", filters("literal", p.SystemWrite...))
	w.allow("file-read*", filters("subpath", p.Root, p.DataDir))
	w.allow("file-read*", filters("subpath", p.Read...))
	w.allow("file-read*", filters("subpath", p.Write...))
	w.allow("file-write*", filters("subpath", append([]string{p.DataDir}, p.Write...)...))

	programs := sortedUnique(append(append([]string{}, p.Start...), p.Exec...))
	w.allow("file-read*", filters("literal", programs...))
	w.allow("file-map-executable", filters("literal", programs...))
	w.allow("process-exec", filters("literal", programs...))
	if p.Forks() {
		w.line("(allow process-fork)")
		w.line("(allow process-info* (target same-sandbox))")
	}
	switch {
	case p.Signal:
		w.line("(allow signal)")
	case p.Forks():
		w.line("(allow signal (target same-sandbox))")
	default:
		w.line("(allow signal (target self))")
	}

	services := append([]string{}, baseMach...)
	if p.Network {
		w.line(`(allow network-outbound (remote ip "*:*"))`)
		w.line(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`)
		w.line("(allow system-socket)")
		services = append(services, networkMach...)
	}
	w.allow("network-outbound", filters("subpath", p.UnixSockets...))
	w.allow("file-read*", filters("literal", p.SocketDirs...))
	if p.AppleEvents {
		w.line("(allow appleevent-send)")
		services = append(services, eventMach...)
	}
	w.allow("mach-lookup", filters("global-name", sortedUnique(append(services, p.Mach...))...))

	for _, secret := range p.DenyRead {
		w.denySecret(secret, p.namedInside(secret))
	}
	return w.text()
}

// The system services that a program of any kind looks up: logging,
// notifications, users and groups.
var baseMach = []string{
	"com.apple.diagnosticd", "com.apple.logd", "com.apple.logd.events", "com.apple.system.logger",
	"com.apple.system.notification_center", "com.apple.system.opendirectoryd.libinfo",
	"com.apple.system.opendirectoryd.membership",
}

// What TLS and the resolver ask for.
var networkMach = []string{
	"com.apple.SystemConfiguration.configd", "com.apple.dnssd.service", "com.apple.networkd", "com.apple.trustd", "com.apple.trustd.agent",
}

var eventMach = []string{
	"com.apple.coreservices.appleevents", "com.apple.coreservices.launchservicesd", "com.apple.lsd.mapdb",
}

// namedInside lists what the policy grants inside a secret.
func (p *Policy) namedInside(secret string) []string {
	var list []string
	for _, g := range p.grants() {
		if below(g.Path, secret) {
			list = append(list, g.Path)
		}
	}
	return list
}

// profile builds the text; the first path that cannot be written stands as
// its error.
type profile struct {
	b   strings.Builder
	err error
}

type filter struct{ kind, value string }

func filters(kind string, values ...string) []filter {
	var list []filter
	for _, v := range values {
		if v != "" {
			list = append(list, filter{kind, v})
		}
	}
	return list
}

func (w *profile) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *profile) allow(operation string, list []filter) {
	if len(list) == 0 {
		return
	}
	w.b.WriteString("(allow " + operation)
	for _, f := range list {
		w.b.WriteString("\n  " + w.filter(f))
	}
	w.line(")")
}

func (w *profile) denySecret(secret string, inside []string) {
	deny := w.filter(filter{"subpath", secret})
	if len(inside) > 0 {
		parts := []string{deny}
		for _, path := range inside {
			parts = append(parts, "(require-not "+w.filter(filter{"subpath", path})+")")
		}
		deny = "(require-all " + strings.Join(parts, " ") + ")"
	}
	w.line("(deny file-read* file-write* " + deny + ")")
}

func (w *profile) filter(f filter) string {
	quoted, err := quote(f.value)
	if err != nil && w.err == nil {
		w.err = err
	}
	return "(" + f.kind + " " + quoted + ")"
}

// quote writes a string literal of the profile language.
func quote(s string) (string, error) {
	if strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) {
		return `""`, fmt.Errorf("seatbelt profile: %q holds a character that a profile cannot express; rename it", s)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

func (w *profile) text() (string, error) {
	if w.err != nil {
		return "", w.err
	}
	return w.b.String(), nil
}

// ExplainSeatbeltExit says what sandbox-exec's own exit codes mean; "" for
// any other code.
func ExplainSeatbeltExit(code int) string {
	switch code {
	case 65:
		return "seatbelt refused the profile (exit 65): a path or service in the manifest's sandbox table cannot be expressed; see flash plugin-dev profile --explain"
	case 71:
		return "seatbelt denied executing the plugin (exit 71): its executable or interpreter is not where the manifest says, or not readable"
	}
	return ""
}
