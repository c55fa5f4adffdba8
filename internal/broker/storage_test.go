package broker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func get(t *testing.T, b *Broker, c Caller, key string) any {
	t.Helper()
	m := granted(t, b, c, protocol.HostStorageGet, `{"key":"`+key+`"}`)
	if m["present"] == false {
		require.NotContains(t, m, "value")
		return nil
	}
	return m["value"]
}

func set(t *testing.T, b *Broker, c Caller, key, value string) {
	t.Helper()
	granted(t, b, c, protocol.HostStorageSet, `{"key":"`+key+`","value":`+value+`}`)
}

func TestWhatWasSetIsThereForTheNextHost(t *testing.T) {
	c := caller(t)
	b := New(Options{})
	assert.Nil(t, get(t, b, c, "k"))
	set(t, b, c, "k", `"vé\u0000\n🚀"`)
	set(t, b, c, "object", `{"a":[1,2.50,null]}`)
	b = New(Options{})
	assert.Equal(t, "vé\x00\n🚀", get(t, b, c, "k"))
	assert.Equal(t, map[string]any{"a": []any{1.0, 2.5, nil}}, get(t, b, c, "object"))
	set(t, b, c, "k", `null`)
	set(t, b, c, "absent", `null`)
	assert.Nil(t, get(t, b, c, "k"))
	data, err := os.ReadFile(filepath.Join(c.DataDir, storageFile))
	require.NoError(t, err)
	assert.Equal(t, `{"version":1,"values":{"object":{"a":[1,2.50,null]}}}`+"\n", string(data))
	st, err := os.Stat(filepath.Join(c.DataDir, storageFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	left, err := os.ReadDir(c.DataDir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

func TestTheQuotasOfStorageHoldAtTheirEdges(t *testing.T) {
	c := caller(t)
	b := New(Options{})
	set(t, b, c, strings.Repeat("k", 128), `"`+strings.Repeat("v", 65536)+`"`)
	set(t, b, c, "escaped", `"`+strings.Repeat(`\u0001`, 65536)+`"`)
	entries := []storageEntry{}
	for i := range 254 {
		entries = append(entries, storageEntry{strconv.Itoa(i), []byte(`"v"`)})
	}
	data, err := loadStorage(c.DataDir)
	require.NoError(t, err)
	two, _, err := decodeStorage(data)
	require.NoError(t, err)
	require.NoError(t, writeStorage(c.DataDir, encodeStorage(append(entries, two...))))
	assert.Contains(t, refused(t, b, c, protocol.HostStorageSet, `{"key":"one more","value":"v"}`), "storage is full")
	set(t, b, c, "7", `"another value under a key that is there"`)
	set(t, b, c, "8", `null`)
	set(t, b, c, "one more", `"v"`)
	assert.Equal(t, strings.Repeat("\x01", 65536), get(t, b, c, "escaped"))
}

func TestACorruptFileIsMovedAsideAndSaid(t *testing.T) {
	for _, text := range []string{"", "{", `{"version":1}`, `{"version":"1","values":{}}`, `{"version":1,"values":[]}`, `{"version":1,"values":{},"x":1}`, "{\"version\":1,\"values\":{\"k\":\"\xff\"}}", "\x00\x00"} {
		c := caller(t)
		var log bytes.Buffer
		b := New(Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		path := filepath.Join(c.DataDir, storageFile)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		assert.Nil(t, get(t, b, c, "k"), "%q", text)
		aside, err := os.ReadFile(filepath.Join(c.DataDir, storageCorrupt))
		require.NoError(t, err)
		assert.Equal(t, text, string(aside))
		assert.Contains(t, log.String(), "moved aside")
		set(t, b, c, "k", `"v"`)
		assert.Equal(t, "v", get(t, b, c, "k"))
	}
}

func TestAFileOfANewerVersionIsLeftAloneAndSaid(t *testing.T) {
	c := caller(t)
	b := New(Options{})
	text := `{"version":2,"rows":["future"]}`
	path := filepath.Join(c.DataDir, storageFile)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	assert.Contains(t, refused(t, b, c, protocol.HostStorageGet, `{"key":"k"}`), "version 2")
	assert.Contains(t, refused(t, b, c, protocol.HostStorageSet, `{"key":"k","value":"v"}`), "version 2")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(data))
}

func TestWhatAPluginPutsInPlaceOfTheFileLeadsNowhere(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte(`{"version":1,"values":{"k":"secret"}}`), 0o600))
	b := New(Options{})
	c := caller(t)
	path := filepath.Join(c.DataDir, storageFile)

	require.NoError(t, os.Symlink(secret, path))
	assert.Contains(t, refused(t, b, c, protocol.HostStorageGet, `{"key":"k"}`), "cannot be read")
	refused(t, b, c, protocol.HostStorageSet, `{"key":"k","value":"v"}`)
	require.NoError(t, os.Remove(path))

	require.NoError(t, syscall.Mkfifo(path, 0o600))
	assert.Contains(t, refused(t, b, c, protocol.HostStorageGet, `{"key":"k"}`), "not a regular file")
	require.NoError(t, os.Remove(path))

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 10<<30))
	assert.Contains(t, refused(t, b, c, protocol.HostStorageGet, `{"key":"k"}`), "larger than")
	require.NoError(t, os.Remove(path))

	// A link under the name that is written first is replaced, not followed.
	require.NoError(t, os.Symlink(secret, filepath.Join(c.DataDir, storageNew)))
	set(t, b, c, "k", `"v"`)
	data, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Contains(t, string(data), "secret")
}

func TestADirectoryThatCannotBeWrittenIsAnErrorWithoutItsPath(t *testing.T) {
	c := caller(t)
	c.DataDir = filepath.Join(c.DataDir, "file")
	require.NoError(t, os.WriteFile(c.DataDir, nil, 0o600))
	text := refused(t, New(Options{}), c, protocol.HostStorageSet, `{"key":"k","value":"v"}`)
	assert.Contains(t, text, "storage cannot be")
	assert.NotContains(t, text, c.DataDir)
	c.DataDir = ""
	assert.Equal(t, "this plugin has no data directory", refused(t, New(Options{}), c, protocol.HostStorageGet, `{"key":"k"}`))
}

func TestSetsOfOnePluginAtOnceLoseNothing(t *testing.T) {
	c := caller(t)
	b := New(Options{})
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() { set(t, b, c, strconv.Itoa(i), strconv.Itoa(i)) })
	}
	wg.Wait()
	for i := range 32 {
		assert.Equal(t, float64(i), get(t, b, c, strconv.Itoa(i)))
	}
}

// TestMain makes the test binary the host that a test kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FLASH_TEST_STORAGE_WRITER"); dir != "" {
		b := New(Options{})
		for i := 0; ; i++ {
			params := fmt.Sprintf(`{"key":"n","value":"%d %s"}`, i, strings.Repeat("x", i%60000))
			if r := b.Call(context.Background(), Caller{PluginID: "p", DataDir: dir}, protocol.HostStorageSet, []byte(params)); string(r) != `{"ok":true}` {
				os.Exit(3)
			}
			fmt.Println(i)
		}
	}
	os.Exit(m.Run())
}

func TestAKillAtAnyMomentLosesNothingThatWasAnswered(t *testing.T) {
	for round := range 6 {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FLASH_TEST_STORAGE_WRITER="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		last := -1
		for s := bufio.NewScanner(out); s.Scan(); {
			last, err = strconv.Atoi(s.Text())
			require.NoError(t, err)
			if last == 3+round*5 {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		require.Error(t, cmd.Wait())
		data, err := os.ReadFile(filepath.Join(dir, storageFile))
		require.NoError(t, err)
		var file struct{ Values map[string]string }
		require.NoError(t, json.Unmarshal(data, &file))
		number, _, _ := strings.Cut(file.Values["n"], " ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, n, last)
		c := Caller{PluginID: "p", DataDir: dir}
		set(t, New(Options{}), c, "after", `1`)
		assert.NotNil(t, get(t, New(Options{}), c, "n"))
	}
}

func FuzzDecodeStorage(f *testing.F) {
	f.Add([]byte(`{"version":1,"values":{"k":"v","n":[1,{"a":null}]}}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, version, err := decodeStorage(data)
		if err != nil || version != storageVersion {
			return
		}
		again, _, err := decodeStorage(encodeStorage(entries))
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%q does not come back: %v", data, err)
		}
		for i := range entries {
			if entries[i].key != again[i].key || !bytes.Equal(entries[i].value, again[i].value) {
				t.Fatalf("%q changed", data)
			}
		}
	})
}

func BenchmarkStorageSet(b *testing.B) {
	br := New(Options{})
	c := Caller{PluginID: "p", DataDir: b.TempDir()}
	for i := 0; b.Loop(); i++ {
		br.Call(context.Background(), c, protocol.HostStorageSet, fmt.Appendf(nil, `{"key":"k","value":%d}`, i))
	}
}
