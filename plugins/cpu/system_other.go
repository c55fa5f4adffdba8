//go:build !linux

package cpu

import "errors"

func system() (counters, error) {
	return counters{}, errors.New("processor counters are not read on this platform yet")
}
