package manifest

import (
	"bytes"
	"path/filepath"
	"slices"
)

// Plan is what a new load asks of the running plugins.
type Plan struct {
	Set     Set      // what is in force from now on
	Added   Set      // to be started
	Changed Set      // to be replaced: registrations and child together
	Rebuilt Set      // same manifest, other executable: only the child restarts
	Removed []string // to be stopped
	// Kept are running plugins whose new manifest has a fault: the last valid one
	// runs on and the fault is to be shown.
	Kept []Fault
}

// Empty reports whether nothing has to be done.
func (p Plan) Empty() bool {
	return len(p.Added)+len(p.Changed)+len(p.Rebuilt)+len(p.Removed)+len(p.Kept) == 0
}

// Reconcile compares what is in force with what a load found.
func Reconcile(old, next Set, faults []Fault) Plan {
	var p Plan
	for _, d := range next {
		was, ok := old.Find(d.ID())
		switch {
		case !ok:
			p.Added = append(p.Added, d)
		case !d.same(was):
			p.Changed = append(p.Changed, d)
		case !slices.Equal(d.files, was.files):
			p.Rebuilt = append(p.Rebuilt, d)
		}
		p.Set = append(p.Set, d)
	}
	for _, d := range old {
		if _, ok := next.Find(d.ID()); ok {
			continue
		}
		i := slices.IndexFunc(faults, func(f Fault) bool { return f.concerns(d) })
		if i < 0 {
			p.Removed = append(p.Removed, d.ID())
			continue
		}
		p.Kept = append(p.Kept, Fault{ID: d.ID(), Path: faults[i].Path, Problems: faults[i].Problems})
		p.Set = append(p.Set, d)
	}
	slices.SortFunc(p.Set, func(a, b Definition) int { return bytes.Compare([]byte(a.ID()), []byte(b.ID())) })
	return p
}

// concerns reports whether f is why d was not found again: a fault in its own
// folder, or in the Dir that the folder is in.
func (f Fault) concerns(d Definition) bool {
	if f.ID != "" {
		return f.ID == d.ID()
	}
	return filepath.Dir(d.Root) == f.Path
}

// same reports whether d asks for the same child and registrations as was.
func (d Definition) same(was Definition) bool {
	return d.sum == was.sum && d.Root == was.Root && d.Official == was.Official &&
		d.ExecFault == was.ExecFault && slices.Equal(d.Argv, was.Argv) &&
		bytes.Equal(d.Config.Table, was.Config.Table)
}
