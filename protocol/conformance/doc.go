// Package conformance drives any plugin process over its pipes, without a
// host, and judges what it says against the wire. It owns the scenarios (data
// files under scenarios/, one a file), the laws that every frame of a plugin
// has to keep whatever the scenario, and the report.
//
// The envelope is judged here with code of its own, not with package
// protocol's decoder: a fault that the SDK and the protocol share would
// otherwise pass for right. Payload quotas are protocol's.
//
// It never sandboxes the plugin, never invokes a command that a plugin
// declares (the probe's apart), and never leaves a process behind.
package conformance
