package flashlight

import (
	"strings"
	"unicode"
)

// kind is what an input is.
type kind uint8

const (
	plain     kind = iota // the default pool
	scoped                // named sources
	completed             // an unfinished @token or !token: only completions
	bang                  // a !token that a plugin takes
	command               // :command subcommand args
)

// atToken finds the first word of text that begins with @. finished says that
// white space follows it.
func atToken(text string) (token string, from, to int, finished, ok bool) {
	for at := 0; at < len(text); {
		from, to = nextWord(text, at)
		if from == to {
			break
		}
		if text[from] == '@' {
			return text[from+1 : to], from, to, to < len(text), true
		}
		at = to
	}
	return "", 0, 0, false, false
}

// bangToken finds the first bang: a word that begins with a ! and a further
// character that is neither white space nor !. It ends at white space or the
// next !. finished says that something follows it.
func bangToken(text string) (token string, from, to int, finished, ok bool) {
	for at := 0; at < len(text); {
		from, to = nextWord(text, at)
		if from == to {
			break
		}
		if text[from] == '!' && to-from > 1 && text[from+1] != '!' {
			if i := strings.IndexByte(text[from+1:to], '!'); i >= 0 {
				to = from + 1 + i
			}
			return text[from+1 : to], from, to, to < len(text), true
		}
		at = to
	}
	return "", 0, 0, false, false
}

// nextWord returns where the first word of text from at on stands.
func nextWord(text string, at int) (from, to int) {
	from = len(text)
	for i, r := range text[at:] {
		if !unicode.IsSpace(r) {
			from = at + i
			break
		}
	}
	to = len(text)
	for i, r := range text[from:] {
		if unicode.IsSpace(r) {
			to = from + i
			break
		}
	}
	return from, to
}

// without returns text less text[from:to], what stood before and after joined
// with one space.
func without(text string, from, to int) string {
	before, after := strings.TrimSpace(text[:from]), strings.TrimSpace(text[to:])
	if before == "" || after == "" {
		return before + after
	}
	return before + " " + after
}

// covers says whether @token names source: the whole name, or its beginning up
// to a dot, in any case.
func covers(token, source string) bool {
	if len(token) > len(source) || token == "" || !strings.EqualFold(source[:len(token)], token) {
		return false
	}
	return len(token) == len(source) || source[len(token)] == '.'
}
