package processes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/protocol"
)

var table = []protocol.Process{
	{PID: 30, Name: "firefox", Path: "/usr/bin/firefox", CPU: 4.4, RSS: 900 << 20},
	{PID: 2, Name: "kthreadd"},
	{PID: 20, Name: "sh", Path: "/bin/sh", CPU: 91.5, RSS: 1 << 20},
	{PID: 10, Name: "sh", Path: "/bin/sh", RSS: 2 << 20},
	{PID: 1, Name: "init", Path: "/sbin/init", RSS: 1 << 20},
}

func TestRowsAreByPidWithoutKernelThreadsAndInit(t *testing.T) {
	var got []string
	for _, r := range rows(table) {
		pid, _ := r.Metadata.Get(protocol.MetaPID)
		got = append(got, pid+" "+r.Title)
	}
	assert.Equal(t, []string{"10 sh", "20 sh", "30 firefox"}, got)
}

func TestFiguresThatChangeAllTheTimeLeaveTheRowsAlone(t *testing.T) {
	busy := append([]protocol.Process(nil), table...)
	busy[0].CPU, busy[0].RSS = 99, 1<<30
	before, after := rows(table), rows(busy)
	assert.Equal(t, before, after)
}

func TestKillTakesAPidOrTheNameOfOneProcess(t *testing.T) {
	for what, want := range map[string]struct {
		pid     int
		problem string
	}{
		"20":         {20, ""},
		"firefox":    {30, ""},
		"99":         {0, "no process has this pid"},
		"-1":         {0, "no process has this pid"},
		"nosuch":     {0, "no process has this name"},
		"sh":         {0, "2 processes have this name; say a pid"},
		"kthreadd":   {0, "no process has this name"},
		"4294967296": {0, "no process has this name"},
	} {
		pid, problem := pick(table, what)
		assert.Equal(t, want.pid, pid, what)
		assert.Equal(t, want.problem, problem, what)
	}
}

func TestChoosingARowNeverEndsTheProcess(t *testing.T) {
	o := resolve(rows(table)[2])
	assert.True(t, o.OK)
	assert.Equal(t, 30, o.TargetPID)
	assert.True(t, resolve(protocol.Row{Title: "x"}).Unhandled)
}

func TestTheTopSegmentsNameTheHungriest(t *testing.T) {
	assert.Equal(t, "sh 92%", topCPU(table))
	assert.Equal(t, "firefox 900.0 MiB", topMemory(table))
	assert.Empty(t, topCPU(nil))
}
