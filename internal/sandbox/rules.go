package sandbox

import "slices"

// right is a set of things that may be done below a path.
type right uint8

const (
	rightRead  right = 1 << iota // file contents
	rightList                    // names in directories
	rightExec                    // execute the file
	rightWrite                   // contents, and everything that changes a directory
	rightStore                   // contents of one existing file only (devices)

	rightsRead  = rightRead | rightList
	rightsWrite = rightsRead | rightWrite
)

// rule grants rights below one path.
type rule struct {
	Path   string
	Rights right
}

// grants are the rules as they were meant, before secrets are carved out.
func (p *Policy) grants() []rule {
	var rules []rule
	add := func(paths []string, rights right) {
		for _, path := range paths {
			rules = append(rules, rule{path, rights})
		}
	}
	add(p.SystemRead, rightsRead)
	add(p.SystemWrite, rightRead|rightStore)
	add(p.Read, rightsRead)
	add(p.Start, rightRead|rightExec)
	add(p.Exec, rightRead|rightExec)
	add(p.Write, rightsWrite)
	if p.Root != "" {
		add([]string{p.Root}, rightsRead)
	}
	if p.DataDir != "" {
		add([]string{p.DataDir}, rightsWrite)
	}
	return merge(rules)
}

// merge unites rules of one path and sorts by path, parents first.
func merge(rules []rule) []rule {
	slices.SortFunc(rules, func(a, b rule) int { return comparePaths(a.Path, b.Path) })
	out := rules[:0]
	for _, r := range rules {
		if n := len(out); n > 0 && out[n-1].Path == r.Path {
			out[n-1].Rights |= r.Rights
			continue
		}
		out = append(out, r)
	}
	return out
}

// needed leaves out the rules whose rights a directory above them grants
// already: each costs a start three system calls and a place in the domain.
func needed(rules []rule) []rule {
	rules = merge(rules)
	var out []rule
	for _, r := range rules {
		var granted right
		for _, above := range out {
			if within(r.Path, above.Path) {
				granted |= above.Rights
			}
		}
		if r.Rights&^granted != 0 {
			out = append(out, r)
		}
	}
	return out
}

// comparePaths orders a directory before what it holds.
func comparePaths(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		switch {
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		case a[i] < b[i]:
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

// carved says whether a grant holds a secret.
func (p *Policy) carved() bool {
	return slices.ContainsFunc(p.grants(), func(g rule) bool { return p.holdsSecret(g.Path) })
}

func (p *Policy) holdsSecret(dir string) bool {
	return slices.ContainsFunc(p.DenyRead, func(secret string) bool { return below(secret, dir) })
}
