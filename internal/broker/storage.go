package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/flash-launcher/flash/protocol"
)

// A plugin's storage is one file, `{"version":1,"values":{key:value,…}}`, read
// and replaced whole: it is small, and what is on the disk is at every moment
// either the old or the new one. Nothing of it is kept in memory.
const (
	storageFile    = "storage.json"
	storageNew     = "storage.json.new"
	storageCorrupt = "storage.json.corrupt"
	storageVersion = 1
	storageMode    = 0o600

	// maxStorageFile holds 256 values of full size; only escapes (a control
	// character takes six bytes) can make allowed values larger than that.
	maxStorageFile = 24 << 20
)

type storageEntry struct {
	key   string
	value []byte // JSON
}

func (b *Broker) storageGet(ctx context.Context, c *call) ([]byte, error) {
	key := c.storageKey()
	if err := c.done(); err != nil {
		return nil, err
	}
	entries, err := b.readStorage(ctx, c)
	if err != nil {
		return nil, err
	}
	<-c.lane.storage
	if i := slices.IndexFunc(entries, func(e storageEntry) bool { return e.key == key }); i >= 0 {
		return success().Bool("present", true).Raw("value", entries[i].value).Bytes(), nil
	}
	return success().Bool("present", false).Bytes(), nil
}

func (b *Broker) storageSet(ctx context.Context, c *call) ([]byte, error) {
	key := c.storageKey()
	value := c.storageValue()
	if err := c.done(); err != nil {
		return nil, err
	}
	entries, err := b.readStorage(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { <-c.lane.storage }()
	i := slices.IndexFunc(entries, func(e storageEntry) bool { return e.key == key })
	switch {
	case value == nil && i < 0:
		return success().Bytes(), nil
	case value == nil:
		entries = slices.Delete(entries, i, i+1)
	case i >= 0:
		if string(entries[i].value) == string(value) {
			return success().Bytes(), nil
		}
		entries[i].value = value
	case len(entries) >= protocol.MaxStorageEntries:
		return nil, refusal(fmt.Sprintf("storage is full: it holds %d keys; delete one by setting it to null", len(entries)))
	default:
		entries = append(entries, storageEntry{key, value})
	}
	data := encodeStorage(entries)
	if len(data) > maxStorageFile {
		return nil, refusal(fmt.Sprintf("storage is full: its file would be larger than %d bytes", maxStorageFile))
	}
	if err := writeStorage(c.DataDir, data); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return nil, refusal("the disk is full: the stored values are unchanged")
		}
		b.o.Logger.Warn("storage cannot be written", "plugin", c.PluginID, "error", reason(err))
		return nil, refusal("storage cannot be written: " + reason(err))
	}
	return success().Bytes(), nil
}

func (c *call) storageKey() string {
	key := c.params.String("key")
	if c.params.Err() == nil && (key == "" || len(key) > protocol.MaxStorageKey) {
		c.params.Fail("key", fmt.Sprintf("is not of 1 to %d bytes", protocol.MaxStorageKey))
	}
	return key
}

// storageValue returns the value as it will stand in the file, nil to delete.
// Of a string the quota counts its bytes, of anything else its JSON.
func (c *call) storageValue() []byte {
	raw := c.params.Raw("value")
	if raw == nil {
		return nil
	}
	size := len(raw)
	if raw[0] == '"' {
		s := c.params.String("value")
		raw, size = protocol.AppendString(nil, s), len(s)
	}
	if size > protocol.MaxStorageValue {
		c.params.Fail("value", fmt.Sprintf("is longer than %d bytes", protocol.MaxStorageValue))
	}
	return raw
}

// readStorage takes the plugin's storage lock, which the caller gives back if
// there is no error, and reads the file.
func (b *Broker) readStorage(ctx context.Context, c *call) (entries []storageEntry, err error) {
	if c.DataDir == "" {
		return nil, refusal("this plugin has no data directory")
	}
	select {
	case c.lane.storage <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		if err != nil {
			<-c.lane.storage
		}
	}()
	data, err := loadStorage(c.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		b.o.Logger.Warn("storage cannot be read", "plugin", c.PluginID, "error", reason(err))
		return nil, refusal("storage cannot be read: " + reason(err))
	}
	entries, version, err := decodeStorage(data)
	if err != nil {
		return nil, b.setAside(c, len(data))
	}
	if version != storageVersion {
		return nil, refusal(fmt.Sprintf("%s is of version %d and this host writes %d: it is left alone; upgrade Flash, or move the file out of the plugin's data directory", storageFile, version, storageVersion))
	}
	return entries, nil
}

// setAside moves a file that is no storage out of the way, where the user can
// still look at it. The plugin starts over with an empty store.
func (b *Broker) setAside(c *call, size int) error {
	root, err := os.OpenRoot(c.DataDir)
	if err == nil {
		defer root.Close()
		err = root.Rename(storageFile, storageCorrupt)
	}
	if err != nil {
		return refusal("storage is corrupt and cannot be moved aside: " + reason(err))
	}
	b.o.Logger.Warn("corrupt storage was moved aside", "plugin", c.PluginID, "file", storageCorrupt, "bytes", size)
	return nil
}

// loadStorage reads the file. The plugin writes to the directory too, so the
// file may be anything: a link out of it, a pipe, a gigabyte.
func loadStorage(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(storageFile, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if st.Size() > maxStorageFile {
		return nil, errors.New("larger than its quotas allow")
	}
	// One that grows meanwhile is cut and so corrupt, not read on and on.
	return io.ReadAll(io.LimitReader(f, maxStorageFile))
}

// writeStorage replaces the file. Its new content and its new name are on the
// disk before it returns, so a reply is a promise that also a power cut keeps.
func writeStorage(dir string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// What a killed host left, or a plugin put there, is not written into.
	if err := root.RemoveAll(storageNew); err != nil {
		return err
	}
	f, err := root.OpenFile(storageNew, os.O_WRONLY|os.O_CREATE|os.O_EXCL, storageMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(storageNew, storageFile)
	}
	if err != nil {
		_ = root.Remove(storageNew)
		return err
	}
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func encodeStorage(entries []storageEntry) []byte {
	return append(protocol.NewObject(nil).Int("version", storageVersion).With("values", func(dst []byte) []byte {
		o := protocol.NewObject(dst)
		for _, e := range entries {
			o.Raw(e.key, e.value)
		}
		return o.Bytes()
	}).Bytes(), '\n')
}

// decodeStorage reads a file. Of another version only that is known.
func decodeStorage(data []byte) (entries []storageEntry, version int64, err error) {
	o, err := protocol.ParseObject(data)
	if err != nil {
		return nil, 0, err
	}
	if version = o.Int("version"); o.Err() != nil || version != storageVersion {
		return nil, version, o.Err()
	}
	values := o.Object("values")
	for _, key := range values.Keys() {
		if raw := values.Raw(key); raw != nil {
			entries = append(entries, storageEntry{key, raw})
		}
	}
	if err := o.Done(); err != nil {
		return nil, version, err
	}
	return entries, version, nil
}

// reason is an error without the path that the os package puts into it.
func reason(err error) string {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err.Error()
	case errors.As(err, &le):
		return le.Err.Error()
	}
	return err.Error()
}
