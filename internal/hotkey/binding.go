package hotkey

import "fmt"

// Binding is a chord and the name that Pressed gets for it.
type Binding struct {
	ID    string
	Chord Chord
}

// Conflict is a binding that does not work, and what to do.
type Conflict struct {
	Binding
	Problem string
	Remedy  string
}

func (c Conflict) Error() string { return fmt.Sprintf("%s %s; %s", c.Chord, c.Problem, c.Remedy) }
