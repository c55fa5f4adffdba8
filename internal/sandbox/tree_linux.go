package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/flash-launcher/flash/internal/procid"
)

// killTree ends what a child outside any pid namespace started: its process
// group, its session, its descendants, and whatever still carries its
// FLASH_PLUGIN_… environment. The last finds grandchildren that called setsid
// and whose parent is gone. PR_SET_CHILD_SUBREAPER would find them too, but
// would make the host the parent of every application it launches.
//
// It is best effort: a process that leaves the session, loses its parent and
// clears its environment is not found.
func killTree(env []string) tree {
	marks := environMarks(env)
	return func(leader int) {
		syscall.Kill(-leader, syscall.SIGKILL)
		// A fork between the look and the kill escapes one pass. Each pass
		// only repeats while it finds somebody alive.
		for range 10 {
			victims := related(leader, marks)
			if len(victims) == 0 {
				return
			}
			for _, pid := range victims {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// environMarks are the variables that together name this child of this host.
func environMarks(env []string) [][]byte {
	var marks [][]byte
	for _, key := range []string{"FLASH_PLUGIN_ID=", "FLASH_PLUGIN_PARENT_PID="} {
		i := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, key) })
		if i < 0 {
			return nil
		}
		marks = append(marks, []byte(env[i]))
	}
	return marks
}

// related lists the living processes of the leader's tree, without the leader
// and without this process.
func related(leader int, marks [][]byte) []int {
	var all []procid.Process
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, err := procid.Look(pid); err == nil {
			all = append(all, p)
		}
	}
	family := map[int]bool{leader: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !family[p.PID] && (family[p.Parent] || p.Group == leader || p.Session == leader || hasMarks(p.PID, marks)) {
				family[p.PID] = true
				grown = true
			}
		}
		marks = nil // one look at the environments is enough
	}
	var list []int
	for _, p := range all {
		if family[p.PID] && p.PID != leader && !p.Dead {
			list = append(list, p.PID)
		}
	}
	return list
}

func hasMarks(pid int, marks [][]byte) bool {
	if len(marks) == 0 {
		return false
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	vars := bytes.Split(raw, []byte{0})
	for _, mark := range marks {
		if !slices.ContainsFunc(vars, func(v []byte) bool { return bytes.Equal(v, mark) }) {
			return false
		}
	}
	return true
}
