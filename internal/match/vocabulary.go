package match

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unicode/utf8"
)

// maxWord is how many bytes of a word the vocabulary tells words apart by: the
// longest query word that slips are looked for in, in a two-byte alphabet.
const maxWord = 2 * MaxTypoLetters

// vocabulary is the different words of an index's entries and where they stand.
// A word runs from where it begins to the next separator, humps included, so
// gVim has gvim and vim.
//
// It is not sorted: eight bytes of each word in one array answer a prefix by a
// pass that costs less than keeping order would at each publication.
type vocabulary struct {
	key  []uint64 // the first eight bytes, the first the highest
	at   []uint32 // where the word stands in the index's text, at its first occurrence
	size []uint8
	mask []uint64

	// The entries of word w are post[postAt[w]:postAt[w+1]], those up to
	// wholeTo[w] beginning with it.
	post    []uint32
	postAt  []uint32
	wholeTo []uint32

	words []uint32 // of the entries, as the index's starts are
	long  []uint32 // the entries that have a word of more than maxWord bytes
}

func (v *vocabulary) len() int { return len(v.key) }

func (v *vocabulary) word(text []byte, w int) []byte {
	return text[v.at[w] : v.at[w]+uint32(v.size[w])]
}

// keyOf returns the first eight bytes of b, and the mask of those that there are.
func keyOf(b []byte) (key, mask uint64) {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b), ^uint64(0)
	}
	for i, c := range b {
		key |= uint64(c) << (56 - 8*i)
	}
	return key, ^(^uint64(0) >> (8 * len(b)))
}

// prefixed appends to dst the words that begin with head, which has at most
// maxWord bytes.
func (v *vocabulary) prefixed(dst []uint32, text, head []byte) []uint32 {
	key, mask := keyOf(head)
	for w, k := range v.key {
		if (k^key)&mask != 0 {
			continue
		}
		if len(head) > 8 && !bytes.HasPrefix(v.word(text, w), head) {
			continue
		}
		if int(v.size[w]) >= len(head) {
			dst = append(dst, uint32(w))
		}
	}
	return dst
}

// containing appends to dst the words that have sub in them.
func (v *vocabulary) containing(dst []uint32, text, sub []byte, mask uint64) []uint32 {
	for w, m := range v.mask {
		if mask&^m == 0 && int(v.size[w]) >= len(sub) && bytes.Contains(v.word(text, w), sub) {
			dst = append(dst, uint32(w))
		}
	}
	return dst
}

// vocabularyBuilder collects the words of entries by open addressing. What
// settles nearly every comparison stands in the slot itself, as each look
// elsewhere is a cache miss.
type vocabularyBuilder struct {
	seed  maphash.Seed // so that no catalogue can be made to collide
	short uint64       // the same for words of up to eight bytes, which are their keys
	slots []slot
	seen  []occurrence
	v     vocabulary
}

type slot struct {
	key  uint64
	word uint32 // +1; 0 is empty
	size uint32
}

type occurrence struct {
	word  uint32
	entry uint32 // <<1, and 1 if the entry begins with the word
}

func (b *vocabularyBuilder) init(words int) {
	b.seed = maphash.MakeSeed()
	b.short = maphash.String(b.seed, "short")
	b.seen = make([]occurrence, 0, words)
	b.slots = make([]slot, 1<<bits.Len(uint(words/2|63))) // words repeat
}

// add enters the words of entry e, whose text is slab[base:].
func (b *vocabularyBuilder) add(slab []byte, base uint32, starts []uint16, e uint32) {
	text := slab[base:]
	end := 0 // of the word at hand
	for _, s := range starts {
		at := int(s)
		if at >= end {
			end = wordEnd(text, at)
		}
		word := text[at:min(end, at+maxWord)]
		if n := len(b.v.long); end-at > maxWord && (n == 0 || b.v.long[n-1] != e) {
			b.v.long = append(b.v.long, e)
		}
		o := occurrence{b.intern(slab, word, base+uint32(at)), e << 1}
		if s == 0 {
			o.entry |= 1
		}
		b.seen = append(b.seen, o)
	}
}

// wordEnd returns where the word at text[at:] ends.
func wordEnd(text []byte, at int) int {
	for at < len(text) {
		c := text[at]
		if c < 0x80 {
			if !asciiClass[c].inWord() {
				return at
			}
			at++
			continue
		}
		r, n := utf8.DecodeRune(text[at:])
		if !classOf(r).inWord() {
			return at
		}
		at += n
	}
	return at
}

// intern returns the number of word, which stands at at in slab.
func (b *vocabularyBuilder) intern(slab, word []byte, at uint32) uint32 {
	key := keyAt(slab, int(at), len(word))
	mask := uint64(len(b.slots) - 1)
	for i := b.hash(key, word) & mask; ; i = (i + 1) & mask {
		s := &b.slots[i]
		if s.word == 0 {
			w := uint32(len(b.v.key))
			*s = slot{key, w + 1, uint32(len(word))}
			b.v.key = append(b.v.key, key)
			b.v.at = append(b.v.at, at)
			b.v.size = append(b.v.size, uint8(len(word)))
			if len(b.v.key)*2 > len(b.slots) {
				b.grow(slab)
			}
			return w
		}
		if s.key == key && int(s.size) == len(word) && (len(word) <= 8 || bytes.Equal(b.v.word(slab, int(s.word-1)), word)) {
			return s.word - 1
		}
	}
}

func (b *vocabularyBuilder) hash(key uint64, word []byte) uint64 {
	if len(word) > 8 {
		return maphash.Bytes(b.seed, word)
	}
	hi, lo := bits.Mul64(key^b.short, 0x9e3779b97f4a7c15+uint64(len(word))<<1) // odd, so nothing is lost
	return hi ^ lo
}

// keyAt is keyOf for n bytes of slab.
func keyAt(slab []byte, at, n int) uint64 {
	if at+8 > len(slab) || n == 0 {
		key, _ := keyOf(slab[at : at+n])
		return key
	}
	key := binary.BigEndian.Uint64(slab[at:])
	if n < 8 {
		key &= ^(^uint64(0) >> (8 * n))
	}
	return key
}

func (b *vocabularyBuilder) grow(slab []byte) {
	old := b.slots
	b.slots = make([]slot, 2*len(old))
	mask := uint64(len(b.slots) - 1)
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := b.hash(s.key, b.v.word(slab, int(s.word-1))) & mask
		for b.slots[i].word != 0 {
			i = (i + 1) & mask
		}
		b.slots[i] = s
	}
}

// finish sorts the occurrences by word, entries that begin with it first.
func (b *vocabularyBuilder) finish(text []byte) vocabulary {
	v := b.v
	n := len(v.key)
	v.mask = make([]uint64, n)
	for w := range n {
		v.mask[w] = presenceOf(v.word(text, w))
	}
	v.words = make([]uint32, len(b.seen))
	v.postAt = make([]uint32, n+1)
	v.wholeTo = make([]uint32, n)
	v.post = make([]uint32, len(b.seen))
	whole := v.wholeTo // counts of wholes first
	rest := make([]uint32, n)
	for _, o := range b.seen {
		if o.entry&1 != 0 {
			whole[o.word]++
		} else {
			rest[o.word]++
		}
	}
	at := uint32(0)
	for w := range n {
		v.postAt[w] = at
		wholes, others := whole[w], rest[w]
		whole[w], rest[w] = at, at+wholes // where to put the next
		at += wholes + others
	}
	v.postAt[n] = at
	for i, o := range b.seen {
		v.words[i] = o.word
		next := &rest[o.word]
		if o.entry&1 != 0 {
			next = &whole[o.word]
		}
		v.post[*next] = o.entry >> 1
		*next++
	}
	return v
}
