package logfile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openTest(t *testing.T, path string, o Options) *Writer {
	t.Helper()
	w, err := Open(path, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func write(t *testing.T, w *Writer, format string, a ...any) {
	t.Helper()
	line := fmt.Sprintf(format, a...) + "\n"
	n, err := w.Write([]byte(line))
	require.NoError(t, err)
	require.Equal(t, len(line), n)
}

func tail(t *testing.T, path string, n int) []string {
	t.Helper()
	lines, err := Tail(path, n)
	require.NoError(t, err)
	out := []string{}
	for _, l := range lines {
		out = append(out, string(l))
	}
	return out
}

func TestRecordsAreJSONLinesOfAnOwnerOnlyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "flash.log")
	w := openTest(t, path, Options{})
	log := Logger(w, slog.LevelInfo)
	log.Info("plugin started", "plugin", "cpu", "initialize_ms", 7)
	log.Debug("not written")
	lines := tail(t, path, 10)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `"level":"INFO","msg":"plugin started","plugin":"cpu","initialize_ms":7}`)
	for p, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		st, err := os.Stat(p)
		require.NoError(t, err)
		assert.Equal(t, mode, st.Mode().Perm())
	}
}

func TestTheFileIsTurnedOverAndThreeOldOnesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{MaxBytes: 100, Keep: 3})
	for i := range 60 {
		write(t, w, "line %04d", i) // ten bytes: ten a file
	}
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	assert.Equal(t, []string{path, path + ".1", path + ".2", path + ".3"}, files)
	for _, f := range files {
		st, err := os.Stat(f)
		require.NoError(t, err)
		assert.Equal(t, int64(100), st.Size())
		assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	}
	lines := tail(t, path, 1000)
	require.Len(t, lines, 40)
	assert.Equal(t, "line 0020", lines[0])
	assert.Equal(t, "line 0059", lines[39])
	assert.Equal(t, []string{"line 0047", "line 0048"}, tail(t, path, 13)[:2])
	assert.Empty(t, tail(t, path, 0))
	write(t, w, "%s", strings.Repeat("x", 500))
	assert.Len(t, tail(t, path, 1)[0], 500, "a line larger than a file has one of its own")
}

func TestNoOldFileIsKeptWhereNoneIsWanted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{MaxBytes: 30})
	for i := range 10 {
		write(t, w, "line %04d", i)
	}
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	assert.Equal(t, []string{path}, files)
	assert.Equal(t, []string{"line 0009"}, tail(t, path, 10))
}

func TestManyWritersLoseAndMixNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	// Two writers of one file, as two processes would be.
	writers := []*Writer{openTest(t, path, Options{MaxBytes: 4000, Keep: 100}), openTest(t, path, Options{MaxBytes: 4000, Keep: 100})}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				_, _ = fmt.Fprintf(writers[g%2], "writer %d line %03d\n", g, i)
			}
		})
	}
	wg.Wait()
	lines := tail(t, path, 10000)
	seen := map[string]bool{}
	for _, l := range lines {
		seen[l] = true
	}
	assert.Len(t, lines, 1600)
	assert.Len(t, seen, 1600)
}

func TestAFileOrDirectoryThatIsTakenAwayIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(dir, "flash.log")
	w := openTest(t, path, Options{})
	write(t, w, "one")
	require.NoError(t, os.Remove(path))
	write(t, w, "two")
	assert.Equal(t, []string{"two"}, tail(t, path, 10))
	require.NoError(t, os.Rename(path, path+".other"))
	write(t, w, "three")
	assert.Equal(t, []string{"three"}, tail(t, path, 10))
	require.NoError(t, os.RemoveAll(dir))
	write(t, w, "four")
	assert.Equal(t, []string{"four"}, tail(t, path, 10))
}

func TestAFullDiskLosesLinesAndSaysHowManyAfterwards(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	path := filepath.Join(t.TempDir(), "flash.log")
	require.NoError(t, os.Symlink("/dev/full", path))
	w := openTest(t, path, Options{Now: func() time.Time { return time.Unix(0, 0).UTC() }})
	for i := range 5 {
		write(t, w, "lost %d", i)
	}
	assert.Equal(t, int64(5), w.Dropped())
	require.NoError(t, os.Remove(path))
	write(t, w, "back")
	assert.Equal(t, []string{`{"time":"1970-01-01T00:00:00Z","level":"WARN","msg":"log lines were lost","lines":5}`, "back"}, tail(t, path, 10))
	assert.Zero(t, w.Dropped())
}

func TestALineCutByAFullDiskSpoilsNoOther(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() != 0 || exec.Command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", dir).Run() != nil {
		t.Skip("a small file system takes root")
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	path := filepath.Join(dir, "flash.log")
	w := openTest(t, path, Options{})
	for i := range 30 {
		write(t, w, "%02d %s", i, strings.Repeat("x", 1000))
	}
	assert.Positive(t, w.Dropped())
	st, err := os.Stat(path)
	require.NoError(t, err)
	// The user makes room.
	require.NoError(t, os.Rename(path, path+".1"))
	require.NoError(t, os.Truncate(path+".1", st.Size()/2))
	write(t, w, "back")
	lines := tail(t, path, 100)
	assert.Equal(t, "back", lines[len(lines)-1])
	for _, l := range lines {
		assert.True(t, len(l) == 1003 || strings.Contains(l, "lost") || l == "back", "%.20s", l)
	}
}

func TestAfterCloseNothingIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{})
	write(t, w, "one")
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	write(t, w, "two")
	assert.Equal(t, []string{"one"}, tail(t, path, 10))
}

func TestWhereThereIsNoLogTheRemedyIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "flash.log")
	_, err := Tail(path, 5)
	require.ErrorIs(t, err, ErrNoLog)
	assert.ErrorContains(t, err, "flash start")
	assert.ErrorIs(t, Follow(context.Background(), path, 5, nil), ErrNoLog)
}

// follow collects what Follow emits.
type followed struct {
	lines chan string
	stop  func() error
}

func follow(t *testing.T, path string, n int) *followed {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &followed{lines: make(chan string, 10000)}
	done := make(chan error, 1)
	go func() {
		done <- Follow(ctx, path, n, func(line []byte) error {
			f.lines <- string(line)
			return nil
		})
	}()
	var once sync.Once
	var err error
	f.stop = func() error {
		once.Do(func() {
			cancel()
			err = <-done
		})
		return err
	}
	t.Cleanup(func() { _ = f.stop() })
	return f
}

func (f *followed) next(t *testing.T) string {
	t.Helper()
	select {
	case l := <-f.lines:
		return l
	case <-time.After(20 * time.Second):
		require.FailNow(t, "no line came")
		return ""
	}
}

func TestFollowingShowsTheLastLinesAndThenEachNewOneOverTurnOvers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{MaxBytes: 1000, Keep: 50})
	for i := range 120 {
		write(t, w, "line %04d", i)
	}
	f := follow(t, path, 110)
	for i := 10; i < 120; i++ {
		require.Equal(t, fmt.Sprintf("line %04d", i), f.next(t))
	}
	// Many turn-overs while the follower looks, or does not look.
	for i := 120; i < 2000; i++ {
		write(t, w, "line %04d", i)
	}
	for i := 120; i < 2000; i++ {
		require.Equal(t, fmt.Sprintf("line %04d", i), f.next(t))
	}
	require.NoError(t, f.stop())
}

func TestFollowingGoesOnOverRemovalEmptyingAndHalfLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	f := follow(t, path, 5)
	w := openTest(t, path, Options{})
	write(t, w, "one")
	assert.Equal(t, "one", f.next(t))
	require.NoError(t, os.Remove(path))
	write(t, w, "two")
	assert.Equal(t, "two", f.next(t))
	raw, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	defer raw.Close()
	for _, half := range []string{"thr", "ee\r\nfo", "ur\n"} {
		_, err = raw.WriteString(half)
		require.NoError(t, err)
	}
	assert.Equal(t, "three\r", f.next(t))
	assert.Equal(t, "four", f.next(t))
	require.NoError(t, raw.Truncate(0))
	require.Eventually(t, func() bool {
		_, _ = raw.WriteString("5\n")
		return len(f.lines) > 0
	}, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, "5", f.next(t))
}

func TestAnEmitterThatFailsEndsTheFollowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{})
	write(t, w, "one")
	broken := errors.New("broken pipe")
	assert.ErrorIs(t, Follow(context.Background(), path, 5, func([]byte) error { return broken }), broken)
}

func TestALineTooLongIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flash.log")
	w := openTest(t, path, Options{})
	write(t, w, "one")
	write(t, w, "%s", strings.Repeat("x", maxLine+1))
	write(t, w, "%s", strings.Repeat("y", maxLine))
	lines := tail(t, path, 10)
	require.Len(t, lines, 2)
	assert.Equal(t, "one", lines[0])
	assert.Len(t, lines[1], maxLine)
}

func TestARecordIsShownInOneReadableLine(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.Local).Format(time.RFC3339Nano)
	got := AppendPretty(nil, []byte(`{"time":"`+at+`","level":"WARN","msg":"plugin \u001b[31mstopped","plugin":"cpu","why":"two words","n":3,"g":{"a":"\u0007"},"z":null}`))
	assert.Equal(t, `2026-01-02 03:04:05.678 WARN  plugin [31mstopped plugin=cpu why="two words" n=3 g={"a":"\u0007"} z=null`, string(got))
	assert.Equal(t, `"no\x1b record"`, string(AppendPretty(nil, []byte("no\x1b record"))))
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nbc\nd"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var got []string
		l := &lines{}
		emit := func(b []byte) error {
			got = append(got, string(b))
			return nil
		}
		for at := 0; at < len(data); {
			end := min(len(data), at+int(step)+1)
			_ = l.feed(append([]byte(nil), data[at:end]...), emit)
			at = end
		}
		var want []string
		parts := strings.Split(string(data), "\n")
		for _, p := range parts[:len(parts)-1] {
			if p != "" {
				want = append(want, p)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: got %q, want %q", data, got, want)
		}
		AppendPretty(nil, data)
	})
}

func BenchmarkWrite(b *testing.B) {
	w, err := Open(filepath.Join(b.TempDir(), "flash.log"), Options{Keep: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	log := Logger(w, slog.LevelInfo)
	b.ReportAllocs()
	for b.Loop() {
		log.Info("host call", "plugin", "cpu", "method", "host.ping", "elapsed_ms", 1)
	}
}
