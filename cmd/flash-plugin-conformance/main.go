// Command flash-plugin-conformance is the conformance probe as a process.
package main

import (
	"os"

	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/probe"
)

func main() { sdk.Run(probe.New(os.Exit)) }
