package match

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/flash-launcher/flash/protocol"
)

// Index is a catalogue prepared for searching. It never changes once made, so
// any number of searches may read it at once.
type Index struct {
	rows []protocol.Row

	// Entries are what tiers 1 to 7 look at: the titles, one for each row and
	// with its number, then the aliases.
	text     []byte
	textAt   []uint32 // entry e is text[textAt[e]:textAt[e+1]]
	starts   []uint16 // where words begin, from the entry's beginning
	startAt  []uint32
	letters  []uint16 // characters of the entry
	masks    []uint64 // presence of the entry's characters
	initials []uint64 // presence of the characters that begin its words
	aliasRow []uint32 // row of entry len(rows)+i
	aliasAt  []uint32 // aliases of row r are entries aliasAt[r] to aliasAt[r+1]; nil without aliases

	// Accent forms of the entries that differ from their folded text.
	accents  []byte
	accentAt []uint32 // nil when no entry differs; an empty one is no different

	// Subtitles and URLs.
	details []byte
	subAt   []uint32 // subtitle of row r
	urlAt   []uint32
	subMask []uint64
	urlMask []uint64
	anyMask []uint64 // presence over all fields of a row
	grams   []grams  // of subtitle and URL together

	vocab vocabulary

	sources  []string
	sourceOf []uint16
	standing []uint8 // priority<<1 | not running
}

// NewIndex prepares rows, which must not change afterwards.
func NewIndex(rows []protocol.Row) *Index {
	if len(rows) > MaxRows {
		rows = rows[:MaxRows]
	}
	b := newBuilder(rows)
	var details sync.WaitGroup
	if len(rows) < together {
		b.details()
	} else {
		details.Go(b.details)
	}
	for i := range rows {
		b.title(&rows[i])
	}
	b.aliases()
	details.Wait()
	b.finish()
	return b.ix
}

// together is how many rows are prepared on one core: fewer take less time than
// waking another.
const together = 500

// Len returns the number of rows.
func (ix *Index) Len() int { return len(ix.rows) }

// Rows returns the rows that were prepared; they must not be changed.
func (ix *Index) Rows() []protocol.Row { return ix.rows }

// Sources returns the different sources of the rows.
func (ix *Index) Sources() []string { return ix.sources }

func (ix *Index) entry(e uint32) []byte { return ix.text[ix.textAt[e]:ix.textAt[e+1]] }

func (ix *Index) entryStarts(e uint32) []uint16 { return ix.starts[ix.startAt[e]:ix.startAt[e+1]] }

func (ix *Index) rowOf(e uint32) uint32 {
	if int(e) < len(ix.rows) {
		return e
	}
	return ix.aliasRow[int(e)-len(ix.rows)]
}

func (ix *Index) fieldOf(e uint32) Field {
	if int(e) < len(ix.rows) {
		return Title
	}
	return Alias
}

// accent returns e's accent form, or nil if that is its folded text.
func (ix *Index) accent(e uint32) []byte {
	if ix.accentAt == nil || ix.accentAt[e] == ix.accentAt[e+1] {
		return nil
	}
	return ix.accents[ix.accentAt[e]:ix.accentAt[e+1]]
}

func (ix *Index) accentExact(e uint32, q *Query) bool {
	if a := ix.accent(e); a != nil {
		return q.accentExact(a)
	}
	return q.plain
}

// rowAliases returns the entries that are aliases of row r.
func (ix *Index) rowAliases(r uint32) (from, to uint32) {
	if ix.aliasAt == nil {
		return 0, 0
	}
	return ix.aliasAt[r], ix.aliasAt[r+1]
}

func (ix *Index) subtitle(r uint32) []byte { return ix.details[ix.subAt[r]:ix.urlAt[r]] }
func (ix *Index) url(r uint32) []byte      { return ix.details[ix.urlAt[r]:ix.subAt[r+1]] }

// builder prepares an index field by field, so that each slab grows on its own.
type builder struct {
	ix *Index
	f  folder
	vb vocabularyBuilder

	aliasText []rowText
	sourceIDs map[string]uint16
	lastSrc   string
	lastID    uint16
}

type rowText struct {
	row  uint32
	text string
}

func newBuilder(rows []protocol.Row) *builder {
	n := len(rows)
	size := 0
	for i := range rows {
		size += len(rows[i].Title)
	}
	ix := &Index{
		rows:     rows,
		textAt:   make([]uint32, 1, n+1),
		startAt:  make([]uint32, 1, n+1),
		letters:  make([]uint16, 0, n),
		masks:    make([]uint64, 0, n),
		initials: make([]uint64, 0, n),
		subAt:    make([]uint32, n+1),
		urlAt:    make([]uint32, n+1),
		subMask:  make([]uint64, n),
		urlMask:  make([]uint64, n),
		anyMask:  make([]uint64, n),
		grams:    make([]grams, n),
		sourceOf: make([]uint16, n),
		standing: make([]uint8, n),
	}
	b := &builder{ix: ix, sourceIDs: map[string]uint16{}}
	b.f.text = make([]byte, 0, size+size/16)
	b.f.starts = make([]uint16, 0, size/5)
	b.f.words = true
	b.vb.init(size/5 + 1)
	return b
}

func (b *builder) title(row *protocol.Row) {
	r := len(b.ix.masks)
	b.entry(row.Title)
	b.ix.sourceOf[r] = b.source(row.Source)
	b.ix.standing[r] = standingOf(row)
	if s, ok := row.Metadata.Get(protocol.MetaAliases); ok {
		for s != "" {
			var alias string
			alias, s, _ = strings.Cut(s, "\n")
			if alias = strings.TrimSpace(alias); alias != "" {
				b.aliasText = append(b.aliasText, rowText{uint32(r), alias})
			}
		}
	}
}

// entry folds one title or alias and enters its words in the vocabulary.
func (b *builder) entry(s string) {
	if len(s) > MaxFolded {
		s = s[:MaxFolded]
		for !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	ix, f := b.ix, &b.f
	from := len(f.starts)
	f.fold(s)
	e := uint32(len(ix.masks))
	ix.textAt = append(ix.textAt, uint32(len(f.text)))
	ix.startAt = append(ix.startAt, uint32(len(f.starts)))
	ix.letters = append(ix.letters, uint16(f.letters))
	ix.masks = append(ix.masks, f.mask)
	ix.initials = append(ix.initials, f.initials)
	if !f.plain {
		b.accent(e, s)
	} else if ix.accentAt != nil {
		ix.accentAt = append(ix.accentAt, uint32(len(ix.accents)))
	}
	b.vb.add(f.text, uint32(f.base), f.starts[from:], e)
}

// accent keeps the accent form of an entry that is not plain ASCII.
func (b *builder) accent(e uint32, s string) {
	ix := b.ix
	at := len(ix.accents)
	ix.accents = appendAccents(ix.accents, &b.f.segment, s)
	if string(ix.accents[at:]) == string(b.f.text[b.f.base:]) {
		ix.accents = ix.accents[:at]
		if ix.accentAt == nil {
			return
		}
	}
	for len(ix.accentAt) <= int(e) {
		ix.accentAt = append(ix.accentAt, uint32(at))
	}
	ix.accentAt = append(ix.accentAt, uint32(len(ix.accents)))
}

func (b *builder) aliases() {
	if len(b.aliasText) == 0 {
		return
	}
	ix := b.ix
	n := len(ix.rows)
	ix.aliasAt = make([]uint32, n+1)
	ix.aliasRow = make([]uint32, 0, len(b.aliasText))
	next := 0
	for r := range n {
		ix.aliasAt[r] = uint32(len(ix.masks))
		for ; next < len(b.aliasText) && b.aliasText[next].row == uint32(r); next++ {
			b.entry(b.aliasText[next].text)
			ix.aliasRow = append(ix.aliasRow, uint32(r))
		}
	}
	ix.aliasAt[n] = uint32(len(ix.masks))
}

// details prepares subtitles and URLs. It shares nothing with what prepares the
// entries, so that both can go on at once.
func (b *builder) details() {
	ix := b.ix
	size := 0
	for i := range ix.rows {
		s, _ := ix.rows[i].Metadata.Get(protocol.MetaSubtitle)
		size += len(s) + len(ix.rows[i].URL)
	}
	f := folder{text: make([]byte, 0, size+size/16)}
	for r := range ix.rows {
		row := &ix.rows[r]
		ix.subAt[r] = uint32(len(f.text))
		if s, ok := row.Metadata.Get(protocol.MetaSubtitle); ok {
			f.fold(s)
			ix.subMask[r] = f.mask
			ix.grams[r].add(f.text[f.base:])
		}
		ix.urlAt[r] = uint32(len(f.text))
		if row.URL != "" {
			f.fold(row.URL)
			ix.urlMask[r] = f.mask
			ix.grams[r].add(f.text[f.base:])
		}
	}
	ix.subAt[len(ix.rows)] = uint32(len(f.text))
	ix.details = f.text
}

func (b *builder) finish() {
	ix := b.ix
	ix.text, ix.starts = b.f.text, b.f.starts
	ix.vocab = b.vb.finish(ix.text)
	for r := range ix.rows {
		m := ix.masks[r] | ix.subMask[r] | ix.urlMask[r]
		for e, to := ix.rowAliases(uint32(r)); e < to; e++ {
			m |= ix.masks[e]
		}
		ix.anyMask[r] = m
	}
}

// source interns a source name; rows of one source come together.
func (b *builder) source(name string) uint16 {
	if len(b.ix.sources) > 0 && name == b.lastSrc {
		return b.lastID
	}
	id, ok := b.sourceIDs[name]
	if !ok {
		id = uint16(len(b.ix.sources))
		b.sourceIDs[name] = id
		b.ix.sources = append(b.ix.sources, name)
	}
	b.lastSrc, b.lastID = name, id
	return id
}

// Priority orders sources among hits that are equal so far; zero leaves it to
// the source.
type Priority uint8

// The priorities of a manifest, lowest first.
const (
	Low Priority = iota + 1
	Normal
	High
	Important
	Urgent
)

// ParsePriority returns the priority of that name, and Normal for any other.
func ParsePriority(name string) Priority {
	switch name {
	case "low":
		return Low
	case "high":
		return High
	case "important":
		return Important
	case "urgent":
		return Urgent
	}
	return Normal
}

func standingOf(row *protocol.Row) uint8 {
	var s uint8 = 1
	if pid, ok := row.Metadata.Get(protocol.MetaPID); ok && pid != "" {
		s = 0
	}
	if p, ok := row.Metadata.Get(protocol.MetaPriority); ok {
		s |= uint8(ParsePriority(p)) << 1
	}
	return s
}
