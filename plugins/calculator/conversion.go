package calculator

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flash-launcher/flash/protocol"
)

// maxConversions bounds how many of an input's "in"s and "to"s are tried.
const maxConversions = 4

// convert answers `<sum> <unit> in <unit>`, for units, currencies and number bases.
func (p *plugin) convert(text string) (protocol.Answer, bool) {
	end := len(text)
	for range maxConversions {
		left, right, at := splitConversion(text, end)
		if at < 0 {
			break
		}
		if result, ok := convertUnits(left, right, p.style); ok {
			return shown(result, text), true
		}
		if result, ok := convertBase(left, right, p.style); ok {
			return shown(result, text), true
		}
		if result, date, ok := p.exchange(left, right); ok {
			return shown(result, text+" · ECB "+date), true
		}
		end = at
	}
	if end == len(text) && strings.ContainsAny(text, "0123456789") { // "100 usd" is most of "100 usd in eur"
		if _, _, ok := p.money(text); ok {
			p.rates.ask()
		}
	}
	return protocol.Answer{}, false
}

// splitConversion parts a text at the last word before end that asks for a
// conversion; 10 in in cm has one, and so has cm in in.
func splitConversion(text string, end int) (left, right string, at int) {
	for at := end - 1; at >= 0; at-- {
		for _, word := range [...]string{" in ", " to ", " as ", " into ", "->", "→", "=>"} {
			if len(text)-at > len(word) && strings.EqualFold(text[at:at+len(word)], word) {
				return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(word):]), at
			}
		}
	}
	return "", "", -1
}

// splitAmount parts `<sum> <name>` at the longest name that is known.
func splitAmount[T any](text string, known func(string) (T, bool)) (amount string, found T, ok bool) {
	for at := max(0, len(text)-maxUnit); at < len(text); at++ {
		if !utf8.RuneStart(text[at]) || text[at] == ' ' || digit(text[at]) {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); at > 0 && unicode.IsLetter(before) {
			continue
		}
		if found, ok = known(text[at:]); ok {
			return strings.TrimSpace(text[:at]), found, true
		}
	}
	return "", found, false
}

// amountOf computes what stands before a unit; nothing is one of it.
func amountOf(text string, st style) (value, bool) {
	if text == "" {
		return whole(1), true
	}
	v, err := evaluate(text, st)
	return v, err == nil
}

func unitsOf(text string) ([]unit, bool) {
	units := findUnits(text)
	return units, len(units) > 0
}

func convertUnits(left, right string, st style) (string, bool) {
	targets := findUnits(right)
	if len(targets) == 0 {
		return "", false
	}
	if strings.ContainsRune(left, '\'') && digit(left[len(left)-1]) {
		left += `"` // 5'11
	}
	amount, sources, ok := splitAmount(left, unitsOf)
	if !ok {
		return "", false
	}
	from, to, ok := closest(sources, targets)
	if !ok {
		return "", false
	}
	v, ok := amountOf(amount, st)
	if !ok {
		if v, ok = compound(amount, from, st, 2); !ok {
			return "", false
		}
	}
	out, err := from.convert(v, to)
	if err != nil {
		return "", false
	}
	return out.format(st) + " " + to.symbol, true
}

// closest picks the meanings of two names that go together.
func closest(sources, targets []unit) (from, to unit, ok bool) {
	best := 0
	for _, a := range sources {
		for _, b := range targets {
			if d := a.distance + b.distance; a.convertible(b) && (!ok || d < best) {
				from, to, best, ok = a, b, d, true
			}
		}
	}
	return from, to, ok
}

// maxCompound is how many parts an amount such as 1 h 30 min 15 s may have.
const maxCompound = 4

// compound reads the amount of the last of several units, `5 ft 11` before in,
// and returns all of it in that unit.
func compound(text string, last unit, st style, parts int) (value, bool) {
	at := len(text)
	for at > 0 && (digit(text[at-1]) || text[at-1] == '.' || text[at-1] == ',') {
		at--
	}
	if parts > maxCompound || at == len(text) || last.zero != nil {
		return value{}, false
	}
	v, err := evaluate(text[at:], st)
	if err != nil {
		return value{}, false
	}
	amount, units, ok := splitAmount(strings.TrimSpace(text[:at]), unitsOf)
	if !ok || amount == "" {
		return value{}, false
	}
	larger, _, ok := closest(units, []unit{last})
	if !ok || larger.dimension != last.dimension || larger.factor.Cmp(last.factor) <= 0 {
		return value{}, false
	}
	head, err := evaluate(amount, st)
	if err != nil {
		if head, ok = compound(amount, larger, st, parts+1); !ok {
			return value{}, false
		}
	}
	head, err = larger.convert(head, last)
	if err != nil {
		return value{}, false
	}
	v, err = add(head, v, false)
	return v, err == nil
}

// convertBase answers `255 in hex`, for whole numbers.
func convertBase(left, right string, st style) (string, bool) {
	base, prefix := 0, ""
	switch strings.ToLower(right) {
	case "hex", "hexadecimal":
		base, prefix = 16, "0x"
	case "bin", "binary":
		base, prefix = 2, "0b"
	case "oct", "octal":
		base, prefix = 8, "0o"
	case "dec", "decimal":
		base = 10
	default:
		return "", false
	}
	v, err := evaluate(left, st)
	if err != nil || v.inexact || !v.rat.IsInt() || v.rat.Num().BitLen() > 256 {
		return "", false
	}
	sign := ""
	if v.rat.Sign() < 0 {
		sign = "-"
	}
	return sign + prefix + new(big.Int).Abs(v.rat.Num()).Text(base), true
}
