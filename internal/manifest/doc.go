// Package manifest owns what is known about a plugin before it runs: the strict
// load of plugin folders, where its executable is, what changed since the last
// load, the watch of the files behind it, and the environment of its child.
//
// It never starts a child, never decides about a lifecycle and never acts on a
// manifest that has a fault.
package manifest
