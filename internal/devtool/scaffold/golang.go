package scaffold

import (
	"io/fs"
	"path"
	"strings"

	"github.com/flash-launcher/flash"
)

const (
	module    = "github.com/flash-launcher/flash"
	goVersion = "go 1.26.0"
	// copyDir holds the copy of the SDK: a module of its own.
	copyDir = "flash"
	makeGo  = `# What the plugin's folder runs.
@ID@: *.go go.mod manifest.json
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o $@ .

.PHONY: ` + testTarget + `
` + testTarget + `:
	go test ./...
`
	// testTarget runs the plugin's test.
	testTarget = "test"
	// pluginModule is what a plugin's module is called. Nobody fetches it, and not
	// every id is a module's name.
	pluginModule = "example.com/plugin"
)

// goFiles are what only Go has: the module, a Makefile, and outside of a
// checkout a copy of the SDK. Neither needs a network.
func (o Options) goFiles(r *Result) ([]file, error) {
	from := o.Checkout
	files := []file{
		{"Makefile", []byte(strings.ReplaceAll(makeGo, "@ID@", o.ID)), 0o644},
		{".gitignore", []byte("/" + o.ID + "\n"), 0o644},
	}
	if from == "" {
		from = "./" + copyDir
		sdk, err := sdkFiles()
		if err != nil {
			return nil, err
		}
		files = append(files, sdk...)
		r.Notes = append(r.Notes, "go.mod builds against the copy of the SDK in "+from+"; it is as this flash has it, under its licence")
	} else {
		r.Notes = append(r.Notes, "go.mod builds against "+from+"; remove its replace line to build against the published module")
	}
	mod := "module " + pluginModule + "\n\n" + goVersion + "\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + from + "\n"
	return append(files, file{"go.mod", []byte(mod), 0o644}), nil
}

// sdkFiles are the SDK as a module without its tests.
func sdkFiles() (files []file, err error) {
	files = []file{{copyDir + "/go.mod", []byte("module " + module + "\n\n" + goVersion + "\n"), 0o644}}
	err = fs.WalkDir(flash.Source, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := flash.Source.ReadFile(name)
		files = append(files, file{path.Join(copyDir, name), data, 0o644})
		return err
	})
	return files, err
}
