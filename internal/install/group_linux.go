package install

import "syscall"

func dieWithHost(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
