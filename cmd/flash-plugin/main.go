// The host says how many processors a child uses; looking for a cgroup's limit
// as well would cost each a buffer and eight system calls at its start.
//
//go:debug containermaxprocs=0

// Command flash-plugin is all official plugins in one executable. Each runs as
// a process of its own, in its own sandbox; they share the file so that the
// system shares its pages between them. The plugin is chosen by the name it is
// called by, `flash-plugin-<id>`, or by the first argument.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/flash-launcher/flash/plugins/browsers"
	"github.com/flash-launcher/flash/plugins/calculator"
	"github.com/flash-launcher/flash/plugins/cpu"
	"github.com/flash-launcher/flash/plugins/emojis"
	"github.com/flash-launcher/flash/plugins/files"
	"github.com/flash-launcher/flash/plugins/kitty"
	"github.com/flash-launcher/flash/plugins/memory"
	"github.com/flash-launcher/flash/plugins/processes"
	"github.com/flash-launcher/flash/plugins/tmux"
	"github.com/flash-launcher/flash/plugins/windows"
	"github.com/flash-launcher/flash/sdk"
)

const prefix = "flash-plugin-"

// exitUsage is the status of a call that names no plugin.
const exitUsage = 2

func main() {
	id, named := strings.CutPrefix(filepath.Base(os.Args[0]), prefix)
	if !named {
		if len(os.Args) != 2 {
			usage("flash-plugin: say which plugin: flash-plugin ID, or call it as " + prefix + "ID")
		}
		id = os.Args[1]
	}
	plugin, ok := find(id)
	if !ok {
		usage("flash-plugin: there is no plugin " + id + " in this executable; plugins/ in the source lists them")
	}
	sdk.Run(plugin())
}

// find is a switch and not a map: a map would be built, and stay, in every child.
func find(id string) (func() sdk.Plugin, bool) {
	switch id {
	case "browsers":
		return browsers.New, true
	case "calculator":
		return calculator.New, true
	case "cpu":
		return cpu.New, true
	case "emojis":
		return emojis.New, true
	case "files":
		return files.New, true
	case "kitty":
		return kitty.New, true
	case "memory":
		return memory.New, true
	case "processes":
		return processes.New, true
	case "tmux":
		return tmux.New, true
	case "windows":
		return windows.New, true
	}
	return nil, false
}

func usage(text string) {
	os.Stderr.WriteString(text + "\n")
	os.Exit(exitUsage)
}
