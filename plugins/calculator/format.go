package calculator

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	// digits are the significant digits of a result that does not end:
	// 36.6666666667.
	digits = 12
	// exactDigits are those of one that does, which is shown whole up to here.
	exactDigits = 30
	// maxWhole is the longest whole number that is written out.
	maxWhole = 40
	// maxSize and minSize are the magnitudes within which fractions are written
	// without an exponent.
	maxSize, minSize = 15, -9
)

// format writes the value as people do, the shortest way that is still true to
// its digits. evaluate reads it back; an exact value of up to exactDigits digits
// comes back as it was.
func (v value) format(st style) string { return st.write(v.plain()) }

func (st style) write(point string) string {
	if st.comma {
		return strings.Replace(point, ".", ",", 1)
	}
	return point
}

func (v value) plain() string {
	r := v.rat
	if r.Sign() == 0 {
		return "0"
	}
	size := magnitude(r)
	if !v.inexact && r.IsInt() {
		if size <= maxWhole {
			return r.Num().String()
		}
		return scientific(r, size, digits)
	}
	places, ends := 0, false
	if !v.inexact {
		places, ends = decimals(r)
	}
	ends = ends && places+size <= exactDigits
	switch {
	case ends && size >= minSize:
		return r.FloatString(places)
	case ends:
		return scientific(r, size, exactDigits)
	case size > maxSize || size < minSize:
		return scientific(r, size, digits)
	}
	return trim(r.FloatString(max(digits-size, 0)))
}

// money writes the value with two decimals, or more where two would say little.
func (v value) money(st style, places int) string {
	if size := magnitude(v.rat); v.rat.Sign() != 0 && size < 0 {
		places = 3 - size
	}
	return st.write(v.rat.FloatString(places))
}

// magnitude is how many digits stand before the point: 1 for 9, 3 for 123, 0 for
// 0.5, -1 for 0.05.
func magnitude(r *big.Rat) int {
	if r.Sign() == 0 {
		return 0
	}
	// A binary exponent gives the decimal one within one, either way.
	m := exponent(r) * 30103 / 100000
	for !below(r, m) {
		m++
	}
	for below(r, m-1) {
		m--
	}
	return m
}

// below reports whether |r| < 10^m.
func below(r *big.Rat, m int) bool {
	ten := pow10(max(m, -m))
	if m < 0 {
		return ten.Mul(ten, r.Num()).CmpAbs(r.Denom()) < 0
	}
	return r.Num().CmpAbs(ten.Mul(ten, r.Denom())) < 0
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// decimals is how many decimals the value has, if they end: if its denominator
// is made of twos and fives.
func decimals(r *big.Rat) (int, bool) {
	twos := r.Denom().TrailingZeroBits()
	rest := new(big.Int).Rsh(r.Denom(), twos)
	fives := int(float64(rest.BitLen()-1)/2.321928094887362 + 0.5) // log2(5)
	for n := max(fives-1, 0); n <= fives+1; n++ {
		if new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(n)), nil).Cmp(rest) == 0 {
			return max(int(twos), n), true
		}
	}
	return 0, false
}

// scientific writes n significant digits and a power of ten.
func scientific(r *big.Rat, size, n int) string {
	shift := n - size
	ten := new(big.Rat).SetInt(pow10(max(shift, -shift)))
	if shift < 0 {
		ten.Inv(ten)
	}
	text := nearest(ten.Mul(ten, new(big.Rat).Abs(r))).Num().String()
	if len(text) > n { // 9.99… was rounded up
		size++
	}
	sign := ""
	if r.Sign() < 0 {
		sign = "-"
	}
	return sign + trim(text[:1]+"."+text[1:]) + "e" + strconv.Itoa(size-1)
}

func trim(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	if s = strings.TrimSuffix(strings.TrimRight(s, "0"), "."); s == "-0" {
		return "0"
	}
	return s
}
