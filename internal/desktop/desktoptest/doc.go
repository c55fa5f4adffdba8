// Package desktoptest owns a private desktop session for tests: an X server
// with a window manager, a session bus with the accessibility bus on it, and
// homes and runtime directories of its own. The test starts it and its end is
// certain, whatever the programs in it do. It never touches the session that
// the test itself runs in. No product code imports it.
package desktoptest
