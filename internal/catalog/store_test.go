package catalog

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func rowsOf(titles ...string) []protocol.Row {
	rows := make([]protocol.Row, len(titles))
	for i, t := range titles {
		rows[i] = protocol.Row{Source: "s", Title: t, Metadata: protocol.NewMetadata(map[string]string{"b": "2", "a": "1"})}
	}
	return rows
}

func TestAPublicationReplacesThePluginsRows(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := NewStore(func() time.Time { return now })
	require.True(t, s.Publish("b", 1, rowsOf("one", "two")))
	require.True(t, s.Publish("a", 1, rowsOf("three")))
	snap := s.Snapshot()
	require.Equal(t, 3, snap.Len())
	require.Equal(t, "a", snap.Plugins[0].ID, "plugins are ordered by id")
	require.Equal(t, uint64(2), snap.Generation)
	require.Equal(t, now, snap.Plugin("b").Updated)
	require.Same(t, snap.Plugins[1].Index, snap.Indexes()[1])
	require.Nil(t, snap.Plugin("c"))

	require.True(t, s.Publish("b", 1, nil))
	require.Empty(t, s.Snapshot().Plugin("b").Rows)
	require.Len(t, snap.Plugin("b").Rows, 2, "a snapshot once taken does not change")
}

func TestAnEqualRepublicationAdvancesNothing(t *testing.T) {
	s := NewStore(nil)
	told := 0
	defer s.Subscribe(func() { told++ })()
	require.True(t, s.Publish("p", 1, rowsOf("one", "two")))
	before := s.Snapshot()
	require.False(t, s.Publish("p", 2, rowsOf("one", "two")))
	require.Same(t, before, s.Snapshot())
	require.Equal(t, 1, told)

	require.True(t, s.Publish("p", 2, rowsOf("two", "one")), "order is part of what is published")
	changed := rowsOf("two", "one")
	changed[1].Metadata = protocol.NewMetadata(map[string]string{"a": "1", "b": "3"})
	require.True(t, s.Publish("p", 2, changed))
	require.Equal(t, 3, told)
}

func TestAnEmptyFirstPublicationIsAChange(t *testing.T) {
	s := NewStore(nil)
	require.True(t, s.Publish("p", 1, nil), "an authoritative empty is a catalogue")
	require.False(t, s.Publish("p", 1, []protocol.Row{}))
}

func TestAPublicationOfAnOlderChildIsDropped(t *testing.T) {
	s := NewStore(nil)
	require.True(t, s.Publish("p", 5, rowsOf("new")))
	require.False(t, s.Publish("p", 4, rowsOf("old")))
	require.Equal(t, "new", s.Snapshot().Plugin("p").Rows[0].Title)
	s.Drop("p")
	require.Nil(t, s.Snapshot().Plugin("p"))
	require.True(t, s.Publish("p", 1, rowsOf("installed anew")), "generations start over after a drop")
}

func TestDroppingWhatIsNotThereTellsNobody(t *testing.T) {
	s := NewStore(nil)
	told := 0
	cancel := s.Subscribe(func() { told++ })
	s.Drop("p")
	require.Zero(t, told)
	s.Publish("p", 1, nil)
	s.Drop("p")
	require.Equal(t, 2, told)
	cancel()
	s.Publish("p", 1, nil)
	require.Equal(t, 2, told)
}

func TestReadersSeeWholeSnapshotsWhilePluginsPublish(t *testing.T) {
	s := NewStore(nil)
	var told atomic.Int64
	defer s.Subscribe(func() { told.Add(1) })()
	var wg sync.WaitGroup
	const plugins, rounds = 4, 50
	for p := range plugins {
		wg.Go(func() {
			id := fmt.Sprintf("p%d", p)
			for i := range rounds {
				s.Publish(id, 1, rowsOf(fmt.Sprint(i), fmt.Sprint(i)))
				if i%10 == 9 {
					s.Drop(id)
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		last := uint64(0)
		for {
			select {
			case <-stop:
				return
			default:
			}
			snap := s.Snapshot()
			assert.GreaterOrEqual(t, snap.Generation, last)
			last = snap.Generation
			for i, p := range snap.Plugins {
				assert.Same(t, p.Index, snap.Indexes()[i])
				assert.Equal(t, p.Rows[0].Title, p.Rows[1].Title)
				assert.Len(t, p.Keys, 2)
			}
		}
	})
	wg.Wait()
	close(stop)
	readers.Wait()
	require.Empty(t, s.Snapshot().Plugins)
	require.Equal(t, int64(plugins*(rounds+rounds/10)), told.Load())
}

func TestTwinsGetKeysOfTheirOwnThatStay(t *testing.T) {
	rows := rowsOf("shell", "shell", "mail", "shell")
	keys := KeysOf(rows)
	seen := map[Key]bool{}
	for _, k := range keys {
		require.False(t, seen[k])
		seen[k] = true
	}
	require.Equal(t, keys[:2], KeysOf(rows[:2]))
	require.Equal(t, keys[0], KeyOf(&rows[0]))
}

func TestAKeyGoesByWhereTheRowLeads(t *testing.T) {
	a := protocol.Row{Source: "s", Title: "t", URL: "u"}
	b := a
	b.Metadata = protocol.NewMetadata(map[string]string{protocol.MetaSubtitle: "changes all the time"})
	require.Equal(t, KeyOf(&a), KeyOf(&b))
	for _, other := range []protocol.Row{
		{Source: "s", Title: "t", URL: "v"},
		{Source: "s", Title: "t"},
		{Source: "s", Title: "tu"},
		{Source: "s2", Title: "t", URL: "u"},
		{Source: "s", Title: "t", Metadata: protocol.NewMetadata(map[string]string{protocol.MetaNavigationURL: "w"})},
		{Source: "s", Title: "t", Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "u"}},
	} {
		require.NotEqual(t, KeyOf(&a), KeyOf(&other), "%+v", other)
	}
	require.Equal(t, "p/"+fmt.Sprintf("%016x", uint64(KeyOf(&a))), RowID("p", KeyOf(&a)))
	require.Equal(t, Key(0xa3395155484391d0), KeyOf(&a), "keys are on users' disks and must not change")
}

func TestRowIDsParseBack(t *testing.T) {
	plugin, k, err := ParseRowID(RowID("a.b-c", 0x0123456789abcdef))
	require.NoError(t, err)
	require.Equal(t, "a.b-c", plugin)
	require.Equal(t, Key(0x0123456789abcdef), k)
	for _, bad := range []string{"", "x", "/0123456789abcdef", "p/0123", "p/0123456789abcdeg", "p/+123456789abcdef"} {
		_, _, err := ParseRowID(bad)
		require.Error(t, err, bad)
	}
}
