package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func readDocument(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	return string(data)
}

// fenced returns the contents of the document's code blocks of a language.
func fenced(document, language string) []string {
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(document, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

func TestTheFramesOfTheDocumentKeepTheLaws(t *testing.T) {
	manifest := []byte(`{"id":"notes","name":"n","version":"1","description":"d","exec":["./n"],"sources":[{"name":"notes"}],"status":["battery"]}`)
	s, err := readSurfaces(manifest)
	require.NoError(t, err)
	blocks := fenced(readDocument(t), "ndjson")
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		j := newJudge(s, nil)
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			from, text, ok := strings.Cut(line, " ")
			require.True(t, ok, line)
			e, err := parseEnvelope([]byte(text), from == "→")
			require.NoError(t, err, line)
			if from == "→" {
				j.sent([]byte(text))
			} else if f := j.frame(&frame{envelope: *e}); f != nil {
				t.Errorf("%s: %s", line, f.Difference)
			}
		}
		assert.Empty(t, j.owed(), block)
	}
}

func TestTheManifestOfTheDocumentIsValid(t *testing.T) {
	for _, block := range fenced(readDocument(t), "json") {
		_, err := protocol.DecodeManifest([]byte(block))
		require.NoError(t, err)
	}
}

func TestTheDocumentNamesEverythingOfTheWire(t *testing.T) {
	document := readDocument(t)
	var spec struct {
		Quotas       map[string]int64
		Errors       map[string]string
		Capabilities []string
		Events       []struct{ Name string }
		Methods      map[string][]struct{ Name, Capability string }
		RowMetadata  []string `json:"row_metadata"`
		PerformKinds []string `json:"perform_kinds"`
	}
	require.NoError(t, json.Unmarshal(protocol.SpecJSON(), &spec))
	require.NotEmpty(t, spec.Quotas)
	for name, limit := range spec.Quotas {
		assert.Regexp(t, fmt.Sprintf("(?m)^\\| `%s` \\| %d( [a-z]+)? \\|$", name, limit), document)
	}
	placeholders := strings.NewReplacer("{method}", "<m>", "{host}", "<H>", "{plugin}", "1", "{capability}", "<capability>")
	for name, text := range spec.Errors {
		want := placeholders.Replace(text)
		if name == "invalid_params" {
			want = "invalid <method> params"
		}
		assert.Contains(t, document, "- `"+want+"`\n")
	}
	for _, list := range spec.Methods {
		for _, m := range list {
			assert.Contains(t, document, "`"+m.Name)
			if m.Capability != "" {
				assert.Contains(t, document, "| `"+m.Name+"` | `"+m.Capability+"` |")
			}
		}
	}
	for _, e := range spec.Events {
		assert.Contains(t, document, "| `"+strings.ReplaceAll(e.Name, "*", "<name>")+"` |")
	}
	for _, name := range append(append(spec.Capabilities, spec.RowMetadata...), spec.PerformKinds...) {
		assert.Contains(t, document, "`"+name+"`")
	}
}

func TestTheDenialsOfTheRunnerAreThoseOfTheWire(t *testing.T) {
	var spec struct {
		Methods map[string][]struct{ Name, Capability string }
	}
	require.NoError(t, json.Unmarshal(protocol.SpecJSON(), &spec))
	denied := 0
	for _, m := range spec.Methods["plugin_to_host"] {
		if m.Capability != "" {
			denied++
			assert.Equal(t, m.Capability, capabilityOf[m.Name], m.Name)
		}
	}
	assert.Len(t, capabilityOf, denied)
}
