// Package prefault maps a program's text at once when a process of it starts.
//
// What a large Go program does before main, the initialization of its packages,
// touches a page here and there in all of its text, and each first touch of a
// region is a fault: some hundred of them, at 1 to 20 microseconds by machine.
// One system call maps everything that the page cache already holds in less.
//
// Linking the package is all there is to its use. It imports next to nothing, so
// that its own initialization comes before that of the packages it is for. It
// maps nothing that is writable: that would be memory.
package prefault
