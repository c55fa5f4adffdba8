package devtool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/flash-launcher/flash/internal/devtool/scaffold"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/sdk/node"
	"github.com/flash-launcher/flash/sdk/probe"
	"github.com/flash-launcher/flash/sdk/python"
)

// Fixture is a plugin that is only there to be checked.
type Fixture struct {
	Name       string
	Definition manifest.Definition
}

// Fixtures are the probe on each SDK, and a plugin as the shell's scaffold has
// it, as far as this machine can run them: notes say what is left out and why.
// They are built from the checkout into dir, which has to outlive them; outside
// of a checkout there are none.
func (w *World) Fixtures(dir string) (fixtures []Fixture, notes []string, err error) {
	checkout := w.Checkout()
	if checkout == "" {
		return nil, nil, nil
	}
	if def, err := w.probe(); err == nil {
		fixtures = append(fixtures, Fixture{"probe (go)", def})
	} else if !errors.Is(err, ErrNotFound) {
		return nil, nil, err
	}
	for _, sdk := range []struct {
		name, interpreter, file, program string
	}{
		{"python", "python3", python.FileName, "probe.py"},
		{"node", "node", node.FileName, "probe.mjs"},
	} {
		if _, err := exec.LookPath(sdk.interpreter); err != nil {
			notes = append(notes, fmt.Sprintf("no probe (%s): %s is not on PATH", sdk.name, sdk.interpreter))
			continue
		}
		root := filepath.Join(dir, sdk.name, ProbeID)
		if err := os.MkdirAll(root, 0o755); err != nil {
			return nil, nil, err
		}
		source := filepath.Join(checkout, "sdk", sdk.name)
		if err := buildProbe(root, source, sdk.file, sdk.program, sdk.interpreter); err != nil {
			return nil, nil, fmt.Errorf("the probe on the SDK for %s: %w", sdk.name, err)
		}
		def, err := w.Find(root)
		if err != nil {
			return nil, nil, err
		}
		fixtures = append(fixtures, Fixture{"probe (" + sdk.name + ")", def})
	}
	made, err := scaffold.New(scaffold.Options{ID: "scaffold", Language: "sh", Parent: filepath.Join(dir, "sh")})
	if err != nil {
		return nil, nil, err
	}
	def, err := w.Find(made.Dir)
	if err != nil {
		return nil, nil, err
	}
	return append(fixtures, Fixture{"scaffold (sh)", def}), notes, nil
}

// buildProbe makes the folder of the probe in another language.
func buildProbe(root, source, sdk, program, interpreter string) error {
	line, _ := scaffold.Interpreter(interpreter)
	code, err := os.ReadFile(filepath.Join(source, program))
	if err != nil {
		return err
	}
	if rest, ok := bytes.CutPrefix(code, []byte("#!")); ok {
		_, code, _ = bytes.Cut(rest, []byte("\n"))
	}
	library, err := os.ReadFile(filepath.Join(source, sdk))
	if err != nil {
		return err
	}
	text := bytes.Replace(probe.Manifest, []byte(`["flash-plugin-conformance"]`), []byte(`["./`+program+`"]`), 1)
	for _, f := range []struct {
		name string
		data []byte
		mode os.FileMode
	}{
		{program, append([]byte("#!"+line+"\n"), code...), 0o755}, {sdk, library, 0o644}, {manifest.FileName, text, 0o644},
	} {
		if err := os.WriteFile(filepath.Join(root, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}
