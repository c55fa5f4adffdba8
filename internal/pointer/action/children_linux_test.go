package action

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// childrenOf counts the children of this process, dead ones included.
func childrenOf(t *testing.T) int {
	t.Helper()
	n := 0
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, task := range tasks {
		data, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%s/children", task.Name()))
		if err == nil {
			n += len(strings.Fields(string(bytes.TrimSpace(data))))
		}
	}
	return n
}
