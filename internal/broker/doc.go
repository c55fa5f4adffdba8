// Package broker answers the host calls of plugins (`host.fetch`, `host.open`,
// …). It owns the decision: which capability a call needs, whether its params
// hold, how much and how often. What only the desktop can do is done by small
// interfaces declared here.
//
// It is denied by default, never panics, bounds everything that a plugin can
// make it hold, and always answers with a result object. It trusts nothing in
// a plugin's data directory, which the plugin writes too. Its error texts and
// logs never hold a URL, a text, a key or a path that a plugin or user gave.
package broker
