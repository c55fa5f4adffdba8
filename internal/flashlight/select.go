package flashlight

import "strconv"

// Selection goes over answers, then completions, then rows. It is kept by what
// is selected, not by its place, so that a refresh that moves the row moves the
// selection with it.

// Count is how many entries v has to select from.
func (v *View) Count() int { return len(v.Answers) + len(v.Completions) + len(v.Rows) }

// EntryID names entry i of v for as long as the query stands, a row also under
// another title.
func (v *View) EntryID(i int) string {
	if i < len(v.Answers) {
		return "=" + v.Answers[i].Plugin + "\x00" + v.Answers[i].Title
	}
	i -= len(v.Answers)
	if i < len(v.Completions) {
		return ">" + v.Completions[i].Value
	}
	i -= len(v.Completions)
	if i < len(v.Rows) {
		return v.entryOf(&v.Rows[i])
	}
	return strconv.Itoa(i)
}

// entryOf names the entry of a row of v.
func (v *View) entryOf(r *Row) string {
	if entry := v.heirs[r.ID]; entry != "" {
		return entry
	}
	return r.ID
}

// Move moves the selection by that many entries, and stops at either end.
func (s *Session) Move(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pick(s.view.Selected + by)
}

// Select selects entry i.
func (s *Session) Select(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pick(i)
}

func (s *Session) pick(i int) {
	n := s.view.Count()
	if n == 0 || s.view.Generation != s.query.gen {
		return // what shows is not what the input asks for any more
	}
	v := *s.view
	v.Selected = max(0, min(i, n-1))
	s.view, s.picked = &v, v.EntryID(max(0, min(i, n-1)))
	s.signal(s.changed)
}

// selectedID is what the user moved to in the query as it stands, "" for nothing.
func (s *Session) selectedID() string { return s.picked }

// restore selects what id names in the new view, the first entry if it is gone
// or the user never moved.
func (s *Session) restore(id string) {
	s.view.Selected = -1
	n := s.view.Count()
	if n > 0 {
		s.view.Selected = 0
	}
	if id == "" {
		return
	}
	for i := range n {
		if s.view.EntryID(i) == id {
			s.view.Selected = i
			return
		}
	}
}
