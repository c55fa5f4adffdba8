package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnApplicationThatNothingDescribesHasTheIconOfItsName(t *testing.T) {
	icons := map[string]string{"org.gnome.Editor": "accessories-text-editor", "plain": ""}
	for id, want := range map[string]string{
		"org.gnome.Editor": "accessories-text-editor", "XTerm": "xterm", "plain": "plain",
		"/home/u/secret.png": "", "../x": "",
	} {
		assert.Equal(t, want, iconName(icons, id), id)
	}
}
