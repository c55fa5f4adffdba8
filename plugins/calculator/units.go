package calculator

import (
	"math/big"
	"strconv"
	"strings"
)

// unit is one unit as somebody wrote it.
type unit struct {
	dimension string
	symbol    string
	factor    *big.Rat // to the dimension's first unit
	zero      *big.Rat // of a temperature: what its zero is above absolute zero
	inexact   bool
	distance  int // from how the table writes it: 0 exactly so
}

// convert is the value in the other unit of the same dimension.
func (u unit) convert(v value, to unit) (value, error) {
	r := new(big.Rat).Set(v.rat)
	if u.zero != nil {
		r.Add(r, u.zero)
	}
	r.Mul(r, u.factor)
	if u.dimension != to.dimension { // litres a distance are the inverse of a distance a litre
		if r.Sign() == 0 {
			return value{}, errDomain
		}
		r.Inv(r)
	}
	r.Quo(r, to.factor)
	if to.zero != nil {
		r.Sub(r, to.zero)
	}
	return bounded(r, v.inexact || u.inexact || to.inexact)
}

func (u unit) convertible(to unit) bool {
	return u.dimension == to.dimension ||
		u.dimension == economy && to.dimension == consumption || u.dimension == consumption && to.dimension == economy
}

// Dimensions that are derived from others, or convert into another.
const (
	length, area, volume = "length", "area", "volume"
	duration, speed      = "time", "speed"
	data, dataRate       = "data", "data rate"
	economy, consumption = "economy", "consumption"
	energy, energyRate   = "energy", "power"
)

// How a name differs from the table's, the likelier meaning first.
const (
	same = iota
	prefixed
	named
	folded
	foldedPrefixed
)

// maxUnit is the longest name of a unit that is looked up, in bytes.
const maxUnit = 28

// findUnits returns what a text may mean as a unit.
func findUnits(text string) []unit {
	if text == "" || len(text) > maxUnit {
		return nil
	}
	text = strings.ReplaceAll(text, "μ", "µ") // Greek letter to micro sign
	units := scanUnits(text)
	if len(units) == 0 {
		units = derived(text)
	}
	return units
}

func scanUnits(text string) (found []unit) {
	lower := strings.ToLower(text)
	dimension := ""
	for rest := unitTable[1:]; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if name, ok := strings.CutPrefix(line, "="); ok {
			dimension = name
			continue
		}
		factor, names, _ := strings.Cut(line, " ")
		var best scale
		prefix, distance, first := "", -1, ""
		for names != "" {
			var token string
			token, names, _ = strings.Cut(names, ",")
			token, flag := splitFlag(token)
			if first == "" {
				first = token
			}
			if p, symbol, d := match(text, lower, token, flag); d >= 0 && (distance < 0 || d < distance) {
				best, prefix, distance = p, symbol, d
			}
		}
		if distance >= 0 {
			u := parseUnit(dimension, factor)
			u.symbol, u.distance = prefix+first, distance
			u.factor.Mul(u.factor, best.rat())
			found = append(found, u)
		}
	}
	return found
}

func splitFlag(token string) (string, byte) {
	if last := len(token) - 1; last > 0 && strings.IndexByte("*~%&", token[last]) >= 0 {
		return token[:last], token[last]
	}
	return token, 0
}

// match compares a text to one name of the table. The distance is -1 where it
// is another.
func match(text, lower, token string, flag byte) (p scale, symbol string, distance int) {
	if text == token {
		return p, "", same
	}
	if flag == '~' || flag == '&' || flag == 0 && len(token) > 2 && strings.ToLower(token) == token {
		return matchName(lower, token, flag)
	}
	at := len(text) - len(token)
	if at < 0 || at > 0 && flag == 0 || !strings.EqualFold(text[at:], token) {
		return p, "", -1
	}
	exact := text[at:] == token
	if at == 0 {
		return p, "", folded
	}
	if exact {
		if p, symbol, ok := findPrefix(text[:at], token, flag, false); ok {
			return p, symbol, prefixed
		}
	}
	if token != "b" {
		if p, symbol, ok := findPrefix(text[:at], token, flag, true); ok {
			return p, symbol, foldedPrefixed
		}
	}
	return p, "", -1
}

func matchName(lower, token string, flag byte) (p scale, symbol string, distance int) {
	at := strings.LastIndex(lower, token)
	if at < 0 || at > 0 && flag == 0 {
		return p, "", -1
	}
	if end := lower[at+len(token):]; end != "" && end != "s" && end != "es" {
		return p, "", -1
	}
	if at == 0 {
		return p, "", named
	}
	prefixes, symbols := prefixNames, prefixSymbols
	if flag == '&' {
		prefixes, symbols = dataNames, dataSymbols
	}
	head := strings.TrimRight(lower[:at], "- ")
	for prefixes != "" {
		var name, symbol string
		name, prefixes, _ = strings.Cut(prefixes, " ")
		symbol, symbols, _ = strings.Cut(symbols, " ")
		if symbol == "u-6" { // micro is the one that has two
			symbol, symbols, _ = strings.Cut(symbols, " ")
		}
		if name, p := splitPrefix(name); name == head {
			symbol, _ = splitPrefix(symbol)
			return p, symbol, named
		}
	}
	if flag == '&' { // kbits: a prefix's symbol before a name
		if p, symbol, ok := findPrefix(lower[:at], token, flag, true); ok {
			return p, symbol, named
		}
	}
	return p, "", -1
}

// findPrefix reads a symbol's prefix, in any case when fold is set.
func findPrefix(head, token string, flag byte, fold bool) (scale, string, bool) {
	prefixes := prefixSymbols
	if flag == '%' || flag == '&' {
		prefixes = dataSymbols
	}
	switch {
	case head == "K" && prefixes == dataSymbols:
		head = "k"
	case token == "b" && 'a' <= head[0] && head[0] <= 'z':
		return scale{}, "", false
	case fold && (head == "m" || head == "M"):
		if head = "M"; strings.Contains("m g l s", strings.ToLower(token)) {
			head = "m"
		}
	}
	for prefixes != "" {
		var entry string
		entry, prefixes, _ = strings.Cut(prefixes, " ")
		symbol, p := splitPrefix(entry)
		if symbol != head && !(fold && head != "m" && strings.EqualFold(symbol, head)) {
			continue
		}
		if symbol == "u" {
			symbol = "µ"
		}
		return p, symbol, true
	}
	return scale{}, "", false
}

// scale is what a prefix stands for; the zero value is one.
type scale struct{ base, exponent int }

func (s scale) rat() *big.Rat {
	n := big.NewInt(int64(max(s.exponent, -s.exponent)))
	r := new(big.Rat).SetInt(n.Exp(big.NewInt(int64(s.base)), n, nil))
	if s.exponent < 0 {
		r.Inv(r)
	}
	return r
}

// splitPrefix reads one prefix of a list. The powers of two are those in tens,
// which none of ten's is.
func splitPrefix(entry string) (string, scale) {
	at := strings.IndexAny(entry, "-0123456789")
	n, _ := strconv.Atoi(entry[at:])
	if n%10 == 0 {
		return entry[:at], scale{2, n}
	}
	return entry[:at], scale{10, n}
}

func parseUnit(dimension, factor string) unit {
	u := unit{dimension: dimension}
	factor, u.inexact = strings.CutPrefix(factor, "≈")
	factor, zero, hasZero := strings.Cut(factor, "+")
	if hasZero {
		u.zero, _ = new(big.Rat).SetString(zero)
	}
	over, under, quotient := strings.Cut(factor, "/")
	u.factor, _ = new(big.Rat).SetString(over)
	if quotient {
		d, _ := new(big.Rat).SetString(under)
		u.factor.Quo(u.factor, d)
	}
	return u
}

// derived reads squares, cubes, and quotients with a time or a volume.
func derived(text string) []unit {
	for _, p := range [...]struct {
		text      string
		dimension string
		n         int
	}{
		{"sq ", area, 2}, {"square ", area, 2}, {"cu ", volume, 3}, {"cubic ", volume, 3},
		{"²", area, 2}, {"^2", area, 2}, {"2", area, 2}, {"³", volume, 3}, {"^3", volume, 3}, {"3", volume, 3},
	} {
		base, before := strings.CutPrefix(text, p.text)
		if !before {
			var after bool
			if base, after = strings.CutSuffix(text, p.text); !after {
				continue
			}
		}
		return powers(scanUnits(strings.TrimSpace(base)), p.dimension, p.n)
	}
	over, under, ok := strings.Cut(text, "/")
	if !ok {
		over, under, ok = strings.Cut(text, " per ")
	}
	if !ok { // Mbps, and mbps, where b is always a bit
		if head, found := strings.CutSuffix(strings.ToLower(text), "ps"); found {
			over, under, ok = text[:len(head)], "s", true
			if strings.HasSuffix(over, "b") {
				over = over[:len(over)-1] + "bit"
			}
		}
	}
	if !ok {
		return nil
	}
	return quotients(scanUnits(strings.TrimSpace(over)), scanUnits(strings.TrimSpace(under)))
}

func powers(units []unit, dimension string, n int) (out []unit) {
	for _, u := range units {
		if u.dimension == length {
			once := new(big.Rat).Set(u.factor)
			for range n - 1 {
				u.factor.Mul(u.factor, once)
			}
			u.dimension = dimension
			u.symbol += [...]string{2: "²", 3: "³"}[n]
			out = append(out, u)
		}
	}
	return out
}

func quotients(over, under []unit) (out []unit) {
	for _, a := range over {
		for _, b := range under {
			d := ""
			switch {
			case a.dimension == length && b.dimension == duration:
				d = speed
			case a.dimension == length && b.dimension == volume:
				d = economy
			case a.dimension == volume && b.dimension == length:
				d = consumption
			case a.dimension == data && b.dimension == duration:
				d = dataRate
			case a.dimension == energy && b.dimension == duration:
				d = energyRate
			default:
				continue
			}
			out = append(out, unit{
				dimension: d,
				symbol:    a.symbol + "/" + b.symbol,
				factor:    new(big.Rat).Quo(a.factor, b.factor),
				inexact:   a.inexact || b.inexact,
				distance:  a.distance + b.distance,
			})
		}
	}
	return out
}
