package x11

import "net"

// dialUnix is the standard one: letting events gather is only worth its price
// where X is the way to the pointer.
func dialUnix(path string) (net.Conn, error) { return net.Dial("unix", path) }
