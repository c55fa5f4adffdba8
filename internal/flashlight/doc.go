// Package flashlight answers what the user types: rows from the catalogues,
// answers of evaluators, rows of live sources, completions, and what Enter does.
//
// The road of a keystroke: parse says what kind of input it is (route.go); the
// rows come from the catalogue's snapshot by the matcher, at once and without
// asking anybody (rows.go); evaluators are asked beside that and combined once,
// behind 50 ms, in a lane above the rows (lane.go); live sources are asked only
// when they are named, and their rows come when they come (live.go). A Session
// holds this together while the input changes, and lets nothing of an older
// input show. Act carries a choice out (act.go).
//
// The package owns the routing, the lane, sessions and the choice of who is
// asked to act. It never starts or awaits a plugin itself, never touches the
// desktop, and never ranks: those are the Backend's and the matcher's.
package flashlight
