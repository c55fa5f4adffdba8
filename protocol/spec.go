package protocol

import _ "embed"

//go:embed protocol.json
var specJSON string

// SpecJSON returns protocol.json, the machine-readable contract.
func SpecJSON() []byte { return []byte(specJSON) }
