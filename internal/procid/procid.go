// Package procid tells processes apart over time. A pid is given to another
// process once its own has ended; together with the start time it names one
// process and no later one. The package only looks: it signals nothing.
package procid
