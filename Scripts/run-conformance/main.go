// Command run-conformance runs the wire's conformance scenarios over every
// official plugin and over the probe, and fails if any scenario does.
//
//	make build && go run ./Scripts/run-conformance [-only PATTERN] [-v] [ID…]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/flash-launcher/flash/protocol/conformance"
)

// probe is the fixture that serves every surface of the wire.
const probe = "conformance"

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "keep scenarios that match this pattern")
	verbose := flag.Bool("v", false, "print every scenario, not only what fails")
	patience := flag.Float64("patience", 1, "multiply all time limits, for a busy machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	manifests, err := filepath.Glob("plugins/*/manifest.json")
	if err != nil {
		log.Fatal(err)
	}
	manifests = append(manifests, "sdk/probe/manifest.json")
	passed, failed := 0, 0
	for _, path := range manifests {
		id := filepath.Base(filepath.Dir(path))
		if filepath.Dir(path) == "sdk/probe" {
			id = probe
		}
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), id) {
			continue
		}
		r, err := run(ctx, id, path, *only, *patience)
		if err != nil {
			log.Fatalf("%s: %v", id, err)
		}
		passed, failed = passed+r.Passed, failed+r.Failed
		fmt.Printf("%-12s %3d passed, %d failed, %d do not apply\n", id, r.Passed, r.Failed, r.Skipped)
		if r.Failed > 0 || *verbose {
			if err := r.WriteText(os.Stdout); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, id, path, only string, patience float64) (conformance.Report, error) {
	manifest, err := os.ReadFile(path)
	if err != nil {
		return conformance.Report{}, err
	}
	exe, err := filepath.Abs("bin/flash-plugin-" + id)
	if err != nil {
		return conformance.Report{}, err
	}
	if _, err := os.Stat(exe); err != nil {
		return conformance.Report{}, fmt.Errorf("run `make build` first: %w", err)
	}
	o := conformance.Options{Argv: []string{exe}, Manifest: manifest, Dir: filepath.Dir(path), Patience: patience}
	if only != "" {
		o.Only = []string{only}
	}
	return conformance.Run(ctx, o)
}
