package calculator

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	errRates  sumError = "the rates are not in the format of the European Central Bank"
	errStatus sumError = "the European Central Bank answered with an error"
	errKept   sumError = "the kept rates are damaged"
)

// table is the rates of one day, each how much of a currency a euro is. They
// stay a text, `USD 1.0921` a line: it is read a few times a day at most.
type table struct {
	date  string // 2026-11-30
	lines string
}

// Bounds on what is taken for rates. The bank has had 29 to 41 of them, of up to
// ten characters.
const (
	maxRates    = 200
	maxRateText = 24
)

// add appends a rate that was checked.
func (t *table) add(code, rate string, count int) bool {
	if count > maxRates || !isCode(code) || !isRate(rate) || code == "EUR" {
		return false
	}
	if _, twice := t.rate(code); twice {
		return false
	}
	t.lines += code + " " + rate + "\n"
	return true
}

// rate is how much of a currency a euro is.
func (t table) rate(code string) (*big.Rat, bool) {
	if code == "EUR" {
		return big.NewRat(1, 1), t.lines != ""
	}
	for rest := t.lines; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if text, ok := strings.CutPrefix(line, code+" "); ok {
			return new(big.Rat).SetString(text)
		}
	}
	return nil, false
}

// keep writes the table for the storage.
func (t table) keep(fetched int64) string {
	return t.date + " " + strconv.FormatInt(fetched, 10) + "\n" + t.lines
}

// parseKept reads what keep wrote.
func parseKept(text string) (t table, fetched int64, err error) {
	head, rest, _ := strings.Cut(text, "\n")
	date, moment, _ := strings.Cut(head, " ")
	fetched, err = strconv.ParseInt(moment, 10, 64)
	if err != nil || fetched <= 0 || !isDay(date) {
		return table{}, 0, errKept
	}
	t.date = date
	for n := 1; rest != ""; n++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		code, rate, _ := strings.Cut(line, " ")
		if !t.add(code, rate, n) {
			return table{}, 0, errKept
		}
	}
	if t.lines == "" {
		return table{}, 0, errKept
	}
	return t, fetched, nil
}

func isCode(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isRate reports whether s is a plain decimal above zero.
func isRate(s string) bool {
	whole, fraction, point := strings.Cut(s, ".")
	return len(s) <= maxRateText && whole != "" && (fraction != "" || !point) &&
		strings.Trim(whole+fraction, "0123456789") == "" && strings.Trim(whole+fraction, "0") != ""
}

func isDay(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || strings.Trim(s[:4]+s[5:7]+s[8:], "0123456789") != "" {
		return false
	}
	month, day := s[5:7], s[8:]
	return "01" <= month && month <= "12" && "01" <= day && day <= "31"
}

// parseECB reads the bank's daily file:
//
//	<gesmes:Envelope …> … <Cube> <Cube time='2026-11-30'>
//	  <Cube currency='USD' rate='1.0921'/> …
//	</Cube> </Cube> </gesmes:Envelope>
//
// It knows as much of XML as that takes: well-nested elements with quoted
// attributes, comments and instructions, no entities and no doctype. What
// differs is refused whole, since half a table is worse than yesterday's.
func parseECB(text string) (table, error) {
	s := markup{rest: text}
	var t table
	count := 0
	for {
		tag, ok := s.next()
		if !ok {
			return table{}, errRates
		}
		if tag == "" {
			break
		}
		if tag != "Cube" {
			continue
		}
		if day, ok := s.attribute("time"); ok {
			if t.date != "" || !isDay(day) {
				return table{}, errRates
			}
			t.date = day
		}
		code, hasCode := s.attribute("currency")
		rate, hasRate := s.attribute("rate")
		if hasCode != hasRate {
			return table{}, errRates
		}
		if count++; hasCode && (t.date == "" || !t.add(code, rate, count)) {
			return table{}, errRates
		}
	}
	if t.lines == "" {
		return table{}, errRates
	}
	return t, nil
}

const (
	maxNesting    = 16
	maxAttributes = 16
)

// markup walks over the tags of a document.
type markup struct {
	rest       string
	open       []string
	rooted     bool
	attributes []string // name, value, name, value …
}

// next is the name of the next element, with its attributes; "" at the end of a
// whole document, and false where it is none.
func (m *markup) next() (string, bool) {
	for {
		text, rest, found := strings.Cut(m.rest, "<")
		if len(m.open) == 0 && strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) != "" || strings.Contains(text, "&") {
			return "", false
		}
		if !found {
			return "", m.rooted && len(m.open) == 0
		}
		switch {
		case strings.HasPrefix(rest, "!--"):
			_, m.rest, found = strings.Cut(rest[3:], "-->")
		case strings.HasPrefix(rest, "?"):
			_, m.rest, found = strings.Cut(rest, "?>")
		case strings.HasPrefix(rest, "/"):
			var name string
			name, m.rest, found = strings.Cut(rest[1:], ">")
			last := len(m.open) - 1
			if last < 0 || m.open[last] != strings.TrimRight(name, " \t\r\n") {
				return "", false
			}
			m.open = m.open[:last]
		default:
			return m.element(rest)
		}
		if !found {
			return "", false
		}
	}
}

const (
	space     = " \t\r\n"
	nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:_-."
)

func (m *markup) element(rest string) (string, bool) {
	if m.rooted && len(m.open) == 0 || len(m.open) == maxNesting {
		return "", false
	}
	m.rooted = true
	name, rest := cutName(rest)
	if name == "" {
		return "", false
	}
	m.attributes = m.attributes[:0]
	for {
		trimmed := strings.TrimLeft(rest, space)
		if after, ok := strings.CutPrefix(trimmed, ">"); ok {
			m.rest = after
			m.open = append(m.open, name)
			return name, true
		}
		if after, ok := strings.CutPrefix(trimmed, "/>"); ok {
			m.rest = after
			return name, true
		}
		if trimmed == rest || len(m.attributes) == 2*maxAttributes {
			return "", false
		}
		var key string
		key, rest = cutName(trimmed)
		if _, twice := m.attribute(key); key == "" || twice || len(rest) < 2 || rest[0] != '=' || rest[1] != '\'' && rest[1] != '"' {
			return "", false
		}
		value, after, closed := strings.Cut(rest[2:], rest[1:2])
		if !closed || strings.ContainsAny(value, "<&") {
			return "", false
		}
		m.attributes = append(m.attributes, key, value)
		rest = after
	}
}

func cutName(s string) (name, rest string) {
	rest = strings.TrimLeft(s, nameBytes)
	return s[:len(s)-len(rest)], rest
}

func (m *markup) attribute(key string) (string, bool) {
	for i := 0; i < len(m.attributes); i += 2 {
		if m.attributes[i] == key {
			return m.attributes[i+1], true
		}
	}
	return "", false
}
