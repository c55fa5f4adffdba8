//go:build darwin && !cgo

package action

import "errors"

func openCG() (Backend, error) {
	return nil, errors.New("this flash was built without cgo, which cg_event needs; set pointer.action_backend = \"system_events\"")
}
