package tmux

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkRename is the time from a rename by tmux to the catalogue that shows
// it, the tmux process that renames included. 100 ms of it are the settling.
func BenchmarkRename(b *testing.B) {
	r := newRig(b)
	s := r.server("default")
	s.attach("work")
	h, rows := r.plugin(nil)
	for i := 0; b.Loop(); i++ {
		name := "name" + strconv.Itoa(i)
		s.do("rename-window", "-t", "work:0", name)
		rows = untilTitles(b, h, rows, name)
	}
}

// BenchmarkInventory reads the records of 200 windows.
func BenchmarkInventory(b *testing.B) {
	var text strings.Builder
	text.WriteString(record("C", "/dev/pts/1", "77", "$0", "1000", "attached,focused,UTF-8"))
	for i := range 200 {
		text.WriteString(windowRecord("$0", "@"+strconv.Itoa(i), "window number "+strconv.Itoa(i), "/home/user/src/project"))
	}
	out := []byte(text.String())
	b.SetBytes(int64(len(out)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseInventory(out); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeadSocket is what an action costs to learn that its server died.
func BenchmarkDeadSocket(b *testing.B) {
	r := newRig(b)
	s := r.server("default")
	h, rows := r.plugin(nil)
	s.do("kill-server")
	eventually(func() bool { is, _ := probe(s.sock); return is == dead })
	for b.Loop() {
		if out := h.Perform(resolve(rows[0])); out.Err != textGone {
			b.Fatal(out)
		}
	}
}
