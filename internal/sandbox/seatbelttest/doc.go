// Package seatbelttest holds the macOS sandbox to its policy on machines that
// are no Mac: it reads the text of a generated profile and answers what the
// profile allows (Parse, Profile.Allowed), makes up a macOS file system to
// generate profiles from (Mac), and has the list of what plugins try to get out
// (Deeds, Attempts), which the suite on a Linux kernel does for real.
//
// Only tests import it. It knows the forms that the generator of package
// sandbox writes and refuses every other, so that the generator cannot grow
// past what is evaluated. It is a reading of seatbelt's published rules, not
// seatbelt: it says what the text means, never what a Mac does with it.
package seatbelttest
