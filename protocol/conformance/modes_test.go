package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/flash-launcher/flash/protocol"
)

// faults are the modes in which the test binary misbehaves.
func faults() map[string]fault {
	reply := regexp.MustCompile(`^\{"id":(\d+),"result":`)
	deadline := regexp.MustCompile(`,?"deadline_ms":\d+`)
	lines := 0
	var heldBack []byte
	return map[string]fault{
		"silent": {out: func([]byte) [][]byte { return nil }},
		"replies twice": {out: func(line []byte) [][]byte {
			if reply.Match(line) {
				return [][]byte{line, line}
			}
			return one(line)
		}},
		"wrong id":         swap(`^\{"id":(\d+),"result":`, `{"id":1$1,"result":`),
		"ids of 32 bits":   swap(`^\{"id":9007199254740991,`, `{"id":4294967295,`),
		"logs to stdout":   {begin: func(emit func(string)) { emit("starting up") }},
		"speaks first":     {begin: func(emit func(string)) { emit(`{"method":"log","params":{"level":"info","message":"up","fields":{}}}`) }},
		"chatters":         {begin: func(emit func(string)) { emit(`{"method":"hello","params":{}}`) }},
		"exits early":      {begin: func(func(string)) { os.Exit(3) }},
		"writes CRLF":      {out: func(line []byte) [][]byte { return one(append(line, '\r')) }},
		"writes ASCII":     swap(`[^\x00-\x7f]`, `?`),
		"takes any host":   swap(`\{"ok":false,"protocol_version":1,.*\}\}$`, `{"ok":true,"protocol_version":1}}`),
		"own words":        swap(`"error":"[^"]*"`, `"error":"no"`),
		"accepts anything": swap(`"result":\{"ok":false,"error":"[^"]*"\}`, `"result":{"ok":true}`),
		"never fails":      swap(`"result":\{"ok":false,"error":"[^"]*"\}`, `"result":{"ok":false,"unhandled":true}`),
		"handles all":      swap(`"result":\{"ok":false,.*\}\}$`, `"result":{"ok":true}}`),
		"mixes arms":       swap(`"result":\{"ok":false,"error"`, `"result":{"ok":false,"unhandled":true,"error"`),
		"mumbles":          swap(`"message":"(\\.|[^"\\])*"`, `"message":"x"`),
		"says nothing":     swap(`,?"message":"(\\.|[^"\\])*"`, ``),
		"adds a key":       swap(`"result":\{"ok":`, `"result":{"extra":1,"ok":`),
		"no boolean":       swap(`"result":\{"ok":(true|false)`, `"result":{"ok":"$1"`),
		"names no process": swap(`,?"target_pid":4242`, ``),
		"foreign source":   swap(`"source":"[^"]*"`, `"source":"other"`),
		"other titles":     swap(`"title":"`, `"title":"x`),
		"other places":     swap(`"frame":\{"x":-10.5`, `"frame":{"x":10.5`),
		"answers always":   swap(`"answers":\[\]`, `"answers":[{"title":"t","effect":{"type":"copy_text","text":"t"}}]`),
		"too many rows":    swap(`"rows":\[.*\]`, `"rows":[]`),
		"shortens rows":    truncates("rows", 1),
		"shortens answers": truncates("answers", protocol.MaxAnswers),
		"never publishes":  {out: drop(`"method":"publish"`)},
		"other log":        swap(`"method":"log","params":\{.*\}\}$`, `"method":"log","params":{"level":"debug","message":"x","fields":{}}}`),
		"other status":     swap(`"segments":\{.*\}\}\}$`, `"segments":{"state":"?"}}}`),
		"one call id":      swap(`^\{"id":\d+,"method":`, `{"id":1,"method":`),
		"asks for nothing": swap(`("method":"host\.[a-z_]+","params":)\{.*\}\}$`, `$1{}}`),
		"other calls":      swap(`"method":"host\.[a-z_]+"`, `"method":"host.ping"`),
		"no limits":        swap(`"result":\{"ok":false,"error":"plugin request capacity exceeded"\}`, `"result":{"ok":true}`),
		"no outbound cap": {out: func(line []byte) [][]byte {
			if bytes.Contains(line, []byte(protocol.ErrTextResponseTooLarge)) {
				return one(tooLong(2))
			}
			return one(line)
		}},
		"publishes anyway":  always(func(l []byte) bool { e, ok := valid(l); return ok && e.method == "ping" }, `{"method":"publish","params":{"rows":[]}}`),
		"knows no deadline": {in: func(line []byte, _ func(string)) [][]byte { return one(deadline.ReplaceAll(line, nil)) }},
		"mixes events up": {in: func(line []byte, _ func(string)) [][]byte {
			if !isNotification(line) {
				return one(line)
			}
			if heldBack == nil {
				heldBack = bytes.Clone(line)
				return nil
			}
			lines := [][]byte{line, heldBack}
			heldBack = nil
			return lines
		}},
		"answers noise":         always(isNoise, `{"id":5,"result":{"ok":true}}`),
		"answers replies":       always(isResponse, `{"id":4711,"result":{"ok":true}}`),
		"answers notifications": always(isNotification, `{"id":3,"result":{"ok":true}}`),
		"dies of noise":         deaf(func(l []byte) bool { return dieIf(isNoise(l)) }),
		"dies of many":          deaf(func([]byte) bool { lines++; return dieIf(lines > 20) }),
		"believes noise":        {in: believesNoise},
		"settles by noise": {in: func(line []byte, _ func(string)) [][]byte {
			if isNoise(line) && bytes.Contains(line, []byte(`"result"`)) {
				line = []byte(`{"id":1,"result":{"ok":true}}`)
			}
			return one(line)
		}},
		"restarts": {in: func(line []byte, emit func(string)) [][]byte {
			if e, ok := valid(line); ok && e.method == "initialize" && e.id > 1 {
				emit(`{"id":2,"result":{"ok":true,"protocol_version":1}}`)
				return nil
			}
			return one(line)
		}},
		"picky": deaf(func(l []byte) bool {
			return !bytes.Contains(l, []byte(`"params":{`)) || bytes.Contains(l, []byte("trace"))
		}),
		"one counter":    deaf(func(l []byte) bool { e, ok := valid(l); return ok && e.method == "ping" && e.id < 9 }),
		"small frames":   deaf(func(l []byte) bool { return len(l) > 1<<20 }),
		"dedupes":        dedupes(),
		"serial":         serial(),
		"reads by chunk": {chunks: true},
		"needs config": {begin: func(func(string)) {
			if !json.Valid([]byte(os.Getenv("FLASH_PLUGIN_CONFIG"))) || !strings.HasPrefix(os.Getenv("FLASH_PLUGIN_CONFIG"), "{") {
				os.Exit(3)
			}
		}},
		"leaks":            {begin: func(func(string)) { _ = os.Setenv("GITHUB_TOKEN", "x") }},
		"ignores EOF":      {begin: func(func(string)) { signal.Ignore(syscall.SIGPIPE) }, end: func(int) int { forever(); return 0 }},
		"fails at EOF":     {end: func(int) int { return 1 }},
		"ends another way": {exit: func(code int) { os.Exit(code + 1) }},
		"mute on stderr":   {begin: func(func(string)) { os.Stderr, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0) }},
		"drops pings":      {out: drop(`^\{"id":\d+,"result":\{"ok":true\}\}$`)},
		"guesses the cut": {cut: func(line []byte, emit func(string)) {
			if len(line) > 0 {
				emit(`{"id":2,"result":{"ok":true}}`)
			}
		}},
		"refuses all":              swap(`"result":\{"ok":true(,"(target_pid|message)":[^}]*)?\}`, `"result":{"ok":false,"unhandled":true}`),
		"leaves a child on stdout": {begin: func(func(string)) { grandchild(os.Stdout) }},
		"leaves a child":           {begin: func(func(string)) { grandchild(nil) }},
		"leaves a record":          {end: func(code int) int { os.Stdout.WriteString(`{"method":"log"`); return code }},
	}
}

func drop(pattern string) func([]byte) [][]byte {
	re := regexp.MustCompile(pattern)
	return func(line []byte) [][]byte {
		if re.Match(line) {
			return nil
		}
		return one(line)
	}
}

func dieIf(yes bool) bool {
	if yes {
		os.Exit(2)
	}
	return false
}

// grandchild starts a process of the plugin's group that outlives it.
func grandchild(stdout io.Writer) {
	cmd := exec.Command("sleep", "1000")
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}
