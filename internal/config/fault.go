package config

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// Fault is one thing wrong with the file.
type Fault struct {
	File    string
	Line    int // 1-based; 0 when the fault is about the file as a whole
	Column  int // 1-based, in bytes
	Key     string
	Problem string
	Remedy  string
}

// Error is the one-line form that compilers use, so that editors can jump to it.
func (f Fault) Error() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		b.WriteByte(':')
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", f.Line, f.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if f.Key != "" {
		b.WriteString(f.Key)
		b.WriteString(": ")
	}
	b.WriteString(f.Problem)
	if f.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(f.Remedy)
	}
	return b.String()
}

// LogValue leaves out Problem and Remedy, which may quote what the user wrote.
func (f Fault) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("line", f.Line), slog.Int("column", f.Column), slog.String("key", f.Key))
}

func quote(s string) string { return strconv.Quote(s) }

// nearest returns the candidate that a typo of word most likely meant, or "".
func nearest(word string, candidates []string) string {
	// One slip in a short word, two in a longer one: more and the guess misleads.
	limit := 1
	if len(word) > 4 {
		limit = 2
	}
	best, at := "", limit+1
	for _, c := range candidates {
		if d := distance(word, c); d < at {
			best, at = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insert, delete, replace
// and swap of neighbours cost one each.
func distance(a, b string) int {
	// Longer words are never keys of ours; a bound keeps a hostile one cheap.
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var two, one, row [longest + 1]int
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one = one, row
	}
	return one[len(b)]
}
