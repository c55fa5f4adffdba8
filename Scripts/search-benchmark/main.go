// Command search-benchmark measures the matcher against the matchers that
// others build on, on the same rows and queries in the same run.
//
// It is a module of its own so that Flash does not depend on what it is compared
// with; its path lies under Flash's, which lets it import the internal matcher.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/match/benchdata"
)

// measure is what one engine took for each query of one way to type.
type measure struct {
	engine  string
	way     string // sequence, cold
	rows    int
	wall    []time.Duration
	cpu     []time.Duration // of the measuring thread; all of the work where it is single-threaded
	allocs  float64         // per query; negative where not counted
	queries int
}

func percentile(d []time.Duration, p int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Clone(d)
	slices.Sort(d)
	return d[min(len(d)-1, len(d)*p/100)]
}

func main() {
	rows := flag.String("rows", "10000,100000", "row counts, with commas")
	svg := flag.String("svg", "", "write a chart of the p95s to this file")
	every := flag.Int("peers-every", 5, "ask the other matchers every n-th query: they take their time")
	flag.Parse()

	fmt.Printf("%s/%s, %d cores, %s, GC on, top 200 rows\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	var all []measure
	for _, s := range strings.Split(*rows, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "search-benchmark: -rows: %q is no row count\n", s)
			os.Exit(2)
		}
		set := benchdata.New(n)
		all = append(all, flashMeasures(set)...)
		queries := everyNth(set.Sequences(), *every)
		all = append(all, fzfMeasure(set, queries), sahilmMeasure(set, queries))
	}
	table(all)
	fmt.Println()
	publication()
	if *svg != "" {
		if err := os.WriteFile(*svg, chart(all), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "search-benchmark:", err)
			os.Exit(1)
		}
	}
}

// everyNth spreads over all sequences.
func everyNth(sequences [][]string, n int) []string {
	var out []string
	i := 0
	for _, seq := range sequences {
		for _, q := range seq {
			if i++; i%max(n, 1) == 0 {
				out = append(out, q)
			}
		}
	}
	return out
}

func table(all []measure) {
	fmt.Printf("%-24s %-9s %8s %8s %9s %9s %9s %11s %11s %8s\n", "engine", "way", "rows", "queries", "p50 ms", "p95 ms", "max ms", "cpu p50 ms", "cpu p95 ms", "allocs")
	for _, m := range all {
		allocs := "-"
		if m.allocs >= 0 {
			allocs = fmt.Sprintf("%.1f", m.allocs)
		}
		fmt.Printf("%-24s %-9s %8d %8d %9s %9s %9s %11s %11s %8s\n", m.engine, m.way, m.rows, m.queries,
			ms(percentile(m.wall, 50)), ms(percentile(m.wall, 95)), ms(percentile(m.wall, 100)),
			ms(percentile(m.cpu, 50)), ms(percentile(m.cpu, 95)), allocs)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d.Nanoseconds())/1e6) }
