package main

// byHand is what takes hardware, eyes or the user's own session. It is in each
// report as something to do, never as something that was done.
var byHand = []check{
	{id: "hand.ratchet", title: "MX Master, ratchet", by: "With an MX Master and `flash pointer on`, scroll notch by notch, up and down, slowly and fast. Each notch moves, none the wrong way, and `flash pointer inspect` shows the mouse as mx_master."},
	{id: "hand.free-spin", title: "MX Master, free spin", by: "Unlock the wheel, spin it and stop it with a finger. It scrolls evenly, stops when the wheel does, and does not jump back."},
	{id: "hand.trackpad", title: "A trackpad beside an MX Master", by: "With both connected, scroll with each in turn within a second. The trackpad keeps its direction and its momentum; the mouse is inverted and smoothed as configured."},
	{id: "hand.gesture-latency", title: "Latency of a gesture, end to end", by: "Film the hand and the screen at 240 frames a second. Flick with the gesture button held, ten times in each direction, and count the frames from the hand's turn to the first moved pixel."},
	{id: "hand.backends", title: "The two action backends side by side", by: "Fifty flicks to each side with action_backend = \"system_events\", then with \"cg_event\". Count those that moved a Space, and film ten of each for their latency."},
	{id: "hand.run", title: "In the foreground", by: "`bin/flash run` in a terminal: no Dock icon; Ctrl-C ends it within a second, and `pgrep -fl flash-plugin` shows no child of it."},
	{id: "hand.login", title: "Start at login", by: "From Flash.app in /Applications: `flash autostart enable`, log out and in. `flash status` answers, the hot key works, and Login Items in System Settings shows Flash. Switch it off there: `flash autostart status` says so."},
	{id: "hand.logout", title: "Log-out", by: "Log out while Flash runs: log-out goes on, and Console has no crash report of flash."},
	{id: "hand.menu", title: "The menu", by: "Without [statusbar] enabled, Flash in the menu bar opens the flashlight, the configuration and quits. With it: an item for each segment in the template's order, in dark and light; hover text; clicks with each button; Option-click opens the menu; figures that change shake nothing."},
	{id: "hand.open", title: "Opening things", by: "An application, a URL, and a URL of a scheme that nothing handles: the last one names the scheme in an error. A notification with quotes and a leading dash shows exactly that."},
	{id: "hand.clipboard", title: "The clipboard", by: "Copy an answer and an emoji with accents and paste them elsewhere. With a plugin that listens to copies: a copy of text is told once, one of a password manager never, nothing while the session is locked."},
	{id: "hand.focus", title: "The panel over other applications", by: "The chord in another application: its menu bar and caret stay, and what is typed right after is in the box. The same over a full-screen window, on another Space, on a second and on a Retina screen. Esc, a click elsewhere and the chord close it; typing goes on where it was. An emoji lands in the field that had the caret."},
	{id: "hand.input", title: "Input methods", by: "In the panel: Option-E E, a held E with its accents, a Japanese or Chinese input method (Return chooses, candidates stand below the caret), emoji from the character viewer, Command-A, C, X, V, K, W, the arrows with Command and Option."},
	{id: "hand.voiceover", title: "VoiceOver and appearance", by: "VoiceOver reads the box, each line, and the selection as it moves. Dark, light and increased contrast are followed while the panel is open."},
	{id: "hand.layouts", title: "Layouts and conflicts of hot keys", by: "With a French and a Russian layout the hot keys are the keys with those letters. Bind Command-Space while Spotlight has it: `flash status` names it and the remedy."},
	{id: "hand.windows", title: "Windows", by: "Retitle a window, minimise it, and choose its row: the row changes within a second, and the window comes to the front, out of the Dock too. Windows on a screen left of and above the primary one: hints lie on their elements. `kill -STOP` an application: the others' windows are there within a second."},
	{id: "hand.revoke", title: "Permissions taken away", by: "Take Accessibility away while Flash and the pointer worker run: input goes on at once, `flash status` names the permission, and nothing hangs. Give it back: it is used without a restart."},
	{id: "hand.session", title: "Lock, sleep, users, power, network", by: "Lock, sleep and wake, switch users, unplug the power, turn Wi-Fi off, mount an image, change Spaces: a plugin that listens is told once of each. Locked, `flash status` shows that monitors end; after waking, gestures work."},
	{id: "hand.leaks", title: "Leaks", by: "An unsigned build, an hour of use with applications starting and ending: `leaks $(pgrep -x flash)` shows no growing count of blocks or notifications."},
}
