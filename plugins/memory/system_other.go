//go:build !linux

package memory

import "errors"

func system() (reading, error) {
	return reading{}, errors.New("memory totals are not read on this platform yet")
}
