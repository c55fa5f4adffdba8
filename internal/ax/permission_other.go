//go:build !darwin || !cgo

package ax

// RequestPermission asks nobody: no permission is between Flash and other apps
// here. It says whether accessibility is served.
func (o *Observer) RequestPermission() (granted bool) { return o.Describe().Backend != "" }
