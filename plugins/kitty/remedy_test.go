package kitty

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheRemedyIsThatOfThePlatform(t *testing.T) {
	assert.Contains(t, remedy("linux", 7), "listen_on unix:${XDG_RUNTIME_DIR}/kitty/kitty")
	assert.Contains(t, remedy("darwin", 501), "listen_on unix:/tmp/kitty-501/kitty")
	assert.Contains(t, errNothing.Error(), "kitty.conf")
	assert.False(t, errors.Is(errNothing, errDead))
	assert.True(t, errors.Is(fmt.Errorf("read: %w", errDead), errDead))
}
