// Package python holds the plugin SDK for Python as text, for the scaffold. It
// runs nothing.
package python

import _ "embed"

// FileName is what the SDK is called beside a plugin.
const FileName = "flash_plugin.py"

// Source is the SDK: one file, Python 3.9, standard library only.
//
//go:embed flash_plugin.py
var Source []byte
