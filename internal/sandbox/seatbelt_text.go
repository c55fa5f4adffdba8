package sandbox

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// profile builds the text; the first path that cannot be written stands as
// its error.
type profile struct {
	b   strings.Builder
	err error
}

type filter struct{ kind, value string }

func filters(kind string, values ...string) []filter {
	var list []filter
	for _, v := range values {
		if v != "" {
			list = append(list, filter{kind, v})
		}
	}
	return list
}

func (w *profile) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *profile) allow(operation string, list []filter) { w.rule("allow", operation, list) }

// rule writes a rule for any of the filters, and none without one: a rule
// without a filter is one about everything, which nobody writes by accident.
func (w *profile) rule(verb, operations string, list []filter) {
	if len(list) == 0 {
		return
	}
	w.b.WriteString("(" + verb + " " + operations)
	for _, f := range list {
		w.b.WriteString("\n  " + w.filter(f))
	}
	w.line(")")
}

// deny denies a directory but for what is granted inside.
func (w *profile) deny(operation, dir string, but inside) {
	deny := w.filter(filter{"subpath", dir})
	if !but.none() {
		parts := []string{deny}
		for _, f := range append(filters("subpath", but.trees...), filters("literal", but.alone...)...) {
			parts = append(parts, "(require-not "+w.filter(f)+")")
		}
		deny = "(require-all " + strings.Join(parts, " ") + ")"
	}
	w.line("(deny " + operation + " " + deny + ")")
}

func (w *profile) filter(f filter) string {
	quoted, err := quote(f.value)
	if err != nil && w.err == nil {
		w.err = err
	}
	return "(" + f.kind + " " + quoted + ")"
}

// quote writes a string literal of the profile language.
func quote(s string) (string, error) {
	if strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) {
		return `""`, fmt.Errorf("seatbelt profile: %q holds a character that a profile cannot express; rename it", s)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

func (w *profile) text() (string, error) {
	if w.err != nil {
		return "", w.err
	}
	return w.b.String(), nil
}
