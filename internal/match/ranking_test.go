package match

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// rankingCase is one entry of testdata/ranking.json.
type rankingCase struct {
	Why     string
	Rows    []rankingRow
	Queries []string
	Want    []string          // the first rows, in this order
	Absent  []string          // rows that must not be found
	Marks   map[string]string // title → one ~ for each highlighted byte, for the first query
}

// rankingRow is a title, or an object with a title and what else the row has.
type rankingRow struct{ row protocol.Row }

func (r *rankingRow) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &r.row.Title)
	}
	var m map[string]string
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	r.row.Title, r.row.URL = m["title"], m["url"]
	delete(m, "title")
	delete(m, "url")
	r.row.Metadata = protocol.NewMetadata(m)
	return nil
}

func loadRanking(t testing.TB) []rankingCase {
	data, err := os.ReadFile("testdata/ranking.json")
	require.NoError(t, err)
	var cases []rankingCase
	require.NoError(t, json.Unmarshal(data, &cases))
	return cases
}

// called is how a case names a row: by its title, or by title and URL where titles repeat.
func called(rows []protocol.Row, i int) string {
	for k := range rows {
		if k != i && rows[k].Title == rows[i].Title {
			return rows[i].Title + " " + rows[i].URL
		}
	}
	return rows[i].Title
}

func TestEveryRankingCaseOfTheDataFile(t *testing.T) {
	for _, c := range loadRanking(t) {
		t.Run(c.Why, func(t *testing.T) {
			rows := make([]protocol.Row, len(c.Rows))
			for i := range rows {
				rows[i] = c.Rows[i].row
			}
			ix := NewIndex(rows)
			for n, query := range c.Queries {
				hits := Search(context.Background(), []*Index{ix}, NewQuery(query), Options{})
				var got []string
				for _, h := range hits {
					got = append(got, called(rows, h.Row))
					if marks, ok := c.Marks[rows[h.Row].Title]; ok && n == 0 {
						assert.Equal(t, marks, drawn(h.Highlights), "highlights of %q for %q (%v)", rows[h.Row].Title, query, h.Tier)
					}
				}
				require.GreaterOrEqual(t, len(got), len(c.Want), "query %q found %q", query, got)
				for i, want := range c.Want {
					assert.Equal(t, want, got[i], "query %q, place %d of %q", query, i, got)
				}
				for _, absent := range c.Absent {
					assert.NotContains(t, got, absent, "query %q", query)
				}
			}
		})
	}
}

// drawn draws spans as the data file does.
func drawn(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		for b.Len() < s.From {
			b.WriteByte(' ')
		}
		for b.Len() < s.To {
			b.WriteByte('~')
		}
	}
	return b.String()
}

// A Turkish locale lower-cases I to ı; folding must not ask the locale.
func TestRankingIsTheSameUnderATurkishLocale(t *testing.T) {
	if os.Getenv("LANG") == "tr_TR.UTF-8" {
		t.Skip("runs in the child")
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestEveryRankingCaseOfTheDataFile")
	cmd.Env = append(os.Environ(), "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS")
}
