package match

import (
	"math/bits"
	"slices"
	"unicode"
)

// Tier says how plainly a row was found; a lower tier is always shown first.
type Tier uint8

// The tiers, best first; doc.go draws each.
const (
	None Tier = iota
	Exact
	Prefix
	WordPrefix
	Acronym
	Substring
	Fuzzy
	Typo
)

var tierNames = [...]string{"none", "exact", "prefix", "word prefix", "acronym", "substring", "fuzzy", "typo"}

func (t Tier) String() string {
	if int(t) < len(tierNames) {
		return tierNames[t]
	}
	return "unknown"
}

// Field says where a row was found; inside a tier a lower field is shown first.
type Field uint8

// The fields, best first. Detail is the subtitle, the URL, or query words that
// are spread over several fields.
const (
	Title Field = iota
	Alias
	Detail
)

// What a fuzzy match earns and pays. Only the relations matter:
// a letter at a word's beginning is worth more than one that merely follows,
// because initials are what people remember; the first letter counts double,
// because nobody begins in the middle of a thought; a gap costs a little to
// open and a little a letter, so that one gap of four beats four gaps of one.
const (
	FirstAtWord = 16 // the query's first letter begins a word
	AtWord      = 8  // a later letter begins a word
	Adjacent    = 5  // a letter follows the one before; less than AtWord, more than GapStart
	GapStart    = 3  // what opening a gap costs
	GapLetter   = 1  // what each skipped letter after the first costs

	// FuzzyFloor is the least that a fuzzy match may score: gaps must be
	// earned back.
	FuzzyFloor = 0

	// MinFuzzyLetters is the shortest query that is matched fuzzily; one
	// letter has no order to keep.
	MinFuzzyLetters = 2
)

// The slips a query word is forgiven, by its length in letters. Below
// TypoOneFrom any three-letter word would be one slip from half the
// dictionary's beginnings; from TypoTwoFrom on two slips still leave four
// letters right.
const (
	TypoOneFrom = 3
	TypoTwoFrom = 6

	// MaxTypoLetters bounds the work for one word; nobody mistypes a word of
	// more than this many letters and expects it found by its slip.
	MaxTypoLetters = 24
)

// TypoBudget returns how many slips a query word is forgiven. A number is meant
// to the digit: the pid, port or year beside it is another one.
func TypoBudget(word []rune) int {
	switch {
	case len(word) < TypoOneFrom || len(word) > MaxTypoLetters:
		return 0
	case !slices.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }):
		return 0
	case len(word) < TypoTwoFrom:
		return 1
	}
	return 2
}

// MaxBoost is the greatest frecency a row can carry into the order. It has its
// own bits below tier, field and closeness, which is what keeps habit inside a
// tier.
const MaxBoost = 1<<boostBits - 1

// DefaultLimit is how many rows a search returns when not told: more than
// anyone scrolls through, few enough to end a search early.
const DefaultLimit = 200

// A key is a hit's whole place in the order as one number, the smallest first,
// so that keeping the best of 100,000 compares integers and nothing else:
//
//	tier field accent step boost fine priority running position
//
// Every part but position is "less is better"; position is the row's place in
// the catalogue and makes keys unique.
const (
	positionBits = 28
	runningBits  = 1
	priorityBits = 3
	fineBits     = 14
	boostBits    = 6
	stepBits     = 6
	accentBits   = 1
	fieldBits    = 2

	runningShift  = positionBits
	priorityShift = runningShift + runningBits
	fineShift     = priorityShift + priorityBits
	boostShift    = fineShift + fineBits
	stepShift     = boostShift + boostBits
	accentShift   = stepShift + stepBits
	fieldShift    = accentShift + accentBits
	tierShift     = fieldShift + fieldBits

	maxFine = 1<<fineBits - 1
	maxStep = 1<<stepBits - 1

	// MaxRows is how many rows one search can tell apart.
	MaxRows = 1 << positionBits
)

// place is what matching alone says about a hit; the row's standing (boost,
// priority, running, position) is added when it is pushed.
type place uint64

func makePlace(t Tier, f Field, accentExact bool, step, fine int) place {
	p := place(t)<<tierShift | place(f)<<fieldShift | place(min(step, maxStep))<<stepShift | place(min(fine, maxFine))<<fineShift
	if !accentExact {
		p |= 1 << accentShift
	}
	return p
}

func (p place) tier() Tier   { return Tier(p >> tierShift) }
func (p place) field() Field { return Field(p >> fieldShift & (1<<fieldBits - 1)) }
func (p place) fine() int    { return int(p >> fineShift & maxFine) }

// closenessStep turns letters left over into doubling steps.
func closenessStep(left int) int { return bits.Len(uint(left + 1)) }

// spreadStep puts query words that are found apart below those that are found
// together: more than any closeness step of a quota-sized text.
const spreadStep = 24

// placeClose is the place of a hit of tiers 1 to 5 that leaves over so many letters.
func placeClose(t Tier, f Field, accentExact bool, left int, spread bool) place {
	step := closenessStep(left)
	if spread {
		step += spreadStep
	}
	return makePlace(t, f, accentExact, step, left)
}

// Of fine's bits a fuzzy hit uses the lower four for how long the text is.
const (
	fuzzyTailBits = 4
	fuzzyTailUnit = 8 // letters
	fuzzyStepUnit = 8 // about one boundary: habit decides between hits closer than that
)

// bestFuzzy is more than any match of that many letters can score.
func bestFuzzy(letters int) int { return FirstAtWord + AtWord*(letters-1) }

func placeFuzzy(f Field, letters, score, left int) place {
	lost := bestFuzzy(letters) - score
	tail := min(left/fuzzyTailUnit, 1<<fuzzyTailBits-1)
	return makePlace(Fuzzy, f, false, lost/fuzzyStepUnit, min(lost, maxFine>>fuzzyTailBits)<<fuzzyTailBits|tail)
}

// Fewer slips come first, whatever the text's length.
const (
	typoStep = 20
	typoFine = 4096
)

func placeTypo(f Field, slips, left int) place {
	return makePlace(Typo, f, false, min(slips*typoStep, maxStep-typoStep)+min(closenessStep(left), typoStep-1), min(slips, maxFine/typoFine)*typoFine+min(left, typoFine-1))
}

// score is what a hit shows of its place: the fuzzy score, or the letters left
// over as a negative number, for typos after the slips.
func (p place) score(letters int) int {
	if p.tier() == Fuzzy {
		return bestFuzzy(letters) - p.fine()>>fuzzyTailBits
	}
	return -p.fine()
}
