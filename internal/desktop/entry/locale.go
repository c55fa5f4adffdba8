package entry

import (
	"slices"
	"strings"
)

// Locale is the order in which the languages of a localised key are preferred.
// A nil Locale takes the values without a language.
type Locale []string

// LocaleOf reads the message language the way the C library does: LC_ALL, then
// LC_MESSAGES, then LANG, and the priority list LANGUAGE before that unless
// the locale is C.
func LocaleOf(getenv func(string) string) Locale {
	name := ""
	for _, key := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if name = getenv(key); name != "" {
			break
		}
	}
	if variants(name) == nil {
		return nil
	}
	var loc Locale
	for _, n := range append(strings.Split(getenv("LANGUAGE"), ":"), name) {
		for _, v := range variants(n) {
			if loc.rank(v) < 0 {
				loc = append(loc, v)
			}
		}
	}
	return loc
}

// variants lists what lang_COUNTRY.ENCODING@MODIFIER falls back to. The
// encoding never takes part in matching.
func variants(name string) []string {
	name, modifier, _ := strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ".")
	lang, country, _ := strings.Cut(name, "_")
	if lang == "" || lang == "C" || lang == "POSIX" {
		return nil
	}
	var out []string
	if country != "" && modifier != "" {
		out = append(out, lang+"_"+country+"@"+modifier)
	}
	if country != "" {
		out = append(out, lang+"_"+country)
	}
	if modifier != "" {
		out = append(out, lang+"@"+modifier)
	}
	return append(out, lang)
}

// rank is the place of a key's language in the preference: lower is better,
// negative is a language that was not asked for. The encoding that some old
// files put into the key is ignored.
func (l Locale) rank(lang string) int {
	if lang == "" {
		return len(l)
	}
	if head, rest, ok := strings.Cut(lang, "."); ok {
		lang = head
		if _, modifier, ok := strings.Cut(rest, "@"); ok {
			lang += "@" + modifier
		}
	}
	return slices.Index(l, lang)
}
