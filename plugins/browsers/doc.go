// Package browsers lists the open tabs of the browsers that run and goes to
// them. Each browser is read by the best way that is open to it: a browser of
// Chromium's family over DevTools where that is on and may be reached, Firefox
// from its session store where that may be read, on macOS the others by Apple
// events, any other by the titles of its windows, which are those of the tabs in
// front.
//
// A reading follows what can change a row: a browser starting or ending, the
// focus going into it, a window retitled or created, the session store written.
// What happens inside a page is ignored, and there is no timer.
package browsers
