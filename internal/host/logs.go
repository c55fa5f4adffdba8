package host

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/logfile"
	"github.com/flash-launcher/flash/protocol"
)

// openLog opens the log file, JSON lines without content, and beside it stderr
// where that is wanted.
func openLog(paths config.Paths, c config.Config, verbose bool) (*slog.Logger, func(), error) {
	file, err := logfile.Open(paths.LogFile(), logfile.Options{MaxBytes: int64(c.Logs.MaxMiB) << 20, Keep: c.Logs.Keep})
	if err != nil {
		return nil, nil, err
	}
	var w io.Writer = file
	if verbose {
		w = io.MultiWriter(file, os.Stderr)
	}
	log := logfile.Logger(w, logLevel(c.Logs.Level))
	return log, func() { file.Close() }, nil
}

func logLevel(name string) slog.Level {
	var l slog.Level
	// The configuration admits the four names that slog knows, and no other.
	_ = l.UnmarshalText([]byte(name))
	return l
}

// pluginLog writes a plugin's record under its own source, so that `flash logs`
// can tell whose it is.
func (h *Host) pluginLog(id string, rec protocol.LogRecord) {
	attrs := []any{"source", "plugin:" + id}
	if len(rec.Fields) > 0 {
		attrs = append(attrs, "fields", rawJSON(rec.Fields))
	}
	if rec.Trace != "" {
		attrs = append(attrs, "trace", rec.Trace)
	}
	h.log.Log(context.Background(), logLevel(rec.Level), rec.Message, attrs...)
}

// rawJSON is a value that is JSON already.
type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }
