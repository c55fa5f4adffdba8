package mac

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// encode writes values as the C side does.
func encode(values ...Value) []byte {
	var out []byte
	text := func(s string) {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(s)))
		out = append(out, s...)
	}
	float := func(n float64) { out = binary.LittleEndian.AppendUint64(out, math.Float64bits(n)) }
	for _, v := range values {
		out = append(out, byte(v.Kind))
		switch v.Kind {
		case Failed:
			out = binary.LittleEndian.AppendUint32(out, uint32(v.Status))
		case Bool, Int:
			out = binary.LittleEndian.AppendUint64(out, uint64(v.Int))
		case Float:
			float(v.Num[0])
		case String:
			text(v.Str)
		case Point, Size, Range:
			float(v.Num[0])
			float(v.Num[1])
		case Rect:
			for _, n := range v.Num {
				float(n)
			}
		case Element:
			out = binary.LittleEndian.AppendUint64(out, uint64(v.Ref))
		case List, Dict:
			out = binary.LittleEndian.AppendUint32(out, uint32(len(v.List)))
			for i, e := range v.List {
				if v.Kind == Dict {
					text(v.Keys[i])
				}
				out = append(out, encode(e)...)
			}
		}
	}
	return out
}

func examples() []Value {
	return []Value{
		{}, {Kind: Failed, Status: NoValue}, {Kind: Bool, Int: 1}, {Kind: Int, Int: -3}, {Kind: Float, Num: [4]float64{0.5}},
		{Kind: String, Str: "Größe \U0001F600"}, {Kind: Point, Num: [4]float64{-1920, 12.5}}, {Kind: Size, Num: [4]float64{3, 4}},
		{Kind: Rect, Num: [4]float64{1, 2, 3, 4}}, {Kind: Range, Num: [4]float64{5, 6}}, {Kind: Element, Ref: 0x7f00},
		{Kind: List, List: []Value{{Kind: String, Str: "a"}, {Kind: Element, Ref: 9}, {Kind: List}}},
		{Kind: Dict, Keys: []string{"X", "Y"}, List: []Value{{Kind: Int, Int: 1}, {Kind: Element, Ref: 10}}},
	}
}

func TestWhatTheCSideWritesIsRead(t *testing.T) {
	got, err := Decode(encode(examples()...))
	require.NoError(t, err)
	assert.Equal(t, examples(), got)
	var refs []Ref
	Refs(got, func(r Ref) { refs = append(refs, r) })
	assert.Equal(t, []Ref{0x7f00, 9, 10}, refs)
	last := got[len(got)-1]
	assert.Equal(t, int64(1), last.Get("X").Int)
	assert.Equal(t, None, last.Get("Z").Kind)
}

func TestABrokenEncodingIsAnErrorAndItsElementsAreKnown(t *testing.T) {
	whole := encode(Value{Kind: Element, Ref: 3}, Value{Kind: String, Str: "abc"})
	got, err := Decode(whole[:len(whole)-1])
	require.ErrorIs(t, err, errEncoding)
	var refs []Ref
	Refs(got, func(r Ref) { refs = append(refs, r) })
	assert.Equal(t, []Ref{3}, refs)
	_, err = Decode([]byte{200})
	require.Error(t, err)
	deep := Value{Kind: List}
	for range maxDepth + 1 {
		deep = Value{Kind: List, List: []Value{deep}}
	}
	_, err = Decode(encode(deep))
	require.Error(t, err)
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(examples()...))
	f.Add([]byte{byte(List), 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := Decode(data)
		o := protocol.NewObject(nil)
		for i, v := range values {
			AppendAttribute(o, string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)), v)
		}
		out := o.Bytes()
		if err == nil && len(values) < 17576 {
			require.True(t, json.Valid(out), "%s", out)
		}
	})
}

func TestAttributesHaveTheFormsOfTheWire(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Value{Kind: Bool, Int: 1}, `{"k":true}`}, {Value{Kind: Int, Int: 7}, `{"k":7}`}, {Value{Kind: Float, Num: [4]float64{0.5}}, `{"k":0.5}`},
		{Value{Kind: String, Str: "a\"b"}, `{"k":"a\"b"}`}, {Value{Kind: Point, Num: [4]float64{1, -2}}, `{"k":{"x":1,"y":-2}}`},
		{Value{Kind: Size, Num: [4]float64{1, 2}}, `{"k":{"width":1,"height":2}}`}, {Value{Kind: Range, Num: [4]float64{1, 2}}, `{"k":{"location":1,"length":2}}`},
		{Value{Kind: Rect, Num: [4]float64{1, 2, 3, 4}}, `{"k":{"x":1,"y":2,"width":3,"height":4}}`},
		{Value{}, `{}`}, {Value{Kind: Failed, Status: NoValue}, `{}`}, {Value{Kind: Element, Ref: 1}, `{}`}, {Value{Kind: Float, Num: [4]float64{math.NaN()}}, `{}`},
		{Value{Kind: List}, `{"k":[]}`}, {Value{Kind: List, List: []Value{{Kind: Element, Ref: 1}}}, `{}`},
		{Value{Kind: List, List: []Value{{Kind: Int, Int: 1}, {Kind: Element}, {Kind: String, Str: "x"}, {Kind: Bool}}}, `{"k":[1,"x",false]}`},
		{Value{Kind: Dict, Keys: []string{"a", "a"}, List: []Value{{Kind: Int, Int: 1}, {Kind: Int, Int: 2}}}, `{"k":{"a":1}}`},
	} {
		o := protocol.NewObject(nil)
		AppendAttribute(o, "k", c.v)
		assert.Equal(t, c.want, string(o.Bytes()))
	}
}

func TestWhatIsSetIsAStringANumberOrABoolean(t *testing.T) {
	for raw, want := range map[string]Value{
		`"a"`: {Kind: String, Str: "a"}, `true`: {Kind: Bool, Int: 1}, `false`: {Kind: Bool}, `7`: {Kind: Int, Int: 7},
		`-0.5`: {Kind: Float, Num: [4]float64{-0.5}}, `1e300`: {Kind: Float, Num: [4]float64{1e300}},
	} {
		got, err := ParseValue([]byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, want, got, raw)
	}
	for _, raw := range []string{``, `null`, `{}`, `[1]`, `nope`, `1,"w":2`} {
		_, err := ParseValue([]byte(raw))
		assert.Error(t, err, raw)
	}
}

func TestFramesCountFromThePrimaryScreensBottomLeft(t *testing.T) {
	const primary = 900 // points high
	for _, c := range []struct {
		name       string
		x, y, w, h float64
		want       protocol.Frame
	}{
		{"in the primary's top left", 0, 0, 100, 50, protocol.Frame{X: 0, Y: 850, Width: 100, Height: 50}},
		{"the whole primary", 0, 0, 1440, 900, protocol.Frame{Width: 1440, Height: 900}},
		{"on a screen to the left", -1920, 100, 800, 600, protocol.Frame{X: -1920, Y: 200, Width: 800, Height: 600}},
		{"on a screen above", 200, -1080, 400, 300, protocol.Frame{X: 200, Y: 1680, Width: 400, Height: 300}},
		{"on a screen below", 0, 900, 1440, 900, protocol.Frame{Y: -900, Width: 1440, Height: 900}},
		{"across two screens", 1300, 850, 400, 100, protocol.Frame{X: 1300, Y: -50, Width: 400, Height: 100}},
	} {
		assert.Equal(t, c.want, FrameOf(primary, c.x, c.y, c.w, c.h), c.name)
	}
	assert.Nil(t, FrameOfValues(primary, Value{}, Value{Kind: Size, Num: [4]float64{1, 1}}))
	assert.Nil(t, FrameOfValues(primary, Value{Kind: Point}, Value{Kind: Size}), "of no size")
	assert.Equal(t, &protocol.Frame{X: 1, Y: 894, Width: 3, Height: 4}, FrameOfValues(primary, Value{Kind: Point, Num: [4]float64{1, 2}}, Value{Kind: Size, Num: [4]float64{3, 4}}))
}
