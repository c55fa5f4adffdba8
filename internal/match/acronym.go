package match

import (
	"math/bits"
	"unicode/utf8"
)

// maxAcronym bounds, in bytes, the queries that are taken for initials: the
// positions reached in one are the bits of a word.
const maxAcronym = 63

// acronymic says whether q can be made of several beginnings of words.
func (q *Query) acronymic() bool { return q.letterCount >= 2 && len(q.letters) <= maxAcronym }

func presenceOfFirst(q *Query) uint64 {
	r, _ := utf8.DecodeRune(q.letters)
	return presence(r)
}

// isAcronym says whether the query's letters are beginnings of neighbouring
// words of text put together, each of at least a letter and none across a
// separator of the query:
//
//	vscode   v|s|code   Visual Studio Code
//	vs code  v|s code   Visual Studio Code
//	foo-bar  foo bar    Foo Bar
//
// All ways to cut the query are followed at once: bit i of reach says that the
// words so far can make the first i bytes.
func isAcronym(text []byte, starts []uint16, q *Query) bool {
	letters := q.letters
	var reach uint64
	for w, s := range starts {
		end := len(text)
		if w+1 < len(starts) {
			end = int(starts[w+1])
		}
		word := text[s:end]
		var next uint64
		for from := reach | 1; from != 0; from &= from - 1 {
			p := bits.TrailingZeros64(from)
			limit := int(q.limits[p])
			n := 0
			for n < len(word) && p+n < limit && word[n] == letters[p+n] {
				n++
			}
			if p+n == len(letters) {
				if p > 0 {
					return true
				}
				n-- // one word alone is no acronym
			}
			next |= (1<<n - 1) << (p + 1)
		}
		reach = next
	}
	return false
}
