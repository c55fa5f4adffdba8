// Package config owns config.toml: where it is, what it may say, what holds
// when it says nothing, and noticing that it changed. It also owns the list of
// directories that Flash uses on each platform.
//
// It never changes the file (it makes one to edit where there is none), never
// starts or stops anything because of a change, and never logs a value: a fault
// shown to the user may quote one, a logged fault names the key and its place
// only.
package config
