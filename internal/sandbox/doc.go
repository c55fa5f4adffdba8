// Package sandbox decides what a plugin child may touch and starts it so that
// the kernel holds it to that.
//
// A Policy is built once from the manifest, the user's config and the
// platform's list of secrets. It is portable data: on macOS it becomes a
// seatbelt profile, on Linux a Landlock ruleset, a seccomp filter and, where
// the profile needs them, user, pid and mount namespaces.
//
//	Policy ──► plan (which way, or a refusal) ──► Runner.Start ──► Process
//
// The package owns the rules, the start of a child and its end (Terminate,
// Kill, the reaping). It never reads a child's streams, never restarts
// anything, never weakens a policy because a kernel feature is missing: what
// nothing can enforce is refused with a remedy.
//
// # What a main package has to do
//
// Importing the package is enough. On Linux its init function locks the main
// goroutine to the main OS thread. The lock matters: a restricted spawn thread
// must never be the thread-group leader, or the whole host would show the
// plugin's restrictions and share its signal scope. A main package that calls
// runtime.UnlockOSThread gives that up; Runner.Start still steps aside when
// it finds itself on the leader.
//
// The namespace shim is no file beside the host: the package carries it, and
// a test binary starts children as the host does.
package sandbox
