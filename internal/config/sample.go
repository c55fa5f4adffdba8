package config

import (
	_ "embed" // the sample
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// everySetting is every setting at its default with what it is for, as the
// documentation shows it.
//
//go:embed sample.toml
var everySetting string

const sampleHead = `# The configuration of Flash, which takes changes at once. Take the # away from
# what you want otherwise. Tables for plugins, hot keys and aliases are on
# https://github.com/flash-launcher/flash/blob/main/docs/configuration.md
`

// Sample is a configuration file that changes nothing: its tables stand, and
// their settings are comments.
func Sample() string {
	var b strings.Builder
	b.WriteString(sampleHead)
	b.WriteByte('\n')
	for line := range strings.Lines(everySetting) {
		if line != "\n" && line[0] != '[' {
			b.WriteString("# ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// Make writes the sample to path where there is no file, for whoever is about
// to edit it.
func Make(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), private); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Sample())
	return errors.Join(err, f.Close())
}
