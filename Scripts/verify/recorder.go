package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// The recorder is a plugin that this program is itself, so that what is told to
// plugins is seen by one, in its sandbox.
const (
	recorderID   = "verify-recorder"
	recorderWord = "record-events"
	recorderFile = "events.jsonl"
)

const recorderManifest = `{"id":"verify-recorder","name":"Verification recorder","version":"1.0.0",
"description":"Writes down which accessibility notifications it is told of, while Flash is verified.",
"exec":[%q,"record-events"],"capabilities":["accessibility"],"listen":["core:apps.changed","core:ax.changed","core:apps.launched"]}
`

// told is one event as the recorder writes it.
type told struct {
	Event        string `json:"event"`
	PID          int    `json:"pid,omitempty"`
	Notification string `json:"notification,omitempty"`
	BundleID     string `json:"bundle_id,omitempty"`
}

func record() {
	var mu sync.Mutex
	sdk.Run(sdk.Plugin{Event: func(_ context.Context, h *sdk.Host, ev sdk.Event) {
		line := told{Event: ev.Name}
		switch ev.Name {
		case protocol.EventAXChanged:
			if c, err := ev.AX(); err == nil {
				line.PID, line.Notification, line.BundleID = c.PID, c.Notification, c.BundleID
			}
		case protocol.EventAppsLaunched:
			if a, err := ev.Focus(); err == nil {
				line.PID, line.BundleID = a.PID, a.BundleID
			}
		}
		text, err := json.Marshal(line)
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		f, err := os.OpenFile(filepath.Join(h.DataDir(), recorderFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			h.Log("error", "the record cannot be written")
			return
		}
		_, _ = f.Write(append(text, '\n'))
		_ = f.Close()
	}})
}

// recorded reads what the recorder has written; a line that is being written is
// left out.
func recorded(path string) []told {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []told
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var t told
		if json.Unmarshal(lines.Bytes(), &t) == nil {
			out = append(out, t)
		}
	}
	return out
}
