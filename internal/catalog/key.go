package catalog

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"github.com/flash-launcher/flash/protocol"
)

// Key names a row within its plugin: a hash of its source, its title and where
// it leads. It is the same in every run, as the frecency on disk goes by it, and
// it says nothing of the row's text to whoever reads that file.
type Key uint64

// RowID returns the id of a row for use outside: the plugin and the key.
func RowID(plugin string, k Key) string {
	var b [16]byte
	const digits = "0123456789abcdef"
	for i := range b {
		b[i] = digits[uint64(k)>>(60-4*i)&15]
	}
	return plugin + "/" + string(b[:])
}

var errRowID = errors.New("not a row id; ids look like plugin/0123456789abcdef and come from a query")

// ParseRowID takes a row id apart.
func ParseRowID(id string) (plugin string, k Key, err error) {
	plugin, hex, ok := strings.Cut(id, "/")
	if !ok || len(hex) != 16 || plugin == "" {
		return "", 0, errRowID
	}
	n, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return "", 0, errRowID
	}
	return plugin, Key(n), nil
}

// KeyOf returns the key of a row that has no twin. Where a row leads is its URL,
// else its navigation URL, else the target of its effect: two windows of one
// title differ there.
func KeyOf(row *protocol.Row) Key {
	h := absorb(offset, row.Source)
	h = absorb(h, row.Title)
	switch nav, _ := row.Metadata.Get(protocol.MetaNavigationURL); {
	case row.URL != "":
		h = absorb(h, row.URL)
	case nav != "":
		h = absorb(h, nav)
	case row.Effect.Type != protocol.EffectNone:
		h = absorb(h, row.Effect.URL)
		h = absorb(h, row.Effect.BundleID)
		h = absorb(h, row.Effect.Text)
	}
	return Key(h)
}

// KeysOf returns the rows' keys; rows that are alike get theirs by their order.
func KeysOf(rows []protocol.Row) []Key {
	keys := make([]Key, len(rows))
	slots := make([]uint32, 1<<bits.Len(uint(2*len(rows)|15))) // row+1
	mask := uint64(len(slots) - 1)
	for r := range rows {
		k := KeyOf(&rows[r])
		for i := uint64(k) & mask; slots[i] != 0; i = (i + 1) & mask {
			if keys[slots[i]-1] == k {
				k = Key(fold(uint64(k), twin))
				i = uint64(k)&mask - 1
			}
		}
		i := uint64(k) & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		keys[r], slots[i] = k, uint32(r)+1
	}
	return keys
}

// Any odd constants with as many ones as zeros do; they are part of the file
// format of the frecency and must not change.
const (
	offset = 0x9e3779b97f4a7c15
	prime  = 0xe7037ed1a0b428db
	twin   = 0xa0761d6478bd642f
)

func fold(h, w uint64) uint64 {
	hi, lo := bits.Mul64(h^w, prime)
	return bits.RotateLeft64(hi^lo, 23) + twin
}

// absorb hashes s and its length into h, eight bytes at a time.
func absorb(h uint64, s string) uint64 {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	h = fold(h, uint64(len(b)))
	for len(b) >= 8 {
		h = fold(h, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var tail uint64
	for i, c := range b {
		tail |= uint64(c) << (8 * i)
	}
	return fold(h, tail)
}
