// Package logfile owns the resident's log: JSON lines in one file that is
// turned over at a size, and reading them back for `flash logs`.
//
// It decides nothing about what is logged: records are content-free where they
// are made. Writing never blocks on anything but the disk, never fails its
// caller, and survives a full disk and a file that is taken away.
package logfile
