package conformance

import (
	"fmt"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// probeID is the manifest id of the probe, whose words the deeper scenarios speak.
const probeID = "conformance"

// surfaces is a manifest, asked what it declares.
type surfaces struct{ *protocol.Manifest }

// readSurfaces refuses a manifest that a host would refuse.
func readSurfaces(manifest []byte) (surfaces, error) {
	m, err := protocol.DecodeManifest(manifest)
	if err != nil {
		return surfaces{}, fmt.Errorf("the manifest is not valid: %w", err)
	}
	return surfaces{m}, nil
}

func knownRequirement(r string) bool {
	switch r {
	case "sources_warm", "sources_live", "commands", "queries", "hints", "actions", "navigation", "status", "perform", "probe":
		return true
	}
	return strings.HasPrefix(r, "capability:")
}

// has reports whether the manifest declares what a requirement names.
func (s surfaces) has(requirement string) bool {
	if r, not := strings.CutPrefix(requirement, "!"); not {
		return !s.has(r)
	}
	if c, ok := strings.CutPrefix(requirement, "capability:"); ok {
		return s.HasCapability(c)
	}
	live := len(s.Sources) > 0 && s.Sources[0].Live
	switch requirement {
	case "sources_warm":
		return len(s.Sources) > 0 && !live
	case "sources_live":
		return live
	case "commands":
		return len(s.Commands) > 0
	case "queries":
		return s.Query != nil
	case "hints":
		return s.Hints != nil
	case "actions":
		return len(s.Actions) > 0
	case "navigation":
		return len(s.Navigation) > 0
	case "status":
		return len(s.Status) > 0
	case "perform":
		return len(s.Commands)+len(s.Actions)+len(s.Navigation) > 0
	case "probe":
		return s.ID == probeID
	}
	return false
}

// vars are the names that a scenario may use for what this plugin declares.
func (s surfaces) vars() vars {
	v := vars{"id": s.ID, "version": s.Version}
	if len(s.Sources) > 0 {
		v["source"] = s.Sources[0].Name
	}
	if len(s.Commands) > 0 {
		v["command"] = s.Commands[0].Command
	}
	return v
}
