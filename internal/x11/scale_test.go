package x11_test

import (
	"testing"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/x11"
)

func TestTheUsersResolutionIsAskedFirst(t *testing.T) {
	assert.Equal(t, float32(1), x11.Scale(0, 1920, 530))
	assert.Equal(t, float32(2), x11.Scale(0, 3840, 340))
	assert.Equal(t, float32(1), x11.Scale(0, 3840, 0), "a monitor without a size")
	assert.Equal(t, float32(1.5), x11.Scale(144, 3840, 340))
	assert.Equal(t, float32(1), x11.Scale(9999, 1920, 530))

	s := server(t)
	c, err := x11.Dial(s.Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(t, err)
	defer c.Close()
	assert.Zero(t, c.DPI())
	text := "*foo:\tbar\nXft.dpi:\t144\n"
	require.NoError(t, xproto.ChangePropertyChecked(c.Conn, xproto.PropModeReplace, c.Root, xproto.AtomResourceManager, xproto.AtomString, 8, uint32(len(text)), []byte(text)).Check())
	assert.Equal(t, 144.0, c.DPI())
}
