package procid

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Process is where a process stands among the others.
type Process struct {
	PID, Parent, Group, Session int
	Dead                        bool // it has ended and waits to be collected
}

// Look returns where a process stands.
func Look(pid int) (Process, error) {
	fields, err := stat(pid)
	if err != nil {
		return Process{}, err
	}
	p := Process{PID: pid, Dead: fields[0] == "Z" || fields[0] == "X"}
	for i, dst := range []*int{&p.Parent, &p.Group, &p.Session} {
		if *dst, err = strconv.Atoi(fields[1+i]); err != nil {
			return Process{}, fmt.Errorf("process %d: unreadable stat: %w", pid, err)
		}
	}
	return p, nil
}

// Parent is the process that started another, 0 where that is not known.
func Parent(pid int) int {
	p, err := Look(pid)
	if err != nil {
		return 0
	}
	return p.Parent
}

// StartTime returns when a process started, in clock ticks since boot. The
// unit is the platform's own; the value is for comparing.
func StartTime(pid int) (uint64, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[startField], 10, 64)
}

// startField is the place of the start time behind the command's name in
// /proc/PID/stat: field 22 of all, and the name is the second.
const startField = 22 - 3

// stat returns the fields of /proc/PID/stat from the state on.
func stat(pid int) ([]string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	// The name may hold spaces and brackets, so the last bracket ends it.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= startField {
		return nil, fmt.Errorf("process %d: unreadable stat", pid)
	}
	return fields, nil
}
