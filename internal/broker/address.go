package broker

import (
	"net/netip"
	"sync"
)

// public reports whether an address is one of the open internet. Everything
// else leads to this machine, its network, or nowhere: a plugin that may fetch
// must not thereby reach a router's page or a cloud's metadata service.
func public(a netip.Addr) bool {
	if a.Zone() != "" || !a.IsValid() {
		return false
	}
	a = a.Unmap()
	if a.Is6() {
		b := a.As16()
		// NAT64 carries an IPv4 address in its last four bytes, and a network
		// that has it may serve its own private ones through it.
		if nat64().Contains(a) {
			return public(netip.AddrFrom4([4]byte(b[12:16])))
		}
	}
	for _, p := range reserved() {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

var nat64 = sync.OnceValue(func() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") })

// reserved is what IANA's special-purpose registries do not call globally
// reachable, and multicast.
var reserved = sync.OnceValue(func() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range [...]string{
		"0.0.0.0/8",       // this host
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // carrier-grade NAT, and overlay networks
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, cloud metadata
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // former 6to4 relay
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarking
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast
		"::/96",           // unspecified, loopback, IPv4-compatible
		"64:ff9b:1::/48",  // local NAT64
		"100::/64",        // discard
		"2001::/23",       // protocol assignments, Teredo
		"2001:db8::/32",   // documentation
		"2002::/16",       // 6to4: carries any IPv4 address
		"3fff::/20",       // documentation
		"5f00::/16",       // segment routing
		"fc00::/7",        // unique local
		"fe80::/10",       // link-local
		"fec0::/10",       // former site-local
		"ff00::/8",        // multicast
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
})
