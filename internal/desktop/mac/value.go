package mac

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"
)

// Ref is a retained object of macOS that only macOS looks into; 0 is none.
// Whoever is given one releases it.
type Ref uint64

// Kind says what a Value is.
type Kind uint8

// The kinds, as the C side numbers them.
const (
	None    Kind = iota // no value, or one of a kind that nothing here reads
	Failed              // Status says why there is no value
	Bool                // Int is 0 or 1
	Int                 // Int
	Float               // Num[0]
	String              // Str
	Point               // Num[0], Num[1]: x and y
	Size                // Num[0], Num[1]: width and height
	Rect                // Num: x, y, width, height
	Range               // Num[0], Num[1]: location and length
	Element             // Ref, retained
	List                // List
	Dict                // List, keys in Keys
)

// Value is what macOS answered, copied out of its objects but for elements.
type Value struct {
	Kind   Kind
	Status Status
	Int    int64
	Num    [4]float64
	Str    string
	Ref    Ref
	List   []Value
	Keys   []string
}

// maxDepth bounds lists within lists. Nothing that is asked for nests deeper.
const maxDepth = 8

var errEncoding = errors.New("macOS's answer was not encoded as agreed")

// Decode reads the values that the C side wrote one behind the other: a byte
// for the kind, then its fields, little-endian. What was read before an error
// is returned with it, so that its elements can be released.
func Decode(data []byte) ([]Value, error) {
	d := decoder{data: data}
	var out []Value
	for len(d.data) > 0 && !d.bad {
		out = append(out, d.value(maxDepth))
	}
	if d.bad {
		return out, errEncoding
	}
	return out, nil
}

type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n > len(d.data) {
		d.bad = true
		return make([]byte, min(n, 8))
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) u32() uint32  { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) u64() uint64  { return binary.LittleEndian.Uint64(d.take(8)) }
func (d *decoder) f64() float64 { return math.Float64frombits(d.u64()) }

func (d *decoder) text() string {
	n := d.u32()
	if d.bad || int64(n) > int64(len(d.data)) {
		d.bad = true
		return ""
	}
	b := d.take(int(n))
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b))) // each broken byte becomes a replacement character
}

func (d *decoder) value(depth int) Value {
	v := Value{Kind: Kind(d.take(1)[0])}
	switch v.Kind {
	case None:
	case Failed:
		v.Status = Status(int32(d.u32()))
	case Bool, Int:
		v.Int = int64(d.u64())
	case Float:
		v.Num[0] = d.f64()
	case String:
		v.Str = d.text()
	case Point, Size, Range:
		v.Num[0], v.Num[1] = d.f64(), d.f64()
	case Rect:
		for i := range v.Num {
			v.Num[i] = d.f64()
		}
	case Element:
		v.Ref = Ref(d.u64())
	case List, Dict:
		n := int64(d.u32())
		if depth == 0 || n > int64(len(d.data)) { // each entry has a byte at least
			d.bad = true
			return v
		}
		for range n {
			if d.bad {
				break
			}
			if v.Kind == Dict {
				v.Keys = append(v.Keys, d.text())
			}
			v.List = append(v.List, d.value(depth-1))
		}
	default:
		d.bad, v.Kind = true, None
	}
	return v
}

// Get is a dictionary's value of a key.
func (v Value) Get(key string) Value {
	if v.Kind == Dict {
		for i, k := range v.Keys {
			if k == key {
				return v.List[i]
			}
		}
	}
	return Value{}
}

// Number is an Int, a Bool or a Float as a number; false for other kinds.
func (v Value) Number() (float64, bool) {
	switch v.Kind {
	case Int, Bool:
		return float64(v.Int), true
	case Float:
		return v.Num[0], true
	}
	return 0, false
}

// True says whether a value is a true boolean, or a number that is not 0.
func (v Value) True() bool {
	n, ok := v.Number()
	return ok && n != 0
}

// Refs calls yield with each element in values, however deep.
func Refs(values []Value, yield func(Ref)) {
	for _, v := range values {
		if v.Kind == Element && v.Ref != 0 {
			yield(v.Ref)
		}
		Refs(v.List, yield)
	}
}
