package draw

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

var be = binary.BigEndian

var errFont = errors.New("this is no font that can be read")

// maxTables bounds what a broken file can make us read.
const maxTables = 256

// table is where a table of a font lies in its file.
type table struct {
	tag         uint32
	offset, len uint32
}

// tableList is the directory of one font of a file.
type tableList struct {
	flavor uint32
	tables []table
}

func tag(s string) uint32 { return be.Uint32([]byte(s)) }

// directories reads the directories of all fonts of a file: one, or those of a
// collection.
func directories(r io.ReaderAt) ([]tableList, error) {
	var b [12]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return nil, err
	}
	if be.Uint32(b[:]) != tag("ttcf") {
		d, err := directory(r, 0)
		return []tableList{d}, err
	}
	n := be.Uint32(b[8:])
	if n == 0 || n > maxTables {
		return nil, errFont
	}
	at := make([]byte, 4*n)
	if _, err := r.ReadAt(at, 12); err != nil {
		return nil, err
	}
	out := make([]tableList, n)
	for i := range out {
		d, err := directory(r, int64(be.Uint32(at[4*i:])))
		if err != nil {
			return nil, err
		}
		out[i] = d
	}
	return out, nil
}

func directory(r io.ReaderAt, at int64) (tableList, error) {
	var b [12]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return tableList{}, err
	}
	d := tableList{flavor: be.Uint32(b[:])}
	switch d.flavor {
	case 0x00010000, tag("true"), tag("OTTO"):
	default:
		return d, errFont
	}
	n := int(be.Uint16(b[4:]))
	if n == 0 || n > maxTables {
		return d, errFont
	}
	raw := make([]byte, 16*n)
	if _, err := r.ReadAt(raw, at+12); err != nil {
		return d, err
	}
	d.tables = make([]table, n)
	for i := range d.tables {
		e := raw[16*i:]
		d.tables[i] = table{be.Uint32(e), be.Uint32(e[8:]), be.Uint32(e[12:])}
	}
	return d, nil
}

func (d tableList) find(name string) (table, bool) {
	for _, t := range d.tables {
		if t.tag == tag(name) {
			return t, true
		}
	}
	return table{}, false
}

// maxTable bounds a table that is read whole; the largest that is needed, a
// layout table of a big font, has a few hundred KiB.
const maxTable = 16 << 20

// read reads a table whole.
func (d tableList) read(r io.ReaderAt, name string) ([]byte, error) {
	t, ok := d.find(name)
	if !ok || t.len > maxTable {
		return nil, errFont
	}
	b := make([]byte, t.len)
	if _, err := r.ReadAt(b, int64(t.offset)); err != nil {
		return nil, err
	}
	return b, nil
}

// view is a font file that seems to have one font with some tables only, so that
// a parser that reads every table it finds leaves the others where they are.
type view struct {
	file io.ReaderAt
	head []byte
	at   int64
}

// only returns a view of a font with just those tables.
func only(file io.ReaderAt, d tableList, keep func(tag string) bool) *view {
	var kept []table
	for _, t := range d.tables {
		var name [4]byte
		be.PutUint32(name[:], t.tag)
		if keep(string(name[:])) {
			kept = append(kept, t)
		}
	}
	head := make([]byte, 12+16*len(kept))
	be.PutUint32(head, d.flavor)
	be.PutUint16(head[4:], uint16(len(kept)))
	for i, t := range kept {
		e := head[12+16*i:]
		be.PutUint32(e, t.tag)
		be.PutUint32(e[8:], t.offset)
		be.PutUint32(e[12:], t.len)
	}
	return &view{file: file, head: head}
}

// ReadAt reads the directory from memory and all else from the file. No table
// begins before the end of the directory: the real one is as long or longer.
func (v *view) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at >= int64(len(v.head)) {
		return v.file.ReadAt(p, at)
	}
	n := copy(p, v.head[at:])
	if n == len(p) {
		return n, nil
	}
	m, err := v.file.ReadAt(p[n:], at+int64(n))
	return n + m, err
}

// Read reads on from where the last Read or Seek ended.
func (v *view) Read(p []byte) (int, error) {
	n, err := v.ReadAt(p, v.at)
	v.at += int64(n)
	return n, err
}

// Seek moves to an offset from the start, the only kind that font parsers use.
func (v *view) Seek(to int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return v.at, os.ErrInvalid
	}
	v.at = to
	return to, nil
}
