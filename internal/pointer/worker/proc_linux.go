package worker

import (
	"os"
	"strconv"
)

// executable is the program that a process runs. One that has ended and was
// not collected runs none.
func executable(pid int) (string, error) {
	exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return program(exe), err
}
