package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

const overridesSchema = 1

// overrides remembers what `flash plugin enable` and `disable` said, over
// restarts and over the configuration file, which only the user writes.
type overrides struct {
	path string

	mu      sync.Mutex
	enabled map[string]bool
	// foreign is set when the file is of a version this build does not know:
	// it is read as empty and never written.
	foreign error
}

type overridesFile struct {
	Schema  int             `json:"schema"`
	Enabled map[string]bool `json:"enabled"`
}

// openOverrides reads the file at path. The error, if any, says why what the
// file holds does not count; the value is usable all the same.
func openOverrides(path string) (*overrides, error) {
	o := &overrides{path: path, enabled: map[string]bool{}}
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
		o.foreign = fmt.Errorf("plugin overrides %s cannot be read (%w); move it away to start anew", path, err)
	case f.Schema != overridesSchema:
		o.foreign = fmt.Errorf("plugin overrides %s have schema %d, this flash knows %d; they are left alone", path, f.Schema, overridesSchema)
	case f.Enabled != nil:
		o.enabled = f.Enabled
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

// set remembers enabled for the plugin, on disk before it counts.
func (o *overrides) set(id string, enabled bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.foreign != nil {
		return o.foreign
	}
	next := map[string]bool{id: enabled}
	for k, v := range o.enabled {
		if k != id {
			next[k] = v
		}
	}
	data, err := json.MarshalIndent(overridesFile{Schema: overridesSchema, Enabled: next}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.path), 0o700); err != nil {
		return fmt.Errorf("plugin overrides: %w", err)
	}
	temp := o.path + ".new"
	if err := os.WriteFile(temp, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("plugin overrides: %w", err)
	}
	if err := os.Rename(temp, o.path); err != nil {
		return fmt.Errorf("plugin overrides: %w", err)
	}
	o.enabled = next
	return nil
}
