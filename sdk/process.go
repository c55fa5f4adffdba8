package sdk

import (
	"strconv"

	"github.com/flash-launcher/flash/protocol"
)

// process reads one entry of host.process_table.
func process(o *protocol.Object) protocol.Process {
	p := protocol.Process{PID: int(o.Int("pid")), Name: o.String("name")}
	ppid, _ := o.OptInt("ppid")
	uid, _ := o.OptInt("uid")
	p.PPID, p.UID = int(ppid), int(uid)
	p.Path, _ = o.OptString("path")
	p.CPU, _ = o.OptFloat("cpu")
	p.RSS, _ = o.OptInt("rss")
	// A string on the wire: the token does not fit a double.
	if start, ok := o.OptString("start_time"); ok {
		n, err := strconv.ParseInt(start, 10, 64)
		if err != nil {
			o.Fail("start_time", "is no decimal integer")
		}
		p.StartTime = n
	}
	return p
}
