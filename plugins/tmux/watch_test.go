package tmux

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/sdk"
)

func TestAChangedFolderHasItsServersReadAndNewOnesLookedFor(t *testing.T) {
	said := make(chan string, 10)
	settle := func(what string) *sdk.Settle {
		s := sdk.NewSettle(nil, time.Millisecond, time.Second, func(context.Context) { said <- what })
		t.Cleanup(s.Stop)
		return s
	}
	p := &plugin{dir: "/tmp/tmux-7", sockets: []string{"/run/own/work.sock"}, found: settle("look")}
	p.servers = map[string]*server{
		"/tmp/tmux-7/default": {settle: settle("default")},
		"/run/own/work.sock":  {settle: settle("work")},
		"ssh:build":           {settle: settle("build")},
	}
	for path, want := range map[string][]string{
		"/tmp/tmux-7":         {"default", "look"},
		"/run/own":            {"work", "look"},
		"/tmp/tmux-7/default": {"default"},
		"/tmp/tmux-7/other":   {"look"},
	} {
		p.socketChanged(path)
		var got []string
		for range want {
			select {
			case what := <-said:
				got = append(got, what)
			case <-time.After(time.Minute):
				t.Fatal("nothing came of", path)
			}
		}
		assert.ElementsMatch(t, want, got, path)
	}
	assert.Empty(t, said)
}
