package rank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/flash-launcher/flash/internal/atomicfile"
)

// fileVersion is the version of the file's format.
const fileVersion = 1

// maxFile bounds what is read: MaxItems of the longest keys there are.
const maxFile = 4 << 20

// file is what stands on disk.
type file struct {
	Version int                 `json:"version"`
	Items   map[string]fileItem `json:"items"`
}

type fileItem struct {
	Score float64 `json:"score"`
	At    int64   `json:"at"` // Unix seconds
}

// Open reads the frecency at path; now is the clock, nil for the machine's. A
// path that does not exist yet is an empty frecency, and "" one that is never
// saved.
//
// The Store is usable even with an error, which then says what the user should
// know: a file of a newer version is left alone and nothing is learned until
// flash is updated; a broken one is set aside and learning starts anew.
func Open(path string, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	s := &Store{path: path, now: now, items: map[string]item{}, learning: true}
	if path == "" {
		return s, nil
	}
	atomicfile.RemoveLeftovers(path)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		s.readOnly = true
		return s, fmt.Errorf("frecency: %w; nothing is learned until it can be read", err)
	}
	f, err := decode(data)
	if err != nil {
		aside := path + ".broken"
		if rerr := os.Rename(path, aside); rerr != nil {
			s.readOnly = true
			return s, fmt.Errorf("frecency: %s: %w; it could not be set aside either: %w", path, err, rerr)
		}
		return s, fmt.Errorf("frecency: %s: %w; set aside as %s, learning starts anew", path, err, aside)
	}
	if f.Version > fileVersion {
		s.readOnly = true
		return s, fmt.Errorf("frecency: %s has version %d and this flash knows %d; it is left alone and nothing is learned: update flash, or move the file away", path, f.Version, fileVersion)
	}
	for k, i := range f.Items {
		s.items[k] = item{min(i.Score, MaxScore), time.Unix(i.At, 0)}
	}
	return s, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// decode reads a file of this version strictly; of a newer one only the version.
func decode(data []byte) (file, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return file{}, err
	}
	if head.Version > fileVersion {
		return file{Version: head.Version}, nil
	}
	if head.Version < 1 {
		return file{}, fmt.Errorf("has no version")
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return file{}, err
	}
	for k, i := range f.Items {
		if i.Score < 0 || k == "" {
			return file{}, fmt.Errorf("item %q has the score %v", k, i.Score)
		}
	}
	return f, nil
}

// write replaces the file in one step: whoever is killed at any moment leaves
// the old one or the new one.
func write(path string, items map[string]item) error {
	f := file{Version: fileVersion, Items: make(map[string]fileItem, len(items))}
	for k, i := range items {
		f.Items[k] = fileItem{i.score, i.at.Unix()}
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("frecency: %w", err)
	}
	if err := atomicfile.Write(path, data, 0o600); err != nil {
		return fmt.Errorf("frecency: %w; what was learned just now is lost at the next start", err)
	}
	return nil
}
