package bench

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

//go:embed reference/floor.go.txt
var goFloor []byte

//go:embed reference/floor.rs
var rustFloor []byte

// References compiles the floors that this machine has compilers for into dir:
// the least process of Go, and of Rust on its standard library. notes say what
// is left out and why.
func References(ctx context.Context, dir string) (targets []Target, notes []string) {
	for _, r := range []struct {
		id, compiler, file string
		source             []byte
		args               []string
		env                []string
	}{
		{"reference-go", "go", "floor.go", goFloor, []string{"build", "-trimpath", "-ldflags", "-s -w", "-o"}, []string{"CGO_ENABLED=0", "GOFLAGS=", "GO111MODULE=off"}},
		{"reference-rust", "rustc", "floor.rs", rustFloor, []string{"-O", "--edition", "2021", "-C", "strip=symbols", "-o"}, nil},
	} {
		compiler, err := exec.LookPath(r.compiler)
		if err != nil {
			notes = append(notes, fmt.Sprintf("no %s: %s is not there", r.id, r.compiler))
			continue
		}
		root := filepath.Join(dir, r.id)
		program := filepath.Join(root, r.id)
		source := filepath.Join(root, r.file)
		if err := os.Mkdir(root, 0o755); err != nil {
			notes = append(notes, fmt.Sprintf("no %s: %v", r.id, err))
			continue
		}
		if err := os.WriteFile(source, r.source, 0o644); err != nil {
			notes = append(notes, fmt.Sprintf("no %s: %v", r.id, err))
			continue
		}
		cmd := exec.CommandContext(ctx, compiler, append(r.args, program, source)...)
		// What an interrupted compiler leaves goes with dir.
		cmd.Dir, cmd.Env = root, append(append(os.Environ(), "GOTMPDIR="+root, "TMPDIR="+root), r.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			notes = append(notes, fmt.Sprintf("no %s: %s does not build it: %s", r.id, r.compiler, firstLine(out, err)))
			continue
		}
		m, err := protocol.DecodeManifest(fmt.Appendf(nil, `{"id":%q,"name":"Reference","version":"1","description":"The least process.","exec":[%q]}`, r.id, program))
		if err != nil {
			notes = append(notes, fmt.Sprintf("no %s: %v", r.id, err))
			continue
		}
		def := manifest.Definition{Manifest: m, Root: root, Argv: []string{program}, Official: true}
		targets = append(targets, Target{Definition: def, Reference: true})
	}
	return targets, notes
}

// firstLine is what a compiler says first, or how it ended.
func firstLine(out []byte, err error) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	if len(line) == 0 {
		return err.Error()
	}
	return string(line)
}
