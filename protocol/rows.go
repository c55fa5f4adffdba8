package protocol

import (
	"strconv"
	"strings"
)

// DecodePublish decodes the params of a publish notification: the whole warm
// catalogue. declared says whether a source name stands in the manifest. Any
// fault or quota rejects the payload whole. The rows share one copy of params.
func DecodePublish(params []byte, declared func(source string) bool) ([]Row, error) {
	sc := scanner{s: string(params)}
	d := rowsDecoder{sc: &sc, declared: declared, limit: true}
	found := false
	sc.open('{')
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			break
		}
		switch {
		case k != "rows":
			sc.fail("unknown key")
		case found:
			sc.fail("duplicate key")
		default:
			found = true
			d.rows()
		}
	}
	sc.end()
	if err := d.fault(); err != nil {
		return nil, err
	}
	if !found {
		return nil, &DecodeError{"rows", "is missing"}
	}
	return d.out, nil
}

// DecodeSearchReply decodes the result of a search. A reply with ok false
// becomes a *ReplyError.
func DecodeSearchReply(result []byte, declared func(source string) bool) ([]Row, error) {
	sc := scanner{s: string(result)}
	d := rowsDecoder{sc: &sc, declared: declared, limit: true}
	found, err := decodeReply(&sc, "rows", d.rows)
	if fault := d.fault(); fault != nil {
		return nil, fault
	}
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &DecodeError{"rows", "is missing"}
	}
	return d.out, nil
}

// decodeRow decodes one row that the host sent. Its quotas are the host's
// business and keys that a later host may add are passed over.
func decodeRow(sc *scanner) Row {
	d := rowsDecoder{sc: sc}
	d.out = make([]Row, 1)
	d.row(&d.out[0])
	return d.out[0]
}

// rowsDecoder decodes an array of rows into slabs.
type rowsDecoder struct {
	sc       *scanner
	declared func(string) bool // nil: any source
	limit    bool              // host side: quotas hold and unknown keys are faults
	out      []Row
	slab     []MetadataEntry // room for the metadata of rows to come
	source   string          // the last source that was found declared
	index    int
	field    string // where a fault is: the field of row index
	inRows   bool
	problem  string // of the value, where the syntax is good
}

// Sizes of the slabs. The first rows are decoded into a small one; what is left
// is then estimated from their average, so that one allocation mostly does.
const (
	smallestRow = len(`{"source":"","title":""},`)
	firstRows   = 32
	slabEntries = 1024
)

func (d *rowsDecoder) rows() {
	sc := d.sc
	from := sc.here()
	if !sc.open('[') {
		return
	}
	d.inRows = true
	d.out = make([]Row, 0, min(firstRows, (len(sc.s)-sc.i)/smallestRow+1))
	for n := 0; sc.next(n, ']'); n++ {
		if n == MaxCatalogRows {
			d.inRows = false
			d.bad("rows", "more than "+strconv.Itoa(MaxCatalogRows)+" rows")
			return
		}
		d.index = n
		if len(d.out) == cap(d.out) {
			d.grow(sc.i - from.i)
		}
		d.out = d.out[:n+1]
		d.row(&d.out[n])
		if sc.compactFrom(from) > MaxCatalogBytes {
			break
		}
	}
	if sc.fault == "" {
		d.inRows = false
		if sc.compactFrom(from) > MaxCatalogBytes {
			d.bad("rows", "more than "+strconv.Itoa(MaxCatalogBytes)+" bytes")
		}
	}
}

func (d *rowsDecoder) grow(consumed int) {
	n := len(d.out)
	average := max(consumed/max(n, 1), 1)
	left := (len(d.sc.s) - d.sc.i) / average
	size := min(n+left+left/16+firstRows, MaxCatalogRows)
	out := make([]Row, n, max(size, n+1))
	copy(out, d.out)
	d.out = out
}

// bad records a fault of a value whose syntax is good.
func (d *rowsDecoder) bad(field, problem string) {
	if d.sc.fault == "" {
		d.field, d.problem = field, problem
		d.sc.fail(problem)
	}
}

func (d *rowsDecoder) fault() error {
	if d.sc.fault == "" {
		return nil
	}
	path, problem := d.field, d.problem
	if problem == "" {
		problem = d.sc.fault
	}
	if d.inRows {
		path = "rows[" + strconv.Itoa(d.index) + "]"
		if d.field != "" {
			path += "." + d.field
		}
	}
	return &DecodeError{path, problem}
}

const (
	seenSource = 1 << iota
	seenTitle
	seenURL
	seenMetadata
	seenEffect
)

func (d *rowsDecoder) row(r *Row) {
	sc := d.sc
	sc.open('{')
	seen := 0
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			return
		}
		bit := 0
		switch k {
		case "source":
			bit = seenSource
			d.field = "source"
			r.Source = d.text(MaxTitle)
		case "title":
			bit = seenTitle
			d.field = "title"
			r.Title = d.text(MaxTitle)
		case "url":
			bit = seenURL
			d.field = "url"
			if !sc.null() {
				r.URL = d.text(MaxURL)
			}
		case "metadata":
			bit = seenMetadata
			d.field = "metadata"
			if !sc.null() {
				r.Metadata = d.metadata()
			}
		case "effect":
			bit = seenEffect
			d.field = "effect"
			if !sc.null() {
				var problem string
				if r.Effect, problem = decodeEffect(sc, d.limit, true); problem != "" {
					d.bad("effect", problem)
				}
			}
		default:
			if d.limit {
				d.bad("", "unknown key"+shown(k))
				return
			}
			sc.skip()
		}
		if sc.fault != "" {
			return
		}
		d.field = ""
		if seen&bit != 0 {
			d.bad(k, "duplicate key")
			return
		}
		seen |= bit
	}
	if sc.fault != "" {
		return
	}
	switch {
	case seen&seenSource == 0:
		d.bad("source", "is missing")
	case seen&seenTitle == 0:
		d.bad("title", "is missing")
	case d.declared != nil && r.Source != d.source:
		if !d.declared(r.Source) {
			d.bad("source", "is not declared in the manifest")
		}
		d.source = r.Source
	}
}

// text reads a string that is shown or opened: it is bounded and has no NUL.
func (d *rowsDecoder) text(most int) string {
	sc := d.sc
	sc.nul = false
	s, ok := sc.str()
	if !ok || !d.limit {
		return s
	}
	if len(s) > most {
		d.bad(d.field, tooLong(most))
	} else if sc.nul {
		d.bad(d.field, "holds U+0000")
	}
	return s
}

func tooLong(most int) string { return "longer than " + strconv.Itoa(most) + " bytes" }

// metadata reads a map of strings into the slab, sorted by key.
func (d *rowsDecoder) metadata() Metadata {
	sc := d.sc
	sc.open('{')
	base := len(d.slab)
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			return nil
		}
		v, ok := sc.str()
		if !ok {
			return nil
		}
		if d.limit {
			switch {
			case n == MaxMetadataEntries:
				d.bad("metadata", "more than "+strconv.Itoa(MaxMetadataEntries)+" entries")
				return nil
			case len(k) > MaxMetadataKey:
				d.bad("metadata", "key "+tooLong(MaxMetadataKey))
				return nil
			case len(v) > MaxMetadataValue:
				d.bad("metadata", "value "+tooLong(MaxMetadataValue))
				return nil
			}
		}
		if len(d.slab) == cap(d.slab) {
			base = d.newSlab(base)
		}
		d.slab = append(d.slab, MetadataEntry{k, v})
		if !insertLast(d.slab[base:]) {
			d.bad("metadata", "duplicate key")
			return nil
		}
	}
	if sc.fault != "" || len(d.slab) == base {
		return nil
	}
	return Metadata(d.slab[base:len(d.slab):len(d.slab)])
}

// newSlab begins a slab with the entries from base on and returns their new base.
func (d *rowsDecoder) newSlab(base int) int {
	open := d.slab[base:]
	size := slabEntries
	if !d.inRows || cap(d.slab) == 0 {
		size = 16
	}
	slab := make([]MetadataEntry, len(open), max(size, 2*len(open)))
	copy(slab, open)
	d.slab = slab
	return 0
}

// insertLast moves the last entry to its place in the sorted ones before it
// and reports false when its key is there already.
func insertLast(m []MetadataEntry) bool {
	i := len(m) - 1
	e := m[i]
	for i > 0 {
		c := strings.Compare(m[i-1].Key, e.Key)
		if c == 0 {
			return false
		}
		if c < 0 {
			break
		}
		m[i] = m[i-1]
		i--
	}
	m[i] = e
	return true
}

// shown returns a key for an error text when it looks like a name of a schema,
// and nothing when it could be content.
func shown(key string) string {
	if len(key) == 0 || len(key) > 32 {
		return ""
	}
	for i := 0; i < len(key); i++ {
		if c := key[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return ""
		}
	}
	return ` "` + key + `"`
}
