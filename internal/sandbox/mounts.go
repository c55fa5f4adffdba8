package sandbox

import "slices"

// mountKind is what happens at one path of a child's root.
type mountKind string

const (
	mountBind mountKind = "bind" // the real thing, read-only unless Write
	mountMask mountKind = "mask" // an empty, closed place instead of a secret
	mountDir  mountKind = "dir"  // a directory of placeholders and symlinks, so that a path can be walked
)

// mount is one step of building a child's root.
type mount struct {
	Kind   mountKind
	Path   string
	Write  bool
	Device bool
}

// mounts plans the root of a child in a mount namespace: an allow-list like
// the Landlock rules, so that sockets, modes and names outside the grants are
// out of reach too. Parents come before what they hold. /proc is never bound:
// the namespace gets its own.
//
// Sockets are those that exist below a grant although nobody named them: a
// read-only mount does not keep anybody from connecting, so they are masked.
func (p *Policy) mounts(topLevel, sockets []string) []mount {
	var wanted []mount
	bind := func(path string, write bool) {
		if within(path, "/proc") {
			return
		}
		if path == "/" {
			for _, dir := range topLevel {
				if dir != "/proc" && dir != "/dev" {
					wanted = append(wanted, mount{Kind: mountBind, Path: dir, Write: write})
				}
			}
			return
		}
		wanted = append(wanted, mount{Kind: mountBind, Path: path, Write: write, Device: within(path, "/dev")})
	}
	for _, g := range p.grants() {
		bind(g.Path, g.Rights&(rightWrite|rightStore) != 0)
	}
	for _, s := range p.UnixSockets {
		bind(s, true)
	}
	masks := slices.Clone(p.DenyRead)
	for _, s := range sockets {
		if allowed, _ := p.Decide("unix", s); !allowed {
			masks = append(masks, s)
		}
	}
	for _, s := range masks {
		wanted = append(wanted, mount{Kind: mountMask, Path: s})
	}
	for _, link := range p.Links {
		if !within(link, "/proc") {
			wanted = append(wanted, mount{Kind: mountDir, Path: link})
		}
	}
	slices.SortStableFunc(wanted, func(a, b mount) int { return comparePaths(a.Path, b.Path) })

	var plan []mount
	for _, m := range wanted {
		around, covered := enclosing(plan, m.Path)
		switch {
		case covered && around.Path == m.Path:
			if m.Kind == mountBind && around.Kind != mountMask {
				merged := &plan[slices.Index(plan, around)]
				merged.Write = merged.Write && merged.Kind == mountBind || m.Write
				merged.Kind, merged.Device = mountBind, m.Device
			}
			continue
		case m.Kind == mountMask && (!covered || around.Kind != mountBind):
			continue // nothing shows it
		case m.Kind == mountDir && covered && around.Kind == mountBind:
			continue // already there
		case m.Kind == mountBind && covered && around.Kind == mountBind && (around.Write || !m.Write):
			continue // already there with the same rights
		}
		plan = append(plan, m)
	}
	return plan
}

// enclosing finds the innermost planned mount at or above a path.
func enclosing(plan []mount, path string) (mount, bool) {
	var best mount
	found := false
	for _, m := range plan {
		if within(path, m.Path) && (!found || len(m.Path) >= len(best.Path)) {
			best, found = m, true
		}
	}
	return best, found
}
