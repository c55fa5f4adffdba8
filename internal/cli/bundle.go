package cli

import (
	"strings"

	"github.com/flash-launcher/flash/internal/login"
)

// BundleID is the identifier of the macOS application.
const BundleID = login.Label

// asApp makes the resident of a start by double click: macOS starts a bundle's
// program without arguments, under a service name of this form.
func asApp(args []string, service string) []string {
	if len(args) == 0 && strings.HasPrefix(service, "application."+BundleID+".") {
		return []string{"run"}
	}
	return args
}
