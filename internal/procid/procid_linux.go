package procid

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// startField is the place of the start time behind the command's name in
// /proc/PID/stat: field 22 of all, and the name is the second.
const startField = 22 - 3

// StartTime returns when a process started, in clock ticks since boot. The
// unit is the platform's own; the value is for comparing.
func StartTime(pid int) (uint64, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	// The name may hold spaces and brackets, so the last bracket ends it.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) <= startField {
		return 0, fmt.Errorf("process %d: unreadable stat", pid)
	}
	return strconv.ParseUint(string(fields[startField]), 10, 64)
}
