// Command generate-emojis writes the table of the emojis plugin from the npm
// package emojibase-data, which npm fetches. Run it in the project's root:
//
//	go run ./Scripts/generate-emojis
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// source is pinned: the table is reviewed like code.
	source = "emojibase-data@17.0.0"
	table  = "plugins/emojis/emojis.txt"
)

type emoji struct {
	Label string
	Emoji string
	Tags  []string
	Order int
	Group *int
	Type  int // how it shows without a selector: 0 as text, 1 as an emoji
	Skins []struct {
		Emoji string
		Tone  json.RawMessage // a number, or two of them where two people are shown
	}
}

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "emojis-*")
	check(err)
	defer os.RemoveAll(dir)
	run(dir, "npm", "pack", "--silent", source)
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	check(err)
	if len(archives) != 1 {
		log.Fatalf("npm pack %s left %d archives", source, len(archives))
	}
	run(dir, "tar", "xzf", archives[0])
	data, err := os.ReadFile(filepath.Join(dir, "package/en/data.json"))
	check(err)
	var all []emoji
	check(json.Unmarshal(data, &all))
	// Regional indicators and bare skin tones have no group: they are parts of
	// emojis, not emojis that anybody types.
	all = slices.DeleteFunc(all, func(e emoji) bool { return e.Group == nil || *e.Group == 2 })
	slices.SortStableFunc(all, func(a, b emoji) int { return cmp.Compare(a.Order, b.Order) })

	names := map[string]bool{}
	for _, e := range all {
		names[e.Label] = true
	}

	f, err := os.Create(table)
	check(err)
	w := bufio.NewWriter(f)
	for _, e := range all {
		// A keyword that is the whole name of another emoji would come before that
		// one when it is typed: an alias typed exactly outranks a word of a title.
		tags := slices.DeleteFunc(e.Tags, func(tag string) bool { return tag != e.Label && names[tag] })
		lines := append([]string{qualified(e) + " " + e.Label, cmp.Or(strings.Join(tones(e), " "), "-")}, tags...)
		fmt.Fprint(w, strings.Join(lines, "\n"), "\n\n")
	}
	check(w.Flush())
	check(f.Close())
	log.Printf("%s: %d emojis", table, len(all))
}

// qualified returns the form that keyboards send: the package puts a
// presentation selector on single characters that show as emojis without one.
func qualified(e emoji) string {
	if r := []rune(e.Emoji); len(r) == 2 && r[1] == '\uFE0F' && e.Type == 1 {
		return string(r[0])
	}
	return e.Emoji
}

// tones returns the emoji in the five skin tones, lightest first, everybody in
// the same one; nothing where it has none.
func tones(e emoji) []string {
	var out []string
	for tone := 1; tone <= 5; tone++ {
		for _, s := range e.Skins {
			if string(s.Tone) == fmt.Sprint(tone) {
				out = append(out, s.Emoji)
				break
			}
		}
	}
	if len(out) != 5 {
		return nil
	}
	return out
}

func run(dir, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	check(cmd.Run())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
