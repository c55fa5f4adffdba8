// Package node holds the plugin SDK for Node as text, for the scaffold. It
// runs nothing.
package node

import _ "embed"

// FileName is what the SDK is called beside a plugin.
const FileName = "flash_plugin.mjs"

// Source is the SDK: one file, Node 18, no packages.
//
//go:embed flash_plugin.mjs
var Source []byte
