package manifest

import (
	"io/fs"
	"os"
)

// stamp tells one state of a file from another without reading it.
type stamp struct {
	size  int64
	mtime int64
	mode  fs.FileMode
}

// stampOf follows links: many plugins are links to one executable.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano(), info.Mode()}
}
