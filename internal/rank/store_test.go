package rank

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clock is moved by hand.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func open(t *testing.T, path string, c *clock) *Store {
	t.Helper()
	s, err := Open(path, c.now)
	require.NoError(t, err)
	return s
}

func TestAScoreHalvesEveryHalfLife(t *testing.T) {
	c := newClock()
	s := open(t, "", c)
	require.NoError(t, s.Bump("a"))
	require.Equal(t, 1.0, s.Score("a", c.t))
	require.InDelta(t, 0.5, s.Score("a", c.t.Add(HalfLife)), 1e-9)
	require.InDelta(t, 0.25, s.Score("a", c.t.Add(2*HalfLife)), 1e-9)
	c.t = c.t.Add(HalfLife)
	require.NoError(t, s.Bump("a"))
	require.InDelta(t, 1.5, s.Score("a", c.t), 1e-9)
	require.Equal(t, s.Score("a", c.t), s.Score("a", c.t.Add(-time.Hour)), "a clock that went back takes nothing")
	require.Zero(t, s.Score("b", c.t))
}

func TestAScoreIsCapped(t *testing.T) {
	c := newClock()
	s := open(t, "", c)
	for range 100 {
		require.NoError(t, s.Bump("a"))
	}
	require.Equal(t, float64(MaxScore), s.Score("a", c.t))
}

func TestBoostGrowsWithTheScoreAndIsCapped(t *testing.T) {
	require.Equal(t, uint8(0), Boost(0))
	require.Equal(t, uint8(0), Boost(forgotten/2))
	require.Equal(t, uint8(MaxBoost), Boost(MaxScore))
	require.Equal(t, uint8(MaxBoost), Boost(MaxScore*10))
	last := uint8(0)
	for score := forgotten; score < MaxScore; score *= 1.1 {
		b := Boost(score)
		require.GreaterOrEqual(t, b, last)
		require.Positive(t, b)
		last = b
	}
}

func TestWhatWasLearnedIsThereAtTheNextStart(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "state", "frecency.json")
	s := open(t, path, c)
	for range 3 {
		require.NoError(t, s.Bump("p/1"))
	}
	require.NoError(t, s.Bump("p/2"))
	c.t = c.t.Add(HalfLife)
	s = open(t, path, c)
	require.InDelta(t, 1.5, s.Score("p/1", c.t), 1e-9)
	require.InDelta(t, 0.5, s.Score("p/2", c.t), 1e-9)
	require.Len(t, s.Scores(c.t), 2)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "habits are the owner's alone")

	require.NoError(t, s.Clear("p/1"))
	s = open(t, path, c)
	require.Zero(t, s.Score("p/1", c.t))
	require.Positive(t, s.Score("p/2", c.t))
	require.NoError(t, s.ClearAll())
	require.Empty(t, open(t, path, c).Scores(c.t))
}

func TestNothingIsLearnedWhileLearningIsOff(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "frecency.json")
	s := open(t, path, c)
	require.NoError(t, s.Bump("a"))
	v := s.Version()
	s.SetLearning(false)
	require.NoError(t, s.Bump("a"))
	require.NoError(t, s.Bump("b"))
	require.Equal(t, 1.0, s.Score("a", c.t), "what was learned is still used")
	require.Zero(t, s.Score("b", c.t))
	require.Equal(t, v, s.Version())
	require.NoError(t, s.Clear("a"), "forgetting is always possible")
	require.NotEqual(t, v, s.Version())
	require.False(t, s.Learning())
	s.SetLearning(true)
	require.True(t, s.Learning())
	require.NoError(t, s.Bump("b"))
	require.Equal(t, 1.0, s.Score("b", c.t))
}

func TestAFileOfANewerVersionIsLeftAlone(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "frecency.json")
	newer := []byte(`{"version":2,"things":[1,2,3]}`)
	require.NoError(t, os.WriteFile(path, newer, 0o600))
	s, err := Open(path, c.now)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "version 2")
	require.NotNil(t, s)
	require.False(t, s.Learning())
	require.NoError(t, s.Bump("a"))
	require.NoError(t, s.ClearAll())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, newer, data)
}

func TestABrokenFileIsSetAside(t *testing.T) {
	c := newClock()
	for i, broken := range []string{"", "{", `{"version":1,"items":{"a":{"score":-1,"at":0}}}`, `{"version":1,"extra":1}`, `{"items":{}}`, "\x00\x00"} {
		path := filepath.Join(t.TempDir(), "frecency.json")
		require.NoError(t, os.WriteFile(path, []byte(broken), 0o600))
		s, err := Open(path, c.now)
		require.ErrorContains(t, err, path+".broken", "case %d", i)
		require.NoError(t, s.Bump("a"))
		require.Equal(t, 1.0, open(t, path, c).Score("a", c.t))
		data, err := os.ReadFile(path + ".broken")
		require.NoError(t, err)
		require.Equal(t, broken, string(data))
	}
}

func TestAFileThatCannotBeReadIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frecency.json")
	require.NoError(t, os.Mkdir(path, 0o700))
	s, err := Open(path, newClock().now)
	require.ErrorContains(t, err, "nothing is learned")
	require.NoError(t, s.Bump("a"))
}

func TestAFailedSaveIsSaid(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	s := &Store{path: filepath.Join(blocked, "frecency.json"), now: newClock().now, items: map[string]item{}, learning: true}
	require.ErrorContains(t, s.Bump("a"), "lost at the next start")
	require.Equal(t, 1.0, s.Score("a", newClock().t), "it is used while flash runs")
}

func TestTheLeastUsedGoFirst(t *testing.T) {
	c := newClock()
	s := open(t, "", c)
	require.NoError(t, s.Bump("often"))
	require.NoError(t, s.Bump("often"))
	for i := range MaxItems + 100 {
		c.t = c.t.Add(time.Second)
		require.NoError(t, s.Bump(strconv.Itoa(i)))
		require.LessOrEqual(t, len(s.items), MaxItems)
	}
	require.Positive(t, s.Score("often", c.t))
	require.Positive(t, s.Score(strconv.Itoa(MaxItems+99), c.t))
	require.Zero(t, s.Score("0", c.t))
}

func TestUseFromManySidesAtOnce(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "frecency.json")
	s := open(t, path, c)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := s.Bump(fmt.Sprint("item ", g)); err != nil {
					t.Error(err)
				}
				s.Score("item 0", c.t)
				s.Version()
			}
		})
	}
	wg.Wait()
	require.Equal(t, s.Scores(c.t), open(t, path, c).Scores(c.t))
	require.Equal(t, 10.0, s.Score("item 3", c.t))
}

const writerEnv = "FLASH_RANK_TEST_WRITER"

// TestMain makes the test binary a writer that saves without end, for the test
// that kills it.
func TestMain(m *testing.M) {
	path := os.Getenv(writerEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := Open(path, nil)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		if err := s.Bump(fmt.Sprint("item ", n%50)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("saved", n)
	}
}

func TestAWriterThatIsKilledAtAnyMomentLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frecency.json")
	for round := range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; n <= round && lines.Scan(); n++ { // killed while it writes on
			require.True(t, strings.HasPrefix(lines.Text(), "saved "), lines.Text())
		}
		require.NoError(t, cmd.Process.Kill())
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()

		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var f file
		require.NoError(t, json.Unmarshal(data, &f), "%s", data)
		require.NotEmpty(t, f.Items)
		s, err := Open(path, nil)
		require.NoError(t, err)
		require.Positive(t, s.Score("item 0", time.Now()))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1, "opening removes what a killed writer left")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"items":{"p/1":{"score":1.5,"at":1767225600}}}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decode(data)
		if err != nil {
			return
		}
		require.Positive(t, got.Version)
		for k, i := range got.Items {
			require.NotEmpty(t, k)
			require.GreaterOrEqual(t, i.Score, 0.0)
		}
	})
}
