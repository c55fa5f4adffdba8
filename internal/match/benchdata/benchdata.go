// Package benchdata makes the rows and keystrokes that the matcher is measured
// with: the same ones in every run, on every machine. It owns no measurement,
// and no product code imports it.
package benchdata

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// The shape of the data set: what a desktop's windows, tabs, files and
// bookmarks look like, with more different words than any of them has.
const (
	Words        = 32000
	TitleBytes   = 40 // on average
	DetailBytes  = 60
	Keystrokes   = 200
	seed1, seed2 = 20260101, 42
)

// common are words people search for; the rest is made of syllables.
var common = strings.Fields(`firefox terminal settings report document manager music network
configuration calendar message project invoice meeting photo library editor window desktop
folder download install update keyboard display printer battery camera garden kitchen travel
budget summary presentation spreadsheet contract customer supplier address birthday holiday`)

// Set is a data set.
type Set struct {
	Vocabulary []string
	Rows       []protocol.Row
}

// New returns n rows.
func New(n int) Set {
	rng := rand.New(rand.NewPCG(seed1, seed2))
	words := vocabulary(rng)
	rows := make([]protocol.Row, n)
	for i := range rows {
		rows[i] = protocol.Row{
			Source: "bench.rows",
			Title:  titled(phrase(rng, words, TitleBytes, " ")),
			Metadata: protocol.Metadata{{
				Key: protocol.MetaSubtitle, Value: phrase(rng, words, DetailBytes, "/"),
			}},
		}
	}
	return Set{words, rows}
}

// vocabulary returns Words different words.
func vocabulary(rng *rand.Rand) []string {
	onsets := strings.Fields("b c d f g h j k l m n p r s t v w z bl br ch cl cr dr fl gr pl pr sh sl sp st str th tr")
	vowels := strings.Fields("a e i o u ai ea ee io oo ou")
	codas := append(strings.Fields("b d g k l m n p r s t x ck ld nd ng nt rd st"), "", "", "", "")
	words, seen := slices.Clone(common), map[string]bool{}
	for _, w := range words {
		seen[w] = true
	}
	for len(words) < Words {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			b.WriteString(onsets[rng.IntN(len(onsets))])
			b.WriteString(vowels[rng.IntN(len(vowels))])
			b.WriteString(codas[rng.IntN(len(codas))])
		}
		if w := b.String(); len(w) > 2 && !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// phrase joins words to about size bytes. A third of them are common ones or
// others from the front of the list, as in real text.
func phrase(rng *rand.Rand, words []string, size int, sep string) string {
	target := size/2 + rng.IntN(size)
	var b strings.Builder
	for b.Len() < target {
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		if n := len(words); rng.IntN(3) == 0 {
			n = 1 + rng.IntN(min(2000, n))
			b.WriteString(words[rng.IntN(n)])
		} else {
			b.WriteString(words[rng.IntN(n)])
		}
	}
	return b.String()
}

// titled gives every third word a capital, so that case is not all one.
func titled(s string) string {
	words := strings.Split(s, " ")
	for i := 0; i < len(words); i += 3 {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, " ")
}

// Sequences returns Keystrokes queries as they are typed, one letter more each
// within a sequence: common and rare words, two words, initials, typos, and
// words that no row has.
func (s Set) Sequences() [][]string {
	rng := rand.New(rand.NewPCG(seed2, seed1))
	var out [][]string
	total := 0
	for kind := 0; ; kind++ {
		var text string
		switch kind % 8 {
		case 0:
			text = common[rng.IntN(len(common))]
		case 1, 2:
			text = s.Vocabulary[rng.IntN(len(s.Vocabulary))]
		case 3:
			text = slipped(rng, common[rng.IntN(len(common))])
		case 4:
			words := strings.Fields(s.Rows[rng.IntN(len(s.Rows))].Title)
			text = words[0] + " " + words[min(1, len(words)-1)][:2]
		case 5:
			text = slipped(rng, s.Vocabulary[rng.IntN(len(s.Vocabulary))])
		case 6:
			for _, w := range strings.Fields(s.Rows[rng.IntN(len(s.Rows))].Title) {
				text += w[:1]
			}
		case 7:
			text = "q" + s.Vocabulary[rng.IntN(len(s.Vocabulary))] + "zx"
		}
		var seq []string
		for i := range text {
			seq = append(seq, text[:i+1])
		}
		seq = seq[:min(len(seq), Keystrokes-total)]
		total += len(seq)
		out = append(out, seq)
		if total == Keystrokes {
			return out
		}
	}
}

// slipped swaps two letters in the middle of w, or drops one.
func slipped(rng *rand.Rand, w string) string {
	if len(w) < 4 {
		return w
	}
	i := 1 + rng.IntN(len(w)-2)
	if rng.IntN(2) == 0 {
		return w[:i] + w[i+1:]
	}
	return w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]
}
