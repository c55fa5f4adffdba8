package calculator

import (
	"math"
	"math/big"
)

// arity is how many arguments a function takes; none is not a function.
func arity(name string) (least, most int) {
	switch name {
	case "sqrt", "cbrt", "abs", "floor", "ceil", "sin", "cos", "tan", "asin", "acos", "atan",
		"sinh", "cosh", "tanh", "exp", "ln", "log", "log10", "log2":
		return 1, 1
	case "round":
		return 1, 2
	case "min", "max":
		return 1, maxInput
	}
	return 0, 0
}

func isFunction(name string) bool {
	_, most := arity(name)
	return most > 0
}

// apply computes a function whose arity was checked.
func apply(name string, args []value) (value, error) {
	a := args[0]
	switch name {
	case "sqrt":
		return sqrt(a)
	case "cbrt":
		return approximate(math.Cbrt(a.float()))
	case "abs":
		return value{rat: new(big.Rat).Abs(a.rat), inexact: a.inexact}, nil
	case "floor":
		return value{rat: new(big.Rat).SetInt(floor(snapped(a)))}, nil
	case "ceil":
		up := floor(new(big.Rat).Neg(snapped(a)))
		return value{rat: new(big.Rat).SetInt(up.Neg(up))}, nil
	case "round":
		return round(args)
	case "min":
		return extreme(args, -1), nil
	case "max":
		return extreme(args, 1), nil
	case "sin":
		return circular(a, math.Sin)
	case "cos":
		return circular(a, math.Cos)
	case "tan":
		return circular(a, math.Tan)
	case "asin":
		return approximate(math.Asin(a.float()))
	case "acos":
		return approximate(math.Acos(a.float()))
	case "atan":
		return approximate(math.Atan(a.float()))
	case "sinh":
		return approximate(math.Sinh(a.float()))
	case "cosh":
		return approximate(math.Cosh(a.float()))
	case "tanh":
		return approximate(math.Tanh(a.float()))
	case "exp":
		return nonzero(approximate(math.Exp(a.float())))
	case "ln":
		return logarithm(a, math.Log, math.Ln2)
	case "log", "log10":
		return logarithm(a, math.Log10, math.Ln2/math.Ln10)
	case "log2":
		return logarithm(a, math.Log2, 1)
	}
	return value{}, errSyntax
}

// sqrt is exact where the root is.
func sqrt(a value) (value, error) {
	r := a.rat
	if r.Sign() < 0 {
		return value{}, errDomain
	}
	root := new(big.Rat).SetFrac(new(big.Int).Sqrt(r.Num()), new(big.Int).Sqrt(r.Denom()))
	if new(big.Rat).Mul(root, root).Cmp(r) == 0 {
		return value{rat: root, inexact: a.inexact}, nil
	}
	f := new(big.Float).SetPrec(precision).SetRat(r)
	return rounded(f.Sqrt(f))
}

// logarithm works beyond the range of floating point: the binary exponent counts
// for two's logarithm each.
func logarithm(a value, fn func(float64) float64, ofTwo float64) (value, error) {
	if a.rat.Sign() <= 0 {
		return value{}, errDomain
	}
	if f := a.float(); f > 0 && !math.IsInf(f, 0) {
		return approximate(fn(f))
	}
	f := new(big.Float).SetPrec(precision).SetRat(a.rat)
	e := f.MantExp(f)
	m, _ := f.Float64()
	return approximate(fn(m) + float64(e)*ofTwo)
}

// circular cleans the functions of an angle: pi has no exact value, so sin(pi)
// is some 1e-16 and tan(pi/2) some 1e16. Angles beyond 2^53 have no fraction
// left to be an angle.
func circular(a value, fn func(float64) float64) (value, error) {
	x := a.float()
	y := fn(x)
	if math.Abs(x) > 1<<53 || math.Abs(y) > 1e15 {
		return value{}, errDomain
	}
	if math.Abs(y) < 1e-15 && math.Abs(x) > 1e-3 {
		y = 0
	}
	return approximate(y)
}

func degrees(v value) (value, error) {
	turn := constant("pi").rat
	turn.Quo(turn, big.NewRat(180, 1))
	return bounded(turn.Mul(turn, v.rat), true)
}

// snapped is the whole number that a rounded value is next to, if it is next to
// one: floor(sqrt(2)^2) is 2.
func snapped(v value) *big.Rat {
	if !v.inexact {
		return v.rat
	}
	near := nearest(v.rat)
	off := new(big.Rat).Sub(v.rat, near)
	if off.Sign() == 0 || exponent(near)-exponent(off) > noise-2 {
		return near
	}
	return v.rat
}

// nearest is the nearest whole number, halves away from zero.
func nearest(r *big.Rat) *big.Rat {
	x := new(big.Rat).Abs(r)
	out := new(big.Rat).SetInt(floor(x.Add(x, big.NewRat(1, 2))))
	if r.Sign() < 0 {
		out.Neg(out)
	}
	return out
}

// maxPlaces bounds round's second argument.
const maxPlaces = 100

// round rounds to whole numbers or to the given decimals.
func round(a []value) (value, error) {
	places := int64(0)
	if len(a) == 2 {
		if !a[1].rat.IsInt() || !a[1].rat.Num().IsInt64() {
			return value{}, errDomain
		}
		if places = a[1].rat.Num().Int64(); places < -maxPlaces || places > maxPlaces {
			return value{}, errSize
		}
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(places, -places)), nil))
	if places < 0 {
		scale.Inv(scale)
	}
	out := nearest(new(big.Rat).Mul(a[0].rat, scale))
	return bounded(out.Quo(out, scale), false)
}

func extreme(args []value, sign int) value {
	best := args[0]
	for _, v := range args[1:] {
		if v.rat.Cmp(best.rat) == sign {
			best = v
		}
	}
	return best
}

// The constants, to more digits than are ever shown.
const (
	piText  = "3.14159265358979323846264338327950288419716939937510"
	tauText = "6.28318530717958647692528676655900576839433879875021"
	eText   = "2.71828182845904523536028747135266249775724709369996"
	phiText = "1.61803398874989484820458683436563811772030917980576"
)

func isConstant(name string) bool { return constantText(name) != "" }

func constantText(name string) string {
	switch name {
	case "pi", "π":
		return piText
	case "tau", "τ":
		return tauText
	case "e":
		return eText
	case "phi", "φ":
		return phiText
	}
	return ""
}

func constant(name string) value {
	r, _ := new(big.Rat).SetString(constantText(name))
	return value{rat: r, inexact: true}
}
