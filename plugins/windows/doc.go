// Package windows lists the open windows of all applications and goes to them.
// It opens no display: the host reads the windows of one application at a time
// for it, when something happened that can change them. There is no timer.
//
// What changes a row is a window that is retitled, created or destroyed; those
// of one application are read again when such a burst is over. Everything else
// that an application does, each keystroke in it among them, is ignored.
package windows
