package calculator

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oracle makes sums at random, with their values by another way: nodes are
// computed as they are made, so that no parser is involved.
type oracle struct{ r *rand.Rand }

// A node's strength tells what it must be bracketed in.
const (
	ofSum = iota
	ofTerm
	ofSign
	ofPower
	ofAtom
)

type node struct {
	text     string
	strength int
	value    *big.Rat
}

func (n node) in(strength int) string {
	if n.strength < strength {
		return "(" + n.text + ")"
	}
	return n.text
}

func (o oracle) number() node {
	text := fmt.Sprint(o.r.IntN(2000))
	if o.r.IntN(2) == 0 {
		text += "." + fmt.Sprintf("%0*d", 1+o.r.IntN(5), o.r.IntN(10))
	}
	v, _ := new(big.Rat).SetString(text)
	return node{text, ofAtom, v}
}

func (o oracle) make(depth int) node {
	if depth == 0 {
		return o.number()
	}
	a, b := o.make(depth-1), o.make(o.r.IntN(depth))
	space := strings.Repeat(" ", o.r.IntN(2))
	switch o.r.IntN(8) {
	case 0, 1:
		return node{a.in(ofSum) + space + "+" + space + b.in(ofTerm), ofSum, new(big.Rat).Add(a.value, b.value)}
	case 2:
		return node{a.in(ofSum) + space + "-" + space + b.in(ofTerm), ofSum, new(big.Rat).Sub(a.value, b.value)}
	case 3, 4:
		return node{a.in(ofTerm) + space + "*" + space + b.in(ofSign), ofTerm, new(big.Rat).Mul(a.value, b.value)}
	case 5:
		if b.value.Sign() == 0 {
			return a
		}
		return node{a.in(ofTerm) + "/" + b.in(ofSign), ofTerm, new(big.Rat).Quo(a.value, b.value)}
	case 6:
		return node{"-" + a.in(ofSign), ofSign, new(big.Rat).Neg(a.value)}
	}
	n := o.r.IntN(4)
	if n == 0 && o.r.IntN(2) == 0 && a.value.Sign() != 0 {
		return node{a.in(ofAtom) + "^-1", ofPower, new(big.Rat).Inv(a.value)}
	}
	v := big.NewRat(1, 1)
	for range n {
		v.Mul(v, a.value)
	}
	return node{a.in(ofAtom) + "^" + fmt.Sprint(n), ofPower, v}
}

func TestRandomSumsAreWhatExactFractionsSay(t *testing.T) {
	compared := 0
	for seed := range uint64(3000) {
		o := oracle{rand.New(rand.NewPCG(seed, 1))}
		n := o.make(1 + int(seed%5))
		if len(n.text) > maxInput {
			continue
		}
		v, err := evaluate(n.text, point)
		if err != nil {
			require.NotEqual(t, errSyntax, err, n.text)
			require.NotEqual(t, errDomain, err, n.text)
			continue
		}
		if v.inexact { // it outgrew the bounds
			continue
		}
		compared++
		require.Zero(t, v.rat.Cmp(n.value), n.text)

		w, err := evaluate(strings.ReplaceAll(n.text, ".", ","), comma)
		require.NoError(t, err, n.text)
		require.Zero(t, w.rat.Cmp(v.rat), "in the comma style: "+n.text)

		for _, st := range []style{point, comma} {
			text := v.format(st)
			back, err := evaluate(text, st)
			require.NoError(t, err, text)
			if places, ends := decimals(v.rat); ends && places+magnitude(v.rat) <= exactDigits && (!v.rat.IsInt() || magnitude(v.rat) <= maxWhole) {
				require.Zero(t, back.rat.Cmp(v.rat), "%s is shown as %s", n.text, text)
				continue
			}
			off := new(big.Rat).Sub(back.rat, v.rat)
			limit := new(big.Rat).Mul(new(big.Rat).Abs(v.rat), big.NewRat(1, 100_000_000_000))
			require.LessOrEqual(t, off.Abs(off).Cmp(limit), 0, "%s is shown as %s", n.text, text)
		}
	}
	assert.Greater(t, compared, 2500)
}

func TestAMagnitudeIsTheDigitsBeforeThePoint(t *testing.T) {
	for n := -400; n <= 400; n++ {
		ten := new(big.Rat).SetInt(pow10(max(n, -n)))
		if n < 0 {
			ten.Inv(ten)
		}
		require.Equal(t, n+1, magnitude(ten), "10^%d", n)
		require.Equal(t, n+1, magnitude(new(big.Rat).Mul(ten, big.NewRat(-99999, 10000))), "9.9999 * 10^%d", n)
	}
}

func TestDecimalsEndWhereTheDenominatorIsTwosAndFives(t *testing.T) {
	for twos := range 40 {
		for fives := range 40 {
			d := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(fives)), nil)
			d.Lsh(d, uint(twos))
			n, ends := decimals(new(big.Rat).SetFrac(big.NewInt(1), d))
			require.True(t, ends)
			require.Equal(t, max(twos, fives), n)
			_, ends = decimals(new(big.Rat).SetFrac(big.NewInt(1), d.Mul(d, big.NewInt(7))))
			require.False(t, ends)
		}
	}
}

// FuzzAnswer holds every input to the bounds: no panic, an answer within the
// wire's limits, and no word over the work that one may cost.
func FuzzAnswer(f *testing.F) {
	for _, seed := range append(heavy(), "1+1", "=2^-2^2", "100+12% of 3", "5'11\" to cm", "3 GB in MiB", "$100 in €", "1.234,5*2", "max(1,2;3)", "\u202f1\u00a0000+1", "0x1f in bin", "sin(30°)²", "İ in K", "2+") {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, query string, inComma bool) {
		st := style{comma: inComma}
		p := calculatorIn(st)
		p.rates.table = table{date: "2026-11-30", lines: "USD 1.0921\nXTS 0.0000001\n"}
		a, ok := p.answer(query)
		if ok && (a.Title == "" || len(a.Title) > 256 || len(a.Subtitle) > 2*maxInput || a.Effect.Text != a.Title) {
			t.Fatalf("%q: %+v", query, a)
		}
		if len(query) > maxInput {
			return
		}
		w := newWork()
		tokens, err := lex(query, st, w)
		if err != nil {
			return
		}
		parser := parser{tokens: tokens, work: w}
		v, err := parser.sum()
		if err != nil {
			return
		}
		if v.rat.Num().BitLen() > maxBits || v.rat.Denom().BitLen() > maxBits {
			t.Fatalf("%q: unbounded", query)
		}
		text := v.format(st)
		if _, err := evaluate(text, st); err != nil && err != errWork && magnitude(v.rat) < maxExponent && magnitude(v.rat) > -maxExponent {
			t.Fatalf("%q is shown as %q, which is %v", query, text, err)
		}
	})
}

// FuzzNames looks names up that may be anything.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"km", "MB/s", "sq mi", "kilowatt hours", "mbps", "İm", "K", "us dollars", "²", "per", "/", "ps", "b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, u := range findUnits(text) {
			if u.factor == nil || u.factor.Sign() <= 0 || u.symbol == "" || u.dimension == "" {
				t.Fatalf("%q: %+v", text, u)
			}
		}
		if code, ok := currencyCode(text); ok && !isCode(code) {
			t.Fatalf("%q: %q", text, code)
		}
	})
}
