package devtool

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// programFault says why the kernel would not run a program: its first line
// names an interpreter that is not there, or it is none of this machine. The
// kernel's own words for both name the wrong file, or none. loginPath is where
// env looks.
func programFault(path, loginPath string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // may well be run
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	if script, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ := bytes.Cut(script, []byte("\n"))
		return interpreterFault(path, string(line), loginPath)
	}
	if runtime.GOOS == "linux" && !bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		return fmt.Sprintf("%s is no program of this machine: build it for %s/%s, or let a script begin with #! and its interpreter", path, runtime.GOOS, runtime.GOARCH)
	}
	return ""
}

func interpreterFault(path, line, loginPath string) string {
	if strings.HasSuffix(line, "\r") {
		return fmt.Sprintf("the first line of %s ends with a carriage return, which the kernel takes for a part of the interpreter's name: save the file with line ends of Unix", path)
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return fmt.Sprintf("the first line of %s names no interpreter", path)
	}
	if _, err := os.Stat(words[0]); err != nil {
		return fmt.Sprintf("the first line of %s names %s, which is not there: install it, or name another", path, words[0])
	}
	if filepath.Base(words[0]) != "env" {
		return ""
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if filepath.IsAbs(word) || onPath(word, loginPath) {
			return ""
		}
		return fmt.Sprintf("the first line of %s names %s, which is not on the login PATH: install it, or name it by its absolute path", path, word)
	}
	return ""
}

func onPath(name, path string) bool {
	for _, dir := range filepath.SplitList(path) {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return true
		}
	}
	return false
}
