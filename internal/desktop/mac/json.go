package mac

import (
	"errors"
	"math"
	"slices"

	"github.com/flash-launcher/flash/protocol"
)

// AppendAttribute writes a value under a name. A value that JSON or the wire
// has no form for (an element, no value, a number that is none) is left out.
func AppendAttribute(o *protocol.Builder, name string, v Value) {
	if !hasForm(v) {
		return
	}
	switch v.Kind {
	case Bool:
		o.Bool(name, v.Int != 0)
	case Int:
		o.Int(name, v.Int)
	case Float:
		o.Float(name, v.Num[0])
	case String:
		o.Str(name, v.Str)
	default:
		o.With(name, func(dst []byte) []byte { return appendValue(dst, v) })
	}
}

func hasForm(v Value) bool {
	switch v.Kind {
	case Bool, Int, String, Dict:
		return true
	case Float, Point, Size, Rect, Range:
		for _, n := range v.Num {
			if math.IsNaN(n) || math.IsInf(n, 0) {
				return false
			}
		}
		return true
	case List:
		// A list of elements, such as the children, is none of anything.
		return len(v.List) == 0 || slices.ContainsFunc(v.List, hasForm)
	}
	return false
}

func appendValue(dst []byte, v Value) []byte {
	pair := func(a, b string) []byte {
		return protocol.NewObject(dst).Float(a, v.Num[0]).Float(b, v.Num[1]).Bytes()
	}
	switch v.Kind {
	case String:
		return protocol.AppendString(dst, v.Str)
	case Point:
		return pair("x", "y")
	case Size:
		return pair("width", "height")
	case Range:
		return pair("location", "length")
	case Rect:
		return protocol.NewObject(dst).Float("x", v.Num[0]).Float("y", v.Num[1]).Float("width", v.Num[2]).Float("height", v.Num[3]).Bytes()
	case Dict:
		o := protocol.NewObject(dst)
		for i, k := range v.Keys {
			if slices.Index(v.Keys, k) == i {
				AppendAttribute(o, k, v.List[i])
			}
		}
		return o.Bytes()
	case List:
		dst = append(dst, '[')
		first := true
		for _, e := range v.List {
			if !hasForm(e) {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendValue(dst, e)
		}
		return append(dst, ']')
	}
	// The builder has the forms of numbers; the key around them goes again.
	const key = `{"":`
	at := len(dst)
	o := protocol.NewObject(dst)
	AppendAttribute(o, "", v)
	dst = o.Bytes()
	return append(dst[:at], dst[at+len(key):len(dst)-1]...)
}

// ParseValue reads what an attribute is to be set to: a string, a number or a
// boolean.
func ParseValue(raw []byte) (Value, error) {
	o, err := protocol.ParseObject(slices.Concat([]byte(`{"v":`), raw, []byte("}")))
	if err != nil {
		return Value{}, errors.New("is no JSON value")
	}
	var v Value
	switch text := string(o.Raw("v")); {
	case text == "":
		return Value{}, errors.New("is null")
	case text[0] == '"':
		v = Value{Kind: String, Str: o.String("v")}
	case text == "true":
		v = Value{Kind: Bool, Int: 1}
	case text == "false":
		v = Value{Kind: Bool}
	case text[0] == '{' || text[0] == '[':
		return Value{}, errors.New("is neither a string, a number nor a boolean")
	default:
		n := o.Float("v")
		v = Value{Kind: Float, Num: [4]float64{n}}
		// Beyond this a float does not hold every whole number.
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			v = Value{Kind: Int, Int: int64(n)}
		}
	}
	return v, o.Done()
}
