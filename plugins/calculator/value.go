package calculator

import (
	"math"
	"math/big"
)

// value is a number. A percentage keeps its mark until something uses it,
// because 100+12% and 12% alone mean different things.
type value struct {
	rat     *big.Rat
	isShare bool // written with a percent sign; rat is the share itself, 12% is 0.12
	inexact bool // rounded somewhere on the way
}

func whole(n int64) value { return value{rat: big.NewRat(n, 1)} }

const (
	// maxBits bounds numerator and denominator, and with them the numbers
	// that there are: up to some 1e4932.
	maxBits = 1 << 14
	// precision is what is kept of a fraction that outgrows maxBits.
	precision = 256
)

func (v value) settled() value {
	v.isShare = false
	return v
}

// bounded is a result, rounded if there is more of it than is worth to keep.
func bounded(r *big.Rat, inexact bool) (value, error) {
	if r.Num().BitLen() <= maxBits && r.Denom().BitLen() <= maxBits {
		return value{rat: r, inexact: inexact}, nil
	}
	return rounded(new(big.Float).SetPrec(precision).SetRat(r))
}

func rounded(f *big.Float) (value, error) {
	if e := f.MantExp(nil); f.IsInf() || f.Sign() == 0 || e > maxBits || e < precision-maxBits {
		return value{}, errSize
	}
	r, _ := f.Rat(nil)
	return value{rat: r, inexact: true}, nil
}

func percent(v value) (value, error) {
	w, err := bounded(new(big.Rat).Quo(v.rat, big.NewRat(100, 1)), v.inexact)
	w.isShare = true
	return w, err
}

// noise is how much smaller than its terms a difference of rounded numbers is
// when nothing is left but their rounding: 2^-50.
const noise = 50

func add(a, b value, minus bool) (value, error) {
	term := b.rat
	if b.isShare && !a.isShare {
		term = new(big.Rat).Mul(a.rat, b.rat)
	}
	if minus {
		term = new(big.Rat).Neg(term)
	}
	sum := new(big.Rat).Add(a.rat, term)
	inexact := a.inexact || b.inexact
	if inexact && sum.Sign() != 0 && exponent(a.rat)-exponent(sum) > noise {
		return value{rat: new(big.Rat), inexact: true}, nil
	}
	v, err := bounded(sum, inexact)
	v.isShare = a.isShare && b.isShare // 50% + 10% is 60%
	return v, err
}

// exponent is the binary one, within one.
func exponent(r *big.Rat) int { return r.Num().BitLen() - r.Denom().BitLen() }

func multiply(a, b value, op string) (value, error) {
	inexact := a.inexact || b.inexact
	switch op {
	case "/":
		if b.rat.Sign() == 0 {
			return value{}, errDomain
		}
		return bounded(new(big.Rat).Quo(a.rat, b.rat), inexact)
	case "mod":
		if b.rat.Sign() == 0 {
			return value{}, errDomain
		}
		q := new(big.Rat).SetInt(floor(new(big.Rat).Quo(a.rat, b.rat)))
		return bounded(q.Sub(a.rat, q.Mul(q, b.rat)), inexact)
	case "of", "off", "on":
		if !a.isShare {
			return value{}, errSyntax // 3 of 5 is no sum
		}
		share := a.rat
		switch op {
		case "off":
			share = new(big.Rat).Sub(big.NewRat(1, 1), share)
		case "on":
			share = new(big.Rat).Add(big.NewRat(1, 1), share)
		}
		return bounded(new(big.Rat).Mul(share, b.rat), inexact)
	}
	return bounded(new(big.Rat).Mul(a.rat, b.rat), inexact)
}

// power is exact for whole exponents, as far as the result fits, and for square
// roots of squares.
func power(a, b value) (value, error) {
	inexact := a.inexact || b.inexact
	switch {
	case !b.rat.IsInt():
		if b.rat.Cmp(big.NewRat(1, 2)) == 0 {
			return sqrt(a)
		}
		if a.rat.Sign() == 0 && b.rat.Sign() > 0 {
			return a, nil
		}
		return nonzero(approximate(math.Pow(a.float(), b.float())))
	case b.rat.Sign() == 0:
		return value{rat: big.NewRat(1, 1), inexact: inexact}, nil
	case a.rat.Sign() == 0:
		if b.rat.Sign() < 0 {
			return value{}, errDomain
		}
		return a, nil
	case a.rat.IsInt() && a.rat.Num().BitLen() == 1: // 1 and -1
		r := a.rat
		if b.rat.Num().Bit(0) == 0 {
			r = new(big.Rat).Abs(r)
		}
		return value{rat: r, inexact: inexact}, nil
	}
	n := b.rat.Num()
	if !n.IsInt64() {
		return value{}, errSize
	}
	// 2^n has n bits besides its first: what is sure to be too long is not computed.
	bits := int64(max(a.rat.Num().BitLen(), a.rat.Denom().BitLen()) - 1)
	if e := new(big.Int).Abs(n); e.CmpAbs(big.NewInt(maxBits/bits)) <= 0 {
		num, den := new(big.Int).Exp(a.rat.Num(), e, nil), new(big.Int).Exp(a.rat.Denom(), e, nil)
		if n.Sign() < 0 {
			num, den = den, num
		}
		return bounded(new(big.Rat).SetFrac(num, den), inexact)
	}
	return roundedPower(a.rat, n.Int64())
}

// roundedPower keeps the leading digits of each product.
func roundedPower(a *big.Rat, n int64) (value, error) {
	square := new(big.Float).SetPrec(precision).SetRat(a)
	if n < 0 {
		square.Quo(new(big.Float).SetPrec(precision).SetInt64(1), square)
	}
	out := new(big.Float).SetPrec(precision).SetInt64(1)
	for left := uint64(max(n, -n)); left > 0; left >>= 1 { // right for the smallest n too, whose -n is itself
		if left&1 == 1 {
			out.Mul(out, square)
		}
		if square.IsInf() || square.Sign() == 0 {
			return value{}, errSize
		}
		square.Mul(square, square)
	}
	return rounded(out)
}

// maxFactorial keeps factorials within maxBits.
const maxFactorial = 1700

func factorial(v value) (value, error) {
	if !v.rat.IsInt() || v.rat.Sign() < 0 {
		return value{}, errDomain
	}
	if v.rat.Cmp(big.NewRat(maxFactorial, 1)) > 0 {
		return value{}, errSize
	}
	return bounded(new(big.Rat).SetInt(new(big.Int).MulRange(1, v.rat.Num().Int64())), v.inexact)
}

func (v value) float() float64 {
	f, _ := v.rat.Float64()
	return f
}

// approximate takes a result of floating point. It has 53 bits, some of which
// are noise, so it is printed with fewer digits than an exact one.
func approximate(f float64) (value, error) {
	if math.IsNaN(f) {
		return value{}, errDomain
	}
	if math.IsInf(f, 0) {
		return value{}, errSize
	}
	return value{rat: new(big.Rat).SetFloat64(f), inexact: true}, nil
}

// nonzero refuses a zero that is only the end of floating point's range.
func nonzero(v value, err error) (value, error) {
	if err == nil && v.rat.Sign() == 0 {
		return value{}, errSize
	}
	return v, err
}

func floor(r *big.Rat) *big.Int {
	q, _ := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	return q
}
