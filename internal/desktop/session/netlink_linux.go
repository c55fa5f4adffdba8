package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// groups are the kernel's announcements about interfaces and their addresses.
const groups = unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR

// netlinkRead holds a whole announcement: the kernel makes none longer than a
// page or two.
const netlinkRead = 32 << 10

// followNetwork follows interfaces and addresses until ctx is done.
func followNetwork(ctx context.Context, changed func()) error {
	fresh := func() network { return network{links: map[int32]uint32{}, addrs: map[string]bool{}} }
	n := fresh()
	err := followKernel(ctx, unix.NETLINK_ROUTE, groups, func(b []byte) {
		if b == nil { // some were lost
			n = fresh()
			changed()
		} else if n.read(b) {
			changed()
		}
	})
	if err != nil {
		return fmt.Errorf("network: %w", err)
	}
	return nil
}

// supplies is how an announcement of the kernel's about a power supply reads.
var supplies = []byte("\x00SUBSYSTEM=power_supply\x00")

// followSupplies follows what the kernel announces of batteries and mains.
func followSupplies(ctx context.Context, changed func()) error {
	const kernel = 1 // the group of the kernel; the other is udev's
	err := followKernel(ctx, unix.NETLINK_KOBJECT_UEVENT, kernel, func(b []byte) {
		if b == nil || bytes.Contains(b, supplies) {
			changed()
		}
	})
	if err != nil {
		return fmt.Errorf("power: %w", err)
	}
	return nil
}

// followKernel gives each datagram of some groups to read until ctx is done, and
// nil where some were lost. It is read through the runtime's poller: nothing
// waits in a thread.
func followKernel(ctx context.Context, protocol int, groups uint32, read func([]byte)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		_ = unix.Close(fd)
		return err
	}
	f := os.NewFile(uintptr(fd), "netlink")
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	go func() {
		defer stop()
		defer func() { _ = f.Close() }()
		buf := make([]byte, netlinkRead)
		for {
			n, err := f.Read(buf)
			switch {
			case errors.Is(err, unix.ENOBUFS):
				read(nil)
			case err != nil:
				return
			default:
				read(buf[:n])
			}
		}
	}()
	return nil
}

// network is what was announced. The kernel repeats itself: drivers restate a
// link with new counters, and routers renew addresses every few minutes.
type network struct {
	links map[int32]uint32
	addrs map[string]bool
}

// remembered bounds what is kept; a machine with more addresses than this is
// told of some changes twice.
const remembered = 4096

// running are the flags of a link that mean that it can be used.
const running = unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_LOWER_UP

const (
	headerLen = 16 // nlmsghdr
	linkLen   = 16 // ifinfomsg
	addrLen   = 8  // ifaddrmsg
)

// read reports whether a datagram says anything new.
func (n *network) read(b []byte) (news bool) {
	if len(n.links)+len(n.addrs) > remembered {
		clear(n.links)
		clear(n.addrs)
	}
	for len(b) >= headerLen {
		size := int(binary.NativeEndian.Uint32(b))
		kind := binary.NativeEndian.Uint16(b[4:])
		if size < headerLen || size > len(b) {
			return news
		}
		body := b[headerLen:size]
		b = b[min((size+3)&^3, len(b)):]
		switch {
		case (kind == unix.RTM_NEWLINK || kind == unix.RTM_DELLINK) && len(body) >= linkLen:
			index := int32(binary.NativeEndian.Uint32(body[4:]))
			flags := binary.NativeEndian.Uint32(body[8:]) & running
			before, known := n.links[index]
			if kind == unix.RTM_DELLINK {
				delete(n.links, index)
				news = true
				continue
			}
			n.links[index] = flags
			news = news || !known || before != flags
		case (kind == unix.RTM_NEWADDR || kind == unix.RTM_DELADDR) && len(body) >= addrLen:
			key := addressOf(body)
			if kind == unix.RTM_DELADDR {
				delete(n.addrs, key)
				news = true
				continue
			}
			news = news || !n.addrs[key]
			n.addrs[key] = true
		}
	}
	return news
}

// addressOf is the family, prefix, interface and address of an announcement,
// without how long it is valid.
func addressOf(body []byte) string {
	key := append([]byte{body[0], body[1]}, body[4:addrLen]...)
	for a := body[addrLen:]; len(a) >= 4; {
		size := int(binary.NativeEndian.Uint16(a))
		if size < 4 || size > len(a) {
			break
		}
		if kind := binary.NativeEndian.Uint16(a[2:]); kind == unix.IFA_ADDRESS || kind == unix.IFA_LOCAL {
			key = append(key, a[4:size]...)
		}
		a = a[min((size+3)&^3, len(a)):]
	}
	return string(key)
}
