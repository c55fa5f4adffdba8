package draw

import (
	"bytes"
	"image/png"
	"io"
)

// strikes are the pictures of a font of colour bitmaps. Only where they are is
// kept; the pictures are read one by one.
type strikes struct {
	file  io.ReaderAt
	index []byte // CBLC
	data  table  // CBDT or sbix
	sbix  []sbixStrike
}

type sbixStrike struct {
	ppem   int
	offset int64
}

func readStrikes(r io.ReaderAt, d tableList) *strikes {
	if t, ok := d.find("CBDT"); ok {
		index, err := d.read(r, "CBLC")
		if err != nil || len(index) < 8 {
			return nil
		}
		return &strikes{file: r, index: index, data: t}
	}
	t, ok := d.find("sbix")
	if !ok {
		return nil
	}
	var b [8]byte
	if _, err := r.ReadAt(b[:], int64(t.offset)); err != nil {
		return nil
	}
	s := &strikes{file: r, data: t}
	n := min(be.Uint32(b[4:]), maxTables)
	offsets := make([]byte, 4*n)
	if _, err := r.ReadAt(offsets, int64(t.offset)+8); err != nil {
		return nil
	}
	for i := range int(n) {
		at := int64(t.offset) + int64(be.Uint32(offsets[4*i:]))
		if _, err := r.ReadAt(b[:2], at); err == nil {
			s.sbix = append(s.sbix, sbixStrike{int(be.Uint16(b[:])), at})
		}
	}
	return s
}

// maxPicture bounds a compressed picture; the largest in use have 60 KiB.
const maxPicture = 1 << 20

// picture returns a glyph as tall as an em of that many pixels, and how far its
// left edge and its upper edge are from the pen.
func (s *strikes) picture(g uint32, size float32) (b *Bitmap, left, up float32) {
	var raw []byte
	var ppem int
	var bx, by float32
	bottom := false
	if s.index != nil {
		raw, ppem, bx, by = s.cbdt(g, size)
	} else {
		raw, ppem, bx, by = s.fromSbix(g, size)
		bottom = true
	}
	if raw == nil || ppem == 0 {
		return nil, 0, 0
	}
	conf, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil || conf.Width > maxIcon || conf.Height > maxIcon {
		return nil, 0, 0
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, 0, 0
	}
	scale := size / float32(ppem)
	w := max(1, int(float32(conf.Width)*scale+0.5))
	h := max(1, int(float32(conf.Height)*scale+0.5))
	if bottom {
		by += float32(conf.Height)
	}
	return scaled(img, w, h), bx * scale, by * scale
}

// cbdt finds a glyph in CBLC and reads it from CBDT.
func (s *strikes) cbdt(g uint32, size float32) (png []byte, ppem int, left, top float32) {
	var best []byte
	for i := range int(min(be.Uint32(s.index[4:]), maxTables)) {
		if len(s.index) < 8+48*(i+1) {
			break
		}
		e := s.index[8+48*i:][:48]
		have := 0
		if best != nil {
			have = int(best[44])
		}
		if p := int(e[44]); best == nil || have < int(size) && p > have || p >= int(size) && p < have {
			best = e
		}
	}
	if best == nil {
		return nil, 0, 0, 0
	}
	array, count := int(be.Uint32(best)), int(be.Uint32(best[8:]))
	for i := range count {
		e := part(s.index, array+8*i, 8)
		if e == nil {
			return nil, 0, 0, 0
		}
		first, last := uint32(be.Uint16(e)), uint32(be.Uint16(e[2:]))
		if g < first || g > last {
			continue
		}
		at, n, metrics, format := s.place(array+int(be.Uint32(e[4:])), g, first)
		if n <= 0 || n > maxPicture {
			return nil, 0, 0, 0
		}
		raw := make([]byte, n)
		if _, err := s.file.ReadAt(raw, int64(s.data.offset)+int64(at)); err != nil {
			return nil, 0, 0, 0
		}
		skip := 4
		switch format {
		case 17:
			skip, metrics = 9, raw
		case 18:
			skip, metrics = 12, raw
		}
		if len(raw) < skip || len(metrics) < 4 {
			return nil, 0, 0, 0
		}
		return raw[skip:], int(best[44]), float32(int8(metrics[2])), float32(int8(metrics[3]))
	}
	return nil, 0, 0, 0
}

// place reads an index subtable: where in CBDT a glyph lies and how long it is.
func (s *strikes) place(sub int, g, first uint32) (at, n int, metrics []byte, format uint16) {
	h := part(s.index, sub, 8)
	if h == nil {
		return 0, 0, nil, 0
	}
	format = be.Uint16(h[2:])
	data, i := int(be.Uint32(h[4:])), int(g-first)
	switch be.Uint16(h) {
	case 1:
		if e := part(s.index, sub+8+4*i, 8); e != nil {
			return data + int(be.Uint32(e)), int(be.Uint32(e[4:])) - int(be.Uint32(e)), nil, format
		}
	case 2:
		if e := part(s.index, sub+8, 12); e != nil {
			size := int(be.Uint32(e))
			return data + i*size, size, e[4:], format
		}
	case 3:
		if e := part(s.index, sub+8+2*i, 4); e != nil {
			return data + int(be.Uint16(e)), int(be.Uint16(e[2:])) - int(be.Uint16(e)), nil, format
		}
	case 4:
		e := part(s.index, sub+8, 4)
		for j := 0; e != nil && j < int(be.Uint32(e)); j++ {
			p := part(s.index, sub+12+4*j, 8)
			if p == nil {
				break
			}
			if uint32(be.Uint16(p)) == g {
				return data + int(be.Uint16(p[2:])), int(be.Uint16(p[6:])) - int(be.Uint16(p[2:])), nil, format
			}
		}
	case 5:
		e := part(s.index, sub+8, 16)
		for j := 0; e != nil && j < int(be.Uint32(e[12:])); j++ {
			p := part(s.index, sub+24+2*j, 2)
			if p == nil {
				break
			}
			if uint32(be.Uint16(p)) == g {
				size := int(be.Uint32(e))
				return data + j*size, size, e[4:], format
			}
		}
	}
	return 0, 0, nil, 0
}

func (s *strikes) fromSbix(g uint32, size float32) (png []byte, ppem int, left, up float32) {
	var best sbixStrike
	for _, c := range s.sbix {
		if best.ppem == 0 || best.ppem < int(size) && c.ppem > best.ppem || c.ppem >= int(size) && c.ppem < best.ppem {
			best = c
		}
	}
	var b [8]byte
	if _, err := s.file.ReadAt(b[:], best.offset+4+4*int64(g)); err != nil {
		return nil, 0, 0, 0
	}
	from, to := be.Uint32(b[:]), be.Uint32(b[4:])
	if to < from+8 || to-from > maxPicture {
		return nil, 0, 0, 0
	}
	raw := make([]byte, to-from)
	if _, err := s.file.ReadAt(raw, best.offset+int64(from)); err != nil || string(raw[4:8]) != "png " {
		return nil, 0, 0, 0
	}
	return raw[8:], best.ppem, float32(int16(be.Uint16(raw))), float32(int16(be.Uint16(raw[2:])))
}

// part is n bytes of b from at on, nil where it is shorter.
func part(b []byte, at, n int) []byte {
	if at < 0 || n > len(b) || at > len(b)-n {
		return nil
	}
	return b[at : at+n]
}
