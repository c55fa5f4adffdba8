package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"github.com/flash-launcher/flash/internal/atomicfile"
)

const overridesSchema = 1

// overrides remembers what `flash plugin enable`, `disable` and `install` said,
// over restarts and over the configuration file, which only the user writes.
type overrides struct {
	path string

	mu       sync.Mutex
	enabled  map[string]bool
	installs map[string]installMark
	// foreign is set when the file is of a version this build does not know:
	// it is read as empty and never written.
	foreign error
}

type overridesFile struct {
	Schema   int                    `json:"schema"`
	Enabled  map[string]bool        `json:"enabled"`
	Installs map[string]installMark `json:"installs,omitempty"`
}

// installMark is the install step that the user allowed, and the version of the
// plugin for which it went well, "" while it has not.
type installMark struct {
	Command string `json:"command"`
	Version string `json:"version,omitempty"`
}

// openOverrides reads the file at path. The error, if any, says why what the
// file holds does not count; the value is usable all the same.
func openOverrides(path string) (*overrides, error) {
	o := &overrides{path: path}
	atomicfile.RemoveLeftovers(path)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		o.foreign = fmt.Errorf("plugin overrides: %w", err)
		return o, o.foreign
	}
	var f overridesFile
	switch err := json.Unmarshal(data, &f); {
	case err != nil:
		o.foreign = fmt.Errorf("plugin overrides %s cannot be read (%w), and plugins run as if none was ever disabled; move it away to start anew", path, err)
	case f.Schema != overridesSchema:
		o.foreign = fmt.Errorf("plugin overrides %s have schema %d, this flash knows %d; they are left alone and do not count: update flash, or move the file away", path, f.Schema, overridesSchema)
	default:
		o.enabled, o.installs = f.Enabled, f.Installs
	}
	return o, o.foreign
}

// get returns what was said of the plugin, if anything was.
func (o *overrides) get(id string) (enabled, said bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	enabled, said = o.enabled[id]
	return enabled, said
}

// installed returns what is known of the plugin's install step.
func (o *overrides) installed(id string) installMark {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.installs[id]
}

// set remembers enabled for the plugin, on disk before it counts.
func (o *overrides) set(id string, enabled bool) error {
	return o.change(func(f *overridesFile) { f.Enabled[id] = enabled })
}

func (o *overrides) setInstalled(id string, m installMark) error {
	return o.change(func(f *overridesFile) { f.Installs[id] = m })
}

// change writes a changed copy, which counts once it is on disk.
func (o *overrides) change(to func(*overridesFile)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.foreign != nil {
		return o.foreign
	}
	next := overridesFile{Schema: overridesSchema, Enabled: map[string]bool{}, Installs: map[string]installMark{}}
	maps.Copy(next.Enabled, o.enabled)
	maps.Copy(next.Installs, o.installs)
	to(&next)
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("plugin overrides: %w", err)
	}
	o.enabled, o.installs = next.Enabled, next.Installs
	return nil
}
