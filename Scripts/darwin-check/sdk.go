package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed all:stubs all:symbols
var sources embed.FS

// sdk is what clang takes for the macOS SDK, and the hash of its content.
type sdk struct{ dir, hash string }

// buildSDK writes the stub headers, empty protocols for every one that
// darwinkit names, and one .tbd file for each library.
//
// Compiling darwinkit takes minutes, and Go's cache would not notice a changed
// header. So the directory, which stands in CC and thereby in every cache key,
// is named after the headers that darwinkit compiles against; the rest, which
// grows with this project, is kept up to date inside it, and its hash reaches
// the keys of this project's packages alone (see builder.env).
func buildSDK(dir, kit string) (sdk, error) {
	files, protocols, err := sdkFiles(kit)
	if err != nil {
		return sdk{}, err
	}
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	base, whole := sha256.New(), sha256.New()
	for _, n := range names {
		if kitReads(n, protocols) {
			fmt.Fprintf(base, "%s\x00%d\x00%s", n, len(files[n]), files[n])
		}
		fmt.Fprintf(whole, "%s\x00%d\x00%s", n, len(files[n]), files[n])
	}
	s := sdk{filepath.Join(dir, "sdk-"+short(base)), short(whole)}
	for _, n := range names {
		if err := writeChanged(filepath.Join(s.dir, filepath.FromSlash(n)), files[n]); err != nil {
			return sdk{}, err
		}
	}
	return s, nil
}

func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:16] }

// kitReads says whether darwinkit, or Go's runtime, compiles against a file of
// the SDK in a way that its content matters to: every C header, all of
// Foundation, and of the frameworks that it takes protocols from the one header
// that it names. Of Core Foundation and Core Graphics it takes none, it only
// names them.
func kitReads(name string, protocols map[string]bool) bool {
	if strings.HasSuffix(name, ".tbd") {
		return false
	}
	fw, ok := strings.CutPrefix(name, "System/Library/Frameworks/")
	if !ok {
		return true
	}
	fw, file, _ := strings.Cut(fw, ".framework/Headers/")
	if fw == "CoreFoundation" || fw == "CoreGraphics" {
		return false
	}
	return fw == "Foundation" || protocols[fw+"/"+file]
}

// writeChanged replaces a file whole, and only when it says something else:
// another check may be reading it.
func writeChanged(p string, data []byte) error {
	if have, err := os.ReadFile(p); err == nil && bytes.Equal(have, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.%d", p, os.Getpid())
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, p)
}

// sdkFiles makes the content of the SDK by path, and names the headers that
// darwinkit takes protocols from.
func sdkFiles(kit string) (files map[string][]byte, protocols map[string]bool, err error) {
	files = map[string][]byte{}
	exports := map[string]map[string]bool{} // library → symbols
	export := func(lib string, symbols ...string) {
		if exports[lib] == nil {
			exports[lib] = map[string]bool{}
		}
		for _, s := range symbols {
			exports[lib][s] = true
		}
	}
	classes := map[string][]string{}
	err = fs.WalkDir(sources, "stubs", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(p)
		if err != nil {
			return err
		}
		lib, dest := home(p)
		files[dest] = data
		syms, cls := declared(data)
		export(lib, syms...)
		classes[lib] = append(classes[lib], cls...)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if protocols, err = addProtocols(files, kit); err != nil {
		return nil, nil, err
	}
	for _, add := range []func(func(string, ...string)) error{
		listedSymbols,
		func(export func(string, ...string)) error { return namedFrameworks(kit, export) },
		goImports,
	} {
		if err := add(export); err != nil {
			return nil, nil, err
		}
	}
	// ApplicationServices is an umbrella: a program that links it has Core
	// Graphics as well.
	for s := range exports["CoreGraphics"] {
		export("ApplicationServices", s)
	}
	for lib, syms := range exports {
		files[tbdPath(lib)] = tbd(lib, syms, classes[lib])
	}
	for _, alias := range []string{"pthread", "m"} {
		files["usr/lib/lib"+alias+".tbd"] = files[tbdPath("libSystem")]
	}
	return files, protocols, nil
}

// home says which library a stub header belongs to and where the SDK has it.
func home(p string) (lib, dest string) {
	rest := strings.TrimPrefix(p, "stubs/")
	if header, ok := strings.CutPrefix(rest, "frameworks/"); ok {
		fw, file, _ := strings.Cut(header, "/")
		return fw, frameworkDir(fw) + "Headers/" + file
	}
	switch strings.Split(strings.TrimPrefix(rest, "usr/include/"), "/")[0] {
	case "objc":
		return "libobjc", rest
	case "ffi":
		return "libffi", rest
	}
	return "libSystem", rest
}

func frameworkDir(fw string) string { return "System/Library/Frameworks/" + fw + ".framework/" }

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	directive = regexp.MustCompile(`(?m)^\s*#.*$`)
	iface     = regexp.MustCompile(`(?ms)^@(interface|protocol)\s+(\w+).*?^@end`)
	inline    = regexp.MustCompile(`(?s)static inline[^{]*\{[^}]*\}`)
	braces    = regexp.MustCompile(`\{[^{}]*\}`)
	function  = regexp.MustCompile(`(\w+)\s*\(`)
	variable  = regexp.MustCompile(`(\w+)\s*(?:,|$)`)
)

// declared lists what a stub header declares, as the names of link symbols and
// of Objective-C classes. The headers are this project's own, so their layout
// is known: a declaration ends in a semicolon and typedefs say typedef.
func declared(header []byte) (symbols, classes []string) {
	text := string(comment.ReplaceAll(header, nil))
	text = directive.ReplaceAllString(text, "")
	text = inline.ReplaceAllString(text, "")
	for _, m := range iface.FindAllStringSubmatch(text, -1) {
		if m[1] == "interface" {
			classes = append(classes, m[2])
		}
	}
	text = iface.ReplaceAllString(text, "")
	for braces.MatchString(text) {
		text = braces.ReplaceAllString(text, "")
	}
	for _, stmt := range strings.Split(text, ";") {
		stmt = strings.Join(strings.Fields(stmt), " ")
		switch {
		case stmt == "", strings.HasPrefix(stmt, "typedef"), strings.HasPrefix(stmt, "@"):
		case strings.Contains(stmt, "("):
			symbols = append(symbols, "_"+function.FindStringSubmatch(stmt)[1])
		case strings.HasPrefix(stmt, "extern "):
			for _, m := range variable.FindAllStringSubmatch(stmt, -1) {
				symbols = append(symbols, "_"+m[1])
			}
		}
	}
	return symbols, classes
}

var (
	importLine   = regexp.MustCompile(`(?m)^#import "([^"]+)"`)
	protocolName = regexp.MustCompile(`@protocol\((\w+)\)`)
)

// addProtocols declares the protocols that darwinkit's generated files name, and
// returns the headers that they name for them. Naming a protocol is all they do,
// so an empty declaration serves.
func addProtocols(files map[string][]byte, kit string) (map[string]bool, error) {
	lists, err := filepath.Glob(filepath.Join(kit, "macos", "*", "protocols.gen.m"))
	if err != nil || len(lists) == 0 {
		return nil, fmt.Errorf("no protocols.gen.m in %s: is this darwinkit?", kit)
	}
	named := map[string]bool{}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		m := importLine.FindSubmatch(data)
		if m == nil {
			return nil, fmt.Errorf("%s imports no header", list)
		}
		fw, file, _ := strings.Cut(string(m[1]), "/")
		named[fw+"/"+file] = true
		dest := frameworkDir(fw) + "Headers/" + file
		var b bytes.Buffer
		if have := files[dest]; have != nil {
			b.Write(have)
		} else {
			b.WriteString("#pragma once\n#import <Foundation/Foundation.h>\n")
		}
		for _, name := range uniq(protocolName.FindAllSubmatch(data, -1)) {
			if name != "NSCopying" { // a stub header has it
				fmt.Fprintf(&b, "@protocol %s\n@end\n", name)
			}
		}
		files[dest] = b.Bytes()
	}
	return named, nil
}

func uniq(matches [][][]byte) []string {
	var out []string
	for _, m := range matches {
		out = append(out, string(m[1]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listedSymbols are those that no header declares.
func listedSymbols(export func(string, ...string)) error {
	return fs.WalkDir(sources, "symbols", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(p)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				export(strings.TrimSuffix(path.Base(p), ".txt"), line)
			}
		}
		return nil
	})
}

var frameworkFlag = regexp.MustCompile(`-framework ([A-Za-z]+)`)

// namedFrameworks are those that darwinkit links: they exist on a Mac, since
// darwinkit is built there. A framework that only this project names needs a
// stub header or a symbol list of its own.
func namedFrameworks(kit string, export func(string, ...string)) error {
	return eachGoFile(filepath.Join(kit), func(data []byte) {
		for line := range bytes.Lines(data) {
			if !bytes.Contains(line, []byte("#cgo")) {
				continue
			}
			for _, m := range frameworkFlag.FindAllSubmatch(line, -1) {
				export(string(m[1]))
			}
		}
	})
}

var dynamicImport = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic +\S+ +([^\s#]+)\S* +"(/usr/lib/|/System/Library/Frameworks/)([^"]+)"`)

// goImports are the symbols that the standard library and golang.org/x/sys,
// which Go's own team keeps beside it, take from macOS.
func goImports(export func(string, ...string)) error {
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	sys, err := moduleDir("golang.org/x/sys")
	if err != nil {
		return err
	}
	add := func(data []byte) {
		if !bytes.Contains(data, []byte("cgo_import_dynamic")) {
			return
		}
		for _, m := range dynamicImport.FindAllSubmatch(data, -1) {
			lib := string(m[3])
			if string(m[2]) == "/usr/lib/" {
				lib, _, _ = strings.Cut(lib, ".")
			} else {
				lib, _, _ = strings.Cut(lib, ".framework")
			}
			export(lib, "_"+string(m[1]))
		}
	}
	if err := eachGoFile(filepath.Join(root, "src"), add); err != nil {
		return err
	}
	return eachGoFile(filepath.Join(sys, "unix"), add)
}

func eachGoFile(root string, fn func(data []byte)) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "cmd") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(p)
		if err == nil {
			fn(data)
		}
		return err
	})
}

func tbdPath(lib string) string {
	if strings.HasPrefix(lib, "lib") {
		return "usr/lib/" + lib + ".tbd"
	}
	return frameworkDir(lib) + lib + ".tbd"
}

// tbd is a link stub in the text format that the Mach-O linkers read.
func tbd(lib string, symbols map[string]bool, classes []string) []byte {
	install := map[string]string{
		"libSystem": "/usr/lib/libSystem.B.dylib", "libobjc": "/usr/lib/libobjc.A.dylib",
		"libresolv": "/usr/lib/libresolv.9.dylib", "libffi": "/usr/lib/libffi.dylib",
	}[lib]
	if install == "" {
		install = "/" + frameworkDir(lib) + "Versions/A/" + lib
	}
	const targets = "[ x86_64-macos, arm64-macos ]"
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- !tapi-tbd\ntbd-version: 4\ntargets: %s\ninstall-name: '%s'\n", targets, install)
	list := make([]string, 0, len(symbols))
	for s := range symbols {
		list = append(list, "'"+s+"'")
	}
	slices.Sort(list)
	if len(list)+len(classes) > 0 {
		fmt.Fprintf(&b, "exports:\n  - targets: %s\n", targets)
	}
	if len(list) > 0 {
		fmt.Fprintf(&b, "    symbols: [ %s ]\n", strings.Join(list, ", "))
	}
	if len(classes) > 0 {
		slices.Sort(classes)
		fmt.Fprintf(&b, "    objc-classes: [ %s ]\n", strings.Join(slices.Compact(classes), ", "))
	}
	b.WriteString("...\n")
	return b.Bytes()
}
