//go:build !linux

package session

import "os"

func ownerOf(os.FileInfo) int { return -1 }
