package x11

import (
	"github.com/jezek/xgb/res"
)

// clientIDPid asks X-Resource for the process behind a client.
const clientIDPid = 2

// Clients are the process ids of the programs on this machine that are
// connected, without this one's. X tells nobody who has a grab; this is the
// closest that there is.
func (c *Conn) Clients() []int {
	if _, err := c.Extension("X-Resource"); err != nil {
		return nil
	}
	if v, err := res.QueryVersion(c.Conn, 1, 2).Reply(); err != nil || v.ServerMajor == 1 && v.ServerMinor < 2 {
		return nil
	}
	clients, err := res.QueryClients(c.Conn).Reply()
	if err != nil {
		return nil
	}
	seen := map[int]bool{}
	var out []int
	for _, cl := range clients.Clients {
		r, err := res.QueryClientIds(c.Conn, 1, []res.ClientIdSpec{{Client: cl.ResourceBase, Mask: clientIDPid}}).Reply()
		if err != nil {
			continue
		}
		for _, id := range r.Ids {
			if len(id.Value) == 0 || id.Spec.Client&^cl.ResourceMask != cl.ResourceBase {
				continue
			}
			if pid := int(id.Value[0]); pid > 0 && !seen[pid] {
				seen[pid] = true
				out = append(out, pid)
			}
		}
	}
	return out
}
