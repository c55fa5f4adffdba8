package sandbox

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkStart33 starts 33 children at once and waits until each one's
// program says that it runs, each way.
func BenchmarkStart33(b *testing.B) {
	const children = 33
	for _, c := range []struct {
		name    string
		prepare func(*world)
	}{
		{"plain", func(w *world) { w.in.Disabled = true }},
		{"thread", func(*world) {}},
		{"namespace-init", func(w *world) { w.in.Exec = []string{"true"} }},
		{"namespace", func(w *world) { w.in.UnixSockets = []string{filepath.Join(w.home, ".bashrc")} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b)
			c.prepare(w)
			w.in.Argv = []string{"/bin/sh"}
			policy := w.policy()
			runner := NewRunner()
			detect()
			before := cpuTime()
			for b.Loop() {
				started := make(chan *Process, children)
				for range children {
					go func() {
						p, err := runner.Start(context.Background(), Command{
							Argv: []string{"/bin/sh", "-c", "echo; read x"}, Policy: policy,
						})
						if err == nil {
							_, err = io.ReadFull(p.Stdout(), make([]byte, 1))
						}
						if err != nil {
							b.Error(err)
						}
						started <- p
					}()
				}
				var all []*Process
				for range children {
					all = append(all, <-started)
				}
				b.StopTimer()
				for _, p := range all {
					if p == nil {
						b.FailNow()
					}
					require.NoError(b, p.Kill())
					p.Wait()
					p.Stdin().Close()
					p.Stdout().Close()
					p.Stderr().Close()
				}
				b.StartTimer()
			}
			// Independent of what else the machine does.
			b.ReportMetric(float64((cpuTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// cpuTime is what this process and its reaped descendants used.
func cpuTime() time.Duration {
	var total int64
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if unix.Getrusage(who, &usage) == nil {
			total += usage.Utime.Nano() + usage.Stime.Nano()
		}
	}
	return time.Duration(total)
}

func BenchmarkPolicyFor(b *testing.B) {
	w := newWorld(b)
	w.in.Exec = []string{"sh", "sleep", "git"}
	for b.Loop() {
		w.policy()
	}
}
