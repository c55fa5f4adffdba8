package session

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"
)

// mountTable is where the kernel lists what is mounted, and tells a poll of
// changes.
const mountTable = "/proc/self/mountinfo"

// maxMounts bounds what is read of the table.
const maxMounts = 4 << 20

// internal are the file systems that hold no volume of the user's. They come
// and go with services and containers.
var internal = [...]string{
	"autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "fuse.portal",
	"fusectl", "hugetlbfs", "mqueue", "nsfs", "overlay", "proc", "pstore", "ramfs", "rpc_pipefs", "securityfs", "squashfs", "sysfs",
	"tmpfs", "tracefs",
}

// followMounts follows the mounted volumes until ctx is done.
func followMounts(ctx context.Context, table string, changed func()) error {
	f, err := os.Open(table)
	if err != nil {
		return fmt.Errorf("volumes: %w", err)
	}
	raw, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("volumes: %w", err)
	}
	before := volumes(table)
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	go func() {
		defer stop()
		defer func() { _ = f.Close() }()
		// The runtime's poller wakes this at each change of the table: nothing
		// waits in a thread. What changed, only the table says.
		_ = raw.Read(func(uintptr) (done bool) {
			if now := volumes(table); now != before {
				before = now
				changed()
			}
			return ctx.Err() != nil
		})
	}()
	return nil
}

var mountSeed = maphash.MakeSeed()

// volumes is the table in one number, less what is no volume.
func volumes(table string) uint64 {
	f, err := os.Open(table)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	data, _ := io.ReadAll(io.LimitReader(f, maxMounts))
	return volumesOf(string(data))
}

func volumesOf(table string) uint64 {
	var h maphash.Hash
	h.SetSeed(mountSeed)
	for line := range strings.Lines(table) {
		// 36 35 98:0 /root /mount options - type source options
		head, tail, ok := strings.Cut(line, " - ")
		kind, _, _ := strings.Cut(tail, " ")
		f := strings.Fields(head)
		if !ok || len(f) < 5 || slices.Contains(internal[:], kind) {
			continue
		}
		for _, s := range [...]string{f[2], f[3], f[4], kind} {
			_, _ = h.WriteString(s)
			_ = h.WriteByte(0)
		}
	}
	return h.Sum64()
}
