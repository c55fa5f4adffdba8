// Package rank remembers which rows the user takes.
//
// Each time a row is taken its score grows by one; scores halve every HalfLife.
// The sum of both, often and lately, is one number a row and needs no history:
// a score and the moment it was true are enough. Boost turns it into the few
// steps that the order has room for, where it can move a row within its tier
// and never across.
//
// The package owns the scores, their file, and forgetting. It never learns what
// a row is: keys are opaque, and the file holds no titles.
package rank
