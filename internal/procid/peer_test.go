package procid_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/procid"
)

func TestTheUserAtTheOtherEndIsKnown(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer l.Close()
	near, err := net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	defer near.Close()
	far, err := l.Accept()
	require.NoError(t, err)
	defer far.Close()
	for _, c := range []net.Conn{near, far} {
		uid, err := procid.PeerUID(c.(*net.UnixConn))
		require.NoError(t, err)
		require.Equal(t, os.Geteuid(), uid)
	}
	require.NoError(t, near.Close())
	_, err = procid.PeerUID(near.(*net.UnixConn))
	require.Error(t, err)
}
