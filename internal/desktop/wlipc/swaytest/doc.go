// Package swaytest owns a sway that shows nothing, for tests: in a folder of its
// own, with what runs in it, and gone with the test. No product code imports it.
package swaytest
