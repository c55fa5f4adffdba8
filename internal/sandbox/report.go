package sandbox

// Report says what is in force on this machine, for doctor and status.
type Report struct {
	Platform    string // "linux" or "darwin"
	Root        bool   // the host runs as root: capabilities are dropped from every child
	LandlockABI int    // linux
	Seccomp     bool   // linux
	Namespaces  bool   // linux: user, pid and mount namespaces
	Seatbelt    bool   // darwin
	HostPrivate bool   // the host itself cannot be dumped
	Problems    []Problem
}

// Problem is one thing that is missing, with the way out.
type Problem struct {
	What    string // what is missing
	Refused string // which plugins are therefore not started
	Remedy  string
}

// problems derives what Support lacks; it is the decision table in words.
func (s Support) problems() []Problem {
	var list []Problem
	if !s.Seccomp {
		list = append(list, Problem{"seccomp filters are not available", "every plugin",
			"use a kernel with CONFIG_SECCOMP_FILTER"})
	}
	switch {
	case s.LandlockABI < abiFiles:
		list = append(list, Problem{"Landlock is not available", "every plugin",
			"use a kernel 5.13 or newer with `landlock` in its list of security modules (kernel parameter lsm=landlock,…)"})
	case s.LandlockABI < abiScope && !s.Namespaces:
		list = append(list, Problem{"Landlock cannot scope signals (ABI 6 can) and there are no namespaces instead",
			"every plugin", "use a kernel 6.12 or newer, or: " + s.NamespacesRemedy})
	}
	if !s.Namespaces {
		list = append(list, Problem{s.NamespacesWhy,
			"plugins with sandbox.exec, sandbox.unix_sockets or the subprocess capability", s.NamespacesRemedy})
	}
	return list
}
