package sandbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARuleThatADirectoryAboveGrantsIsLeftOut(t *testing.T) {
	assert.Equal(t,
		[]rule{
			{"/proc", rightsRead},
			{"/usr", rightsRead},
			{"/usr/bin/a", rightRead | rightExec},
			{"/usr/share/b", rightsWrite},
			{"/usrlocal", rightRead},
		},
		needed([]rule{
			{"/usr/share/b/c", rightRead}, {"/usr/share/b", rightsWrite}, {"/usr/bin/a", rightRead | rightExec},
			{"/usr/lib", rightsRead}, {"/usrlocal", rightRead}, {"/usr", rightsRead}, {"/proc/stat", rightRead}, {"/proc", rightsRead},
		}))
	// Rights of several directories above add up.
	assert.Equal(t, []rule{{"/a", rightRead}, {"/a/b", rightExec}},
		needed([]rule{{"/a", rightRead}, {"/a/b", rightExec}, {"/a/b/c", rightRead | rightExec}}))
}
