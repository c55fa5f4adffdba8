package wlipc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

const outputs = `[{"name":"A","active":true,"primary":false,"rect":{"x":1920,"y":0,"width":1000,"height":500}},
{"name":"B","active":true,"primary":true,"rect":{"x":0,"y":100,"width":1920,"height":1080}},
{"name":"C","active":false,"primary":true,"rect":{"x":0,"y":0,"width":0,"height":0}}]`

// i3Tree has two screens, docks, a tabbed container, a sticky window, and one
// that is put away.
const i3Tree = `{"id":1,"type":"root","name":"root","focus":[20,10],"nodes":[
{"id":2,"type":"output","name":"__i3","focus":[3],"nodes":[{"id":3,"type":"con","name":"content","focus":[4],"nodes":[
  {"id":4,"type":"workspace","name":"__i3_scratch","focus":[5],"floating_nodes":[{"id":5,"type":"floating_con","focus":[6],"nodes":[
    {"id":6,"type":"con","name":"away","window":106,"window_properties":{"class":"Away","instance":"away"},"nodes":[],"focus":[]}]}]}]}]},
{"id":10,"type":"output","name":"A","focus":[12,11],"nodes":[
  {"id":11,"type":"dockarea","name":"topdock","nodes":[{"id":15,"type":"con","name":"bar","window":115}]},
  {"id":12,"type":"con","name":"content","focus":[14,13],"nodes":[
    {"id":13,"type":"workspace","name":"1: one","focus":[131],"nodes":[{"id":131,"type":"con","name":"behind","window":1131}]},
    {"id":14,"type":"workspace","name":"2","focus":[],"nodes":[]}]}]},
{"id":20,"type":"output","name":"B","focus":[22],"nodes":[{"id":22,"type":"con","name":"content","focus":[23],"nodes":[
  {"id":23,"type":"workspace","name":"3","focus":[24,30],"nodes":[{"id":24,"type":"con","layout":"tabbed","name":null,"focus":[26,25],"nodes":[
    {"id":25,"type":"con","name":"tab","window":125,"rect":{"x":10,"y":120,"width":100,"height":50}},
    {"id":26,"type":"con","name":"front\ntab","window":126,"focused":true,"rect":{"x":10,"y":120,"width":100,"height":50}}]}],
   "floating_nodes":[{"id":30,"type":"floating_con","sticky":true,"nodes":[{"id":31,"type":"con","name":null,"window":131}],"focus":[31]}]}]}]}]}`

func TestATreeIsReadFrontFirst(t *testing.T) {
	r, err := decodeTree([]byte(i3Tree), []byte(outputs))
	require.NoError(t, err)
	var titles []string
	for _, w := range r.windows {
		titles = append(titles, w.Title)
	}
	require.Equal(t, []string{"front tab", "tab", "", "behind", "away"}, titles)
	assert.Equal(t, box{0, 100, 1920, 1080}, r.screen)
	front := r.windows[0]
	assert.True(t, front.Focused)
	assert.Equal(t, int64(26), front.ID)
	assert.Equal(t, int64(126), front.x)
	assert.Equal(t, "3", front.Workspace)
	assert.Empty(t, r.windows[2].Workspace, "it is on all of them")
	assert.Equal(t, "1: one", r.windows[3].Workspace)
	assert.True(t, r.windows[4].Minimized)
	assert.Equal(t, "Away", r.windows[4].class)
	front.place(r.screen)
	assert.Equal(t, 10.0, front.Frame.X)
	assert.Equal(t, 100.0+1080-120-50, front.Frame.Y)
}

func TestAMessageIsNotBelievedItsLength(t *testing.T) {
	message := appendMessage(nil, swayTree, `{"a":1}`)
	kind, body, err := readMessage(bytes.NewReader(message))
	require.NoError(t, err)
	require.Equal(t, uint32(swayTree), kind)
	require.Equal(t, `{"a":1}`, string(body))
	for n := range message {
		_, _, err := readMessage(bytes.NewReader(message[:n]))
		require.Error(t, err, "%d bytes", n)
	}
	binary.NativeEndian.PutUint32(message[len(swayMagic):], maxMessage+1)
	_, _, err = readMessage(bytes.NewReader(message))
	require.ErrorIs(t, err, errWire)
	binary.NativeEndian.PutUint32(message[len(swayMagic):], maxMessage)
	_, _, err = readMessage(bytes.NewReader(message))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestALineThatIsTooLongIsCut(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("windowtitlev2>>a1," + strings.Repeat("x", 3*maxLine) + "\nactivewindowv2>>b2\nhalf"))
	line, err := readLine(r)
	require.NoError(t, err)
	require.Len(t, line, maxLine)
	require.Len(t, *decodeLine(line).title, window.MaxText)
	line, err = readLine(r)
	require.NoError(t, err)
	require.Equal(t, change{id: 0xb2, focus: true, reread: true}, decodeLine(line))
	_, err = readLine(r)
	require.Error(t, err)
}

func TestARefusedCommandIsAWindowThatIsGone(t *testing.T) {
	require.NoError(t, ranWell([]byte(`[{"success":true}]`)))
	require.ErrorIs(t, ranWell([]byte(`[{"success":false,"error":"No matching node."}]`)), ErrGone)
	require.ErrorIs(t, ranWell([]byte(`{}`)), errWire)
}

func sound(t *testing.T, r reading, err error) {
	t.Helper()
	if err != nil {
		require.True(t, errors.Is(err, errWire))
		return
	}
	for _, w := range r.windows {
		require.True(t, utf8.ValidString(w.Title+w.class+w.instance+w.Workspace))
		require.NotContains(t, w.Title, "\n")
		require.LessOrEqual(t, len(w.Title), window.MaxText)
		require.GreaterOrEqual(t, w.PID, 0)
		require.LessOrEqual(t, max(w.box.x, -w.box.x, w.box.y, -w.box.y, w.box.w, w.box.h), far)
		require.GreaterOrEqual(t, min(w.box.w, w.box.h), 0)
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(i3Tree), []byte(outputs))
	f.Add([]byte(`{"focus":[1,1],"nodes":[{"id":1,"nodes":[{"type":"workspace","nodes":[{"type":"con","pid":-1,"app_id":"x","rect":{"x":-99999999999}}]}]}]}`), []byte(`[{"active":true}]`))
	f.Add([]byte(`null`), []byte(`null`))
	f.Fuzz(func(t *testing.T, tree, screens []byte) {
		r, err := decodeTree(tree, screens)
		sound(t, r, err)
	})
}

func FuzzMessage(f *testing.F) {
	f.Add(appendMessage(nil, swayWindowEvent, `{"change":"title","container":{"id":5,"name":"x"}}`))
	f.Add(appendMessage(nil, swayWindowEvent, `{"change":"focus","container":{"id":5,"name":null}}`))
	f.Add(appendMessage(nil, swayWorkspaceEvent, `{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, body, err := readMessage(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.Equal(t, data[:swayHeader+len(body)], appendMessage(nil, kind, string(body)))
		if c, err := decodeEvent(kind, body); err == nil && c.title != nil {
			require.True(t, utf8.ValidString(*c.title))
		}
	})
}

func FuzzHyprland(f *testing.F) {
	f.Add([]byte(`[{"address":"0xa1","mapped":true,"at":[1,2],"size":[3,4],"title":"x","pid":1}]`), []byte(`[{"width":1,"height":2,"scale":0.0001,"transform":3}]`), []byte(`{"address":"0xa1"}`))
	f.Add([]byte(`[]`), []byte(`[]`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, clients, monitors, active []byte) {
		r, err := decodeClients(clients, monitors, active)
		sound(t, r, err)
		line, err := readLine(bufio.NewReader(bytes.NewReader(clients)))
		if err != nil {
			return
		}
		if c := decodeLine(line); c.title != nil {
			require.True(t, utf8.ValidString(*c.title))
			require.NotContains(t, *c.title, "\n")
		}
	})
}
