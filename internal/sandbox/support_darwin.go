package sandbox

import "os"

// sandboxExec is the system's own front end of seatbelt.
const sandboxExec = "/usr/bin/sandbox-exec"

func detect() Support { return Support{} }

func seatbeltAvailable() bool {
	info, err := os.Stat(sandboxExec)
	return err == nil && info.Mode().Perm()&0o111 != 0
}

// Available reports what this machine carries.
func Available() Report {
	r := Report{Platform: "darwin", Root: os.Geteuid() == 0, Seatbelt: seatbeltAvailable(), HostPrivate: hardened.Load()}
	if !r.Seatbelt {
		r.Problems = append(r.Problems, Problem{
			What: sandboxExec + " is missing or not executable", Refused: "every plugin",
			Remedy: "restore it with the system (it is part of macOS)",
		})
	}
	return r
}
