package protocol

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fullManifest = `{
  "id": "demo.one_2-x", "name": "Demo", "version": "1.2.3", "description": "All there is",
  "exec": ["./run", "-v", "-v"], "install": "./install.sh --all",
  "sandbox": {"exec": ["git"], "unix_sockets": ["/tmp/s"], "read": ["~/.x"], "mach": ["com.x"], "appleevents": true, "signal": true},
  "capabilities": ["network_fetch", "open"], "fetch_urls": ["https://example.com/"],
  "listen": ["core:*", "core:poll:demo"], "only_bundle_ids": ["org.x"], "only_terminals": true, "priority": -5,
  "sources": [{"name": "demo.a", "live": true, "priority": "urgent"}, {"name": "demo.b", "kind": "default", "live": true}],
  "query": {"prefixes": ["="]}, "hints": {"fallback_on_empty": true},
  "commands": [{"command": "demo", "subcommand": "*", "description": "d", "timeout_ms": 60000}, {"command": "demo", "subcommand": "go"}, {"command": "bare"}],
  "bangs": {"command": "demo", "items": [{"token": "d", "description": "x", "source": "demo.a"}, {"token": "e"}]},
  "actions": ["act"], "navigation": ["demo"], "status": ["seg"],
  "verbs": [{"name": "v", "keystrokes": {"org.x": "cmd-a", "org.y": ["g", "g"]}}],
  "mappings": [{"key": "gx", "mode": "normal", "command": ["demo", "go"], "only_bundle_ids": ["org.x"]}],
  "help": {"topics": ["Start", {"title": "More", "text": "…"}]},
  "platforms": ["linux", "macos"]
}`

func TestAFullManifestIsRead(t *testing.T) {
	m, err := DecodeManifest([]byte(fullManifest))
	require.NoError(t, err)
	require.Equal(t, &Manifest{
		ID: "demo.one_2-x", Name: "Demo", Version: "1.2.3", Description: "All there is",
		Exec: []string{"./run", "-v", "-v"}, Install: "./install.sh --all",
		Sandbox: Sandbox{
			Exec: []string{"git"}, UnixSockets: []string{"/tmp/s"}, Read: []string{"~/.x"}, Mach: []string{"com.x"},
			AppleEvents: true, Signal: true,
		},
		Capabilities: []string{"network_fetch", "open"}, FetchURLs: []string{"https://example.com/"},
		Listen: []string{"core:*", "core:poll:demo"}, OnlyBundleIDs: []string{"org.x"}, OnlyTerminals: true, Priority: -5,
		Sources: []Source{{"demo.a", "default", "urgent", true}, {"demo.b", "default", "normal", true}},
		Query:   &Query{[]string{"="}}, Hints: &HintsUse{true},
		Commands: []Command{{"demo", "*", "d", 60000}, {Command: "demo", Subcommand: "go"}, {Command: "bare"}},
		Bangs:    &Bangs{"demo", []Bang{{"d", "x", "demo.a"}, {Token: "e"}}},
		Actions:  []string{"act"}, Navigation: []string{"demo"}, Status: []string{"seg"},
		Verbs:      []Verb{{"v", map[string][]string{"org.x": {"cmd-a"}, "org.y": {"g", "g"}}}},
		Mappings:   []Mapping{{"gx", "normal", []string{"demo", "go"}, []string{"org.x"}}},
		HelpTopics: []HelpTopic{{Title: "Start"}, {"More", "…"}},
		Platforms:  []string{"linux", "macos"},
	}, m)
	require.True(t, m.HasCapability(CapOpen))
	require.False(t, m.HasCapability(CapClipboard))
	require.True(t, m.DeclaresSource("demo.b"))
	require.False(t, m.DeclaresSource("demo.c"))
	require.True(t, m.DeclaresStatus("seg"))
	require.True(t, m.Listens(EventAXChanged))
	require.False(t, m.Listens("other:x"))
	require.True(t, m.Supports("darwin"))
	require.False(t, m.Supports("plan9"))
	require.Equal(t, "go", m.CommandFor("demo", "go").Subcommand)
	require.Equal(t, "*", m.CommandFor("demo", "other").Subcommand)
	require.Nil(t, m.CommandFor("bare", "x"))
	require.Nil(t, m.CommandFor("none", ""))
}

// with returns the smallest manifest with more keys.
func with(more string) []byte {
	return []byte(`{"id":"a","name":"A","version":"1","description":"d"` + more + `}`)
}

func TestTheSmallestManifestHasItsDefaults(t *testing.T) {
	m, err := DecodeManifest(with(`,"query":null,"sources":[]`))
	require.NoError(t, err)
	require.Equal(t, &Manifest{ID: "a", Name: "A", Version: "1", Description: "d", Priority: DefaultPriority}, m)
	require.True(t, m.Supports("linux"))
}

func TestEachFaultOfAManifestNamesItsPath(t *testing.T) {
	for more, fault := range map[string]string{
		`,"extra":1`:                        `extra: unknown key`,
		`,"exec":[]`:                        `exec: names no program`,
		`,"exec":"run"`:                     `exec: is no array`,
		`,"exec":["a",""]`:                  `exec[1]: is empty`,
		`,"exec":[1]`:                       `exec[0]: is no string`,
		`,"install":[]`:                     `install: is no string`,
		`,"sandbox":[]`:                     `sandbox: is no object`,
		`,"sandbox":{"write":["/"]}`:        `sandbox.write: unknown key`,
		`,"sandbox":{"appleevents":"yes"}`:  `sandbox.appleevents: is no boolean`,
		`,"sandbox":{"read":["a","b","a"]}`: `sandbox.read[2]: "a" stands there twice`,
		`,"capabilities":["fly"]`:           `capabilities[0]: "fly" is not one of accessibility, app_control,`,
		`,"capabilities":["network_fetch"]`: `fetch_urls: is missing beside the capability network_fetch`,
		`,"fetch_urls":["https://x/"]`:      `capabilities: network_fetch is missing beside fetch_urls`,
		`,"capabilities":["network_fetch"],"fetch_urls":["http://x/"]`:  `fetch_urls[0]: "http://x/" is no https URL`,
		`,"capabilities":["network_fetch"],"fetch_urls":["https:///x"]`: `fetch_urls[0]: "https:///x" is no https URL`,
		`,"listen":[""]`:      `listen[0]: is empty`,
		`,"only_terminals":0`: `only_terminals: is no boolean`,
		`,"priority":1.5`:     `priority: is no integer`,
		`,"priority":"high"`:  `priority: is no integer`,
		`,"priority":1000001`: `priority: is not from -1000000 to 1000000`,
		`,"sources":{}`:       `sources: is no array`,
		`,"sources":["x"]`:    `sources[0]: is no object`,
		`,"sources":[{}]`:     `sources[0].name: is missing`,
		`,"sources":[{"name":"a"},{"name":"b","kind":"loc"}]`:              `sources[1].kind: "loc" is not one of default, locations`,
		`,"sources":[{"name":"a","priority":"top"}]`:                       `sources[0].priority: "top" is not one of low, normal, high, important, urgent`,
		`,"sources":[{"name":"a"},{"name":"a"}]`:                           `sources[1].name: "a" stands there twice`,
		`,"sources":[{"name":"a","kind":"locations","live":true}]`:         `sources[0].live: a source of kind locations cannot be live`,
		`,"sources":[{"name":"a","live":true},{"name":"b"}]`:               `sources: are all live or none is`,
		`,"sources":[{"name":"a","x":1}]`:                                  `sources[0].x: unknown key`,
		`,"query":true`:                                                    `query: is no object`,
		`,"query":{"prefixes":"="}`:                                        `query.prefixes: is no array`,
		`,"query":{"regex":"x"}`:                                           `query.regex: unknown key`,
		`,"hints":{"x":1}`:                                                 `hints.x: unknown key`,
		`,"commands":[{"subcommand":"x"}]`:                                 `commands[0].command: is missing`,
		`,"commands":[{"command":"x","timeout_ms":0}]`:                     `commands[0].timeout_ms: is not from 1 to 600000`,
		`,"commands":[{"command":"x","description":1}]`:                    `commands[0].description: is no string`,
		`,"commands":[{"command":"x"},{"command":"x"}]`:                    `commands[1].subcommand: "" of this command stands there twice`,
		`,"commands":[{"command":"x y"}]`:                                  `commands[0].command: holds a space`,
		`,"commands":[{"command":"x","subcommand":"y\u00a0z"}]`:            `commands[0].subcommand: holds a space`,
		`,"bangs":{"items":[]}`:                                            `bangs.command: is missing`,
		`,"bangs":{"command":"a","items":[{"token":"x y"}]}`:               `bangs.items[0].token: holds a space`,
		`,"bangs":{"command":"a","items":[{"token":"x"},{"token":"x"}]}`:   `bangs.items[1].token: "x" stands there twice`,
		`,"bangs":{"command":"a","items":[{"token":"x","source":"none"}]}`: `bangs.items[0].source: "none" is not declared in sources`,
		`,"actions":[{"name":"x"}]`:                                        `actions[0]: is no string`,
		`,"status":["a","a"]`:                                              `status[1]: "a" stands there twice`,
		`,"verbs":[{"keystrokes":{}}]`:                                     `verbs[0].name: is missing`,
		`,"verbs":[{"name":"v","keystrokes":{"a":1}}]`:                     `verbs[0].keystrokes.a: is no array`,
		`,"mappings":[{"key":"x"}]`:                                        `mappings[0].command: is missing`,
		`,"help":{"topics":[5]}`:                                           `help.topics[0]: is no object`,
		`,"help":{"topics":[{"text":"x"}]}`:                                `help.topics[0].title: is missing`,
		`,"help":{"topics":{}}`:                                            `help.topics: is no array`,
		`,"platforms":["windows"]`:                                         `platforms[0]: "windows" is not one of darwin, linux, macos`,
		`,"name":"B"`:                                                      `name: stands there twice`,
		`,"sandbox":{"read":[],"read":[]}`:                                 `sandbox.read: stands there twice`,
	} {
		m, err := DecodeManifest(with(more))
		var faults ManifestErrors
		require.ErrorAs(t, err, &faults, more)
		require.Len(t, faults, 1, "%s: %v", more, err)
		assert.Contains(t, err.Error(), fault)
		assert.Nil(t, m)
	}
}

func TestAllFaultsOfAManifestAreReportedAtOnce(t *testing.T) {
	_, err := DecodeManifest([]byte(`{"id":"A/b","name":"","version":1,"x":0,"sources":[{"name":"a"},{"kind":"loc","z":[]}],"sandbox":{"y":1}}`))
	require.Equal(t, []string{
		`name: is empty`,
		`version: is no string`,
		`description: is missing`,
		`id: "A/b" is not [a-z0-9._-] without ..`,
		`sandbox.y: unknown key`,
		`sources[1].name: is missing`,
		`sources[1].kind: "loc" is not one of default, locations`,
		`sources[1].z: unknown key`,
		`x: unknown key`,
	}, strings.Split(err.Error(), "; "))
}

func TestAManifestThatIsNoJSONSaysSo(t *testing.T) {
	for _, data := range []string{``, `{`, `{"id":"a",}`, "{\"id\":\"\xff\"}", strings.Repeat("[", 200)} {
		_, err := DecodeManifest([]byte(data))
		require.ErrorContains(t, err, "is no JSON", data)
	}
	for data, want := range map[string]string{
		"{\n  \"id\": \"ä\", }": "is no JSON: expected a key at byte 16, line 2, column 14",
		"{\"id\":":              "is no JSON: expected a value at byte 6, line 1, column 7",
		"\ufeff{}":              "begins with a byte-order mark; save it as UTF-8 without one",
	} {
		_, err := DecodeManifest([]byte(data))
		assert.EqualError(t, err, want, data)
	}
	_, err := DecodeManifest([]byte(`[]`))
	require.EqualError(t, err, "is no object")
	_, err = DecodeManifest(with(strings.Repeat(" ", MaxManifest)))
	require.ErrorContains(t, err, "larger than")
}

func TestPluginIDsCanBeDirectoryNames(t *testing.T) {
	for id, valid := range map[string]bool{
		"a": true, "a.b-c_9": true, "9": true, ".a": true, "": false, ".": false, "..": false, "a..b": false, "A": false, "a/b": false, "é": false, "a b": false,
	} {
		assert.Equal(t, valid, ValidPluginID(id), id)
	}
}

func TestActivationFollowsWhatIsDeclared(t *testing.T) {
	for more, want := range map[string]Activation{
		`,"sources":[{"name":"a"}]`:                             ManifestOnly,
		`,"exec":["x"],"sources":[{"name":"a"}]`:                Resident,
		`,"exec":["x"],"query":{}`:                              Resident,
		`,"exec":["x"],"listen":["core:*"]`:                     Resident,
		`,"exec":["x"],"status":["s"]`:                          StatusBound,
		`,"exec":["x"],"status":["s"],"listen":["core:*"]`:      StatusBound,
		`,"exec":["x"],"status":["s"],"query":{}`:               Resident,
		`,"exec":["x"],"status":["s"],"sources":[{"name":"a"}]`: Resident,
		`,"exec":["x"],"commands":[{"command":"c"}]`:            OnDemand,
		`,"exec":["x"],"sources":[],"bangs":{"command":"c"}`:    OnDemand,
	} {
		m, err := DecodeManifest(with(more))
		require.NoError(t, err, more)
		assert.Equal(t, want, m.Activation(), more)
	}
	assert.Equal(t, "status-bound", StatusBound.String())
}

func TestPatternsMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"core:apps.changed", "core:apps.changed", true},
		{"core:apps.changed", "core:apps.changed2", false},
		{"core:*", "core:apps.changed", true},
		{"core:*", "core:", true},
		{"core:*", "cor", false},
		{"*", "", true},
		{"*", "anything", true},
		{"*.changed", "core:apps.changed", true},
		{"*.changed", "core:apps.changedx", false},
		{"core:*.changed", "core:window.focus.changed", true},
		{"c*a*e", "core:apps.e", true},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"*ab*ab", "abab", true},
		{"*ab*ab", "ab", false},
		{"a**b", "ab", true},
		{"?", "x", false},
		{"[a]", "[a]", true},
		{"", "", true},
		{"", "x", false},
	} {
		assert.Equal(t, c.want, MatchPattern(c.pattern, c.name), "%s %s", c.pattern, c.name)
	}
}

// FuzzMatchPattern holds the matcher to the plain recursive definition.
func FuzzMatchPattern(f *testing.F) {
	f.Add("a*b*c", "aXbYc")
	var plainly func(p, s string) bool
	plainly = func(p, s string) bool {
		switch {
		case p == "":
			return s == ""
		case p[0] == '*':
			return plainly(p[1:], s) || s != "" && plainly(p, s[1:])
		}
		return s != "" && p[0] == s[0] && plainly(p[1:], s[1:])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Count(pattern, "*") > 4 || len(name) > 64 {
			return
		}
		require.Equal(t, plainly(pattern, name), MatchPattern(pattern, name))
	})
}

// FuzzManifest lets no manifest pass that encoding/json refuses or reads otherwise.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(fullManifest))
	f.Add(with(`,"sources":[{"name":"a","kind":"loc"}],"x":1,"x":2`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeManifest(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			require.Nil(t, m)
			return
		}
		var std struct {
			ID, Name, Version, Description string
			Exec, Listen, Status           []string
			Sources                        []Source
		}
		require.NoError(t, json.Unmarshal(data, &std))
		require.True(t, ValidPluginID(m.ID))
		require.Equal(t, std.ID, m.ID)
		require.Equal(t, std.Name, m.Name)
		require.Len(t, m.Sources, len(std.Sources))
		require.Equal(t, len(std.Exec), len(m.Exec))
	})
}
