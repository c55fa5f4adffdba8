package entry

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Command is an Exec line split into words. Field codes stand in the words as
// they were written; Expand replaces them.
type Command []string

// ParseExec splits an Exec line. Double quotes follow the specification, with
// backslash before " ` $ \ inside them. Two liberties beyond it, because files
// in the field take them and the desktops' own readers allow them: single
// quotes, and a backslash before any character outside quotes. A field code
// that the specification does not list makes the line invalid.
func ParseExec(line string) (Command, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("the Exec line is empty")
	}
	for _, w := range words {
		if strings.IndexByte(w, 0) >= 0 {
			return nil, errors.New("the Exec line holds a NUL byte")
		}
		for i := 0; i < len(w); i++ {
			if w[i] != '%' {
				continue
			}
			if i+1 == len(w) || !isLetter(w[i+1]) && w[i+1] != '%' {
				continue // a percent sign that belongs to the text
			}
			i++
			if strings.IndexByte("%fFuUickdDnNvm", w[i]) < 0 {
				return nil, fmt.Errorf("the Exec line holds the unknown field code %%%c", w[i])
			}
		}
	}
	if words[0] == "" || words[0][0] == '%' || strings.IndexByte(words[0], '=') >= 0 {
		return nil, fmt.Errorf("the Exec line does not start with a program: %q", words[0])
	}
	return words, nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func split(line string) ([]string, error) {
	var words []string
	var b strings.Builder
	open := false // a word has begun, be it an empty quoted one
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if open {
				words = append(words, b.String())
				b.Reset()
				open = false
			}
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("the Exec line has an unclosed single quote")
			}
			b.WriteString(line[i+1 : i+1+end])
			i += end + 1
			open = true
		case '"':
			open = true
			for i++; ; i++ {
				if i >= len(line) {
					return nil, errors.New("the Exec line has an unclosed double quote")
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"`$\\", line[i+1]) >= 0 {
					i++
				}
				b.WriteByte(line[i])
			}
		case '\\':
			if i+1 == len(line) {
				return nil, errors.New("the Exec line ends in a backslash")
			}
			i++
			b.WriteByte(line[i])
			open = true
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, b.String())
	}
	return words, nil
}

// Program is the program the line runs. A leading env(1) with assignments is
// looked through, since it says nothing about which application this is.
func (c Command) Program() string {
	words := []string(c)
	if len(words) > 0 && filepath.Base(words[0]) == "env" {
		rest := words[1:]
		for len(rest) > 0 && (strings.IndexByte(rest[0], '=') > 0 || strings.HasPrefix(rest[0], "-")) {
			if (rest[0] == "-u" || rest[0] == "-C") && len(rest) > 1 {
				rest = rest[1:] // these two have their value as a word of its own
			}
			rest = rest[1:]
		}
		if len(rest) > 0 {
			words = rest
		}
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// Literals are the arguments after the program that hold no field code: what a
// process started from this line is sure to have in its own arguments.
func (c Command) Literals() []string {
	program, found := c.Program(), false
	var out []string
	for _, w := range c {
		switch {
		case !found:
			found = w == program
		case strings.IndexByte(w, '%') < 0:
			out = append(out, w)
		}
	}
	return out
}

// Fields is what field codes stand for.
type Fields struct {
	URLs []string // URLs or absolute paths to open
	Icon string   // %i
	Name string   // %c
	Path string   // %k, the entry's own file
}

// Expand gives the argument lists to run: one, or one for each URL where the
// line takes a single one (%f, %u). A line without a code for URLs gets them
// as its last arguments, as the desktops do.
func (c Command) Expand(f Fields) ([][]string, error) {
	takes := byte(0)
	for _, w := range c {
		eachCode(w, func(code byte) {
			if strings.IndexByte("fFuU", code) >= 0 && takes == 0 {
				takes = code
			}
		})
	}
	runs := [][]string{f.URLs}
	if (takes == 'f' || takes == 'u') && len(f.URLs) > 1 {
		runs = nil
		for _, u := range f.URLs {
			runs = append(runs, []string{u})
		}
	}
	var out [][]string
	for _, urls := range runs {
		argv, err := c.expandOne(f, urls, takes != 0)
		if err != nil {
			return nil, err
		}
		out = append(out, argv)
	}
	return out, nil
}

func (c Command) expandOne(f Fields, urls []string, takes bool) ([]string, error) {
	var argv []string
	for _, w := range c {
		switch w {
		case "%F", "%U":
			for _, u := range urls {
				arg, err := urlArg(u, w[1])
				if err != nil {
					return nil, err
				}
				argv = append(argv, arg)
			}
			continue
		case "%f", "%u", "%d", "%D", "%n", "%N", "%v", "%m":
			if len(urls) == 0 || (w[1] != 'f' && w[1] != 'u') {
				continue
			}
		case "%i":
			if f.Icon != "" {
				argv = append(argv, "--icon", f.Icon)
			}
			continue
		}
		arg, err := expandWord(w, f, urls)
		if err != nil {
			return nil, err
		}
		argv = append(argv, arg)
	}
	if !takes {
		for _, u := range urls {
			if p, err := urlArg(u, 'f'); err == nil {
				u = p
			}
			argv = append(argv, u)
		}
	}
	return argv, nil
}

// expandWord replaces codes inside a longer word, where a list of URLs has no
// meaning: the first one stands for it.
func expandWord(w string, f Fields, urls []string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(w); i++ {
		if w[i] != '%' || i+1 == len(w) || !isLetter(w[i+1]) && w[i+1] != '%' {
			b.WriteByte(w[i])
			continue
		}
		i++
		switch w[i] {
		case '%':
			b.WriteByte('%')
		case 'c':
			b.WriteString(f.Name)
		case 'k':
			b.WriteString(f.Path)
		case 'i':
			b.WriteString(f.Icon)
		case 'f', 'F', 'u', 'U':
			if len(urls) == 0 {
				continue
			}
			arg, err := urlArg(urls[0], w[i])
			if err != nil {
				return "", err
			}
			b.WriteString(arg)
		}
	}
	return b.String(), nil
}

func eachCode(w string, fn func(code byte)) {
	for i := 0; i+1 < len(w); i++ {
		if w[i] == '%' {
			i++
			fn(w[i])
		}
	}
}

// urlArg renders one URL for its code: %u and %U take it as it is, %f and %F
// need a local file.
func urlArg(u string, code byte) (string, error) {
	if code == 'u' || code == 'U' || filepath.IsAbs(u) {
		return u, nil
	}
	p, ok := FilePath(u)
	if !ok {
		return "", errors.New("the application opens local files only")
	}
	return p, nil
}

// FilePath is the path that a file URL of this machine names.
func FilePath(u string) (string, bool) {
	p, err := url.Parse(u)
	if err != nil || p.Scheme != "file" || (p.Host != "" && p.Host != "localhost") || !filepath.IsAbs(p.Path) || strings.IndexByte(p.Path, 0) >= 0 {
		return "", false
	}
	return p.Path, true
}
