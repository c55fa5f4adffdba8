package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// identify is a process's start, in clock ticks since boot, and its program.
func identify(pid int) (start uint64, exe string, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	data, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, "", err
	}
	// The command name before the fields may hold spaces and brackets.
	fields := bytes.Fields(data[max(0, bytes.LastIndexByte(data, ')')+1):])
	const startField = 19
	if len(fields) <= startField {
		return 0, "", fmt.Errorf("process %d: unreadable stat", pid)
	}
	if start, err = strconv.ParseUint(string(fields[startField]), 10, 64); err != nil {
		return 0, "", err
	}
	exe, err = os.Readlink(dir + "/exe")
	return start, program(exe), err
}
