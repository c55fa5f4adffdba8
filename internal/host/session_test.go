package host_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

// openSession opens a session over the socket; its views come by the channel.
func (i *instance) openSession(in control.SessionInput) (*control.Client, <-chan control.SessionView) {
	i.t.Helper()
	c, err := control.Dial(i.t.Context(), filepath.Join(i.dir, "run/flash/flash.sock"), "test")
	require.NoError(i.t, err)
	i.t.Cleanup(func() { c.Close() })
	views := make(chan control.SessionView, 64)
	go func() {
		defer close(views)
		_ = c.Call(context.Background(), control.MethodSessionOpen, in, nil, func(raw json.RawMessage) {
			var v control.SessionView
			if json.Unmarshal(raw, &v) == nil {
				views <- v
			}
		})
	}()
	return c, views
}

// settled returns the complete view of that generation, and checks that those
// before it were of none later.
func settled(t *testing.T, views <-chan control.SessionView, generation uint64) control.SessionView {
	t.Helper()
	for v := range views {
		require.LessOrEqual(t, v.Generation, generation)
		if v.Generation == generation && !v.Pending {
			return v
		}
	}
	require.Fail(t, "the session ended")
	return control.SessionView{}
}

func TestAnUpdateThatWasOvertakenIsDropped(t *testing.T) {
	i := newInstance(t)
	i.app("firefox", "Firefox")
	i.app("kate", "Kate")
	i.start()
	c, views := i.openSession(control.SessionInput{Generation: 3, Text: "fire"})
	v := settled(t, views, 3)
	require.NotEmpty(t, v.Entries)
	assert.Equal(t, "Firefox", v.Entries[0].Title)

	update := func(generation uint64, text string) {
		require.NoError(t, c.Call(t.Context(), control.MethodSessionUpdate, control.SessionInput{Generation: generation, Text: text}, nil, nil))
	}
	update(9, "kate")
	update(8, "fire")
	v = settled(t, views, 9)
	require.Len(t, v.Entries, 1)
	assert.Equal(t, "Kate", v.Entries[0].Title)

	// What is asked of an earlier input is not done, what the key after the
	// last letter asks is.
	var acted control.SessionActed
	act := control.SessionEntry{SessionInput: control.SessionInput{Generation: 8, Text: "fire"}}
	require.NoError(t, c.Call(t.Context(), control.MethodSessionAct, act, &acted, nil))
	assert.False(t, acted.Ran)
	act.Generation = 10
	require.NoError(t, c.Call(t.Context(), control.MethodSessionAct, act, &acted, nil))
	assert.True(t, acted.Ran)
	assert.True(t, acted.Result.OK, acted.Result.Error)
	act.Entry = "no such entry"
	acted = control.SessionActed{}
	require.NoError(t, c.Call(t.Context(), control.MethodSessionAct, act, &acted, nil))
	assert.False(t, acted.Ran)
}

func TestAConnectionHoldsOneSessionAndItsEndIsTheSessions(t *testing.T) {
	i := newInstance(t)
	i.start()
	c, views := i.openSession(control.SessionInput{Generation: 1})
	settled(t, views, 1)
	assert.EqualValues(t, 1, i.sessions())
	err := c.Call(t.Context(), control.MethodSessionOpen, control.SessionInput{}, nil, nil)
	var e *control.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, control.CodeInvalid, e.Code)
	require.NoError(t, c.Close())
	i.eventually("the session is gone", func() bool { return i.sessions() == 0 })

	other, err := control.Dial(t.Context(), filepath.Join(i.dir, "run/flash/flash.sock"), "test")
	require.NoError(t, err)
	defer other.Close()
	require.ErrorAs(t, other.Call(t.Context(), control.MethodSessionAct, control.SessionEntry{}, nil, nil), &e)
	assert.Contains(t, e.Message, "no session")
}
