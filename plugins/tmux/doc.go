// Package tmux lists the windows of the user's tmux servers and goes to them.
//
// Each server that a terminal is attached to is followed by one control-mode
// client, whose notifications say when to read the server again; readings go
// through the same client, so that nothing is started for them. A server that
// nobody is attached to is read by a tmux process of its own, when its socket
// changes or something that the user does makes it worth while. There is no
// timer, except for a few retries of a server that fails and for machines that
// the user named in ssh_hosts.
//
// It never starts a server, never changes the environment of a session or the
// size of a window, never counts as somebody who looks at a session, and closes
// nothing that was not named exactly.
package tmux
