package probe

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

func (p *probe) perform(ctx context.Context, h *sdk.Host, req protocol.Perform) protocol.Outcome {
	switch req.Kind {
	case protocol.PerformCommand:
		return p.word(ctx, h, req)
	case protocol.PerformAction:
		switch req.Name {
		case "conf_performed":
			return protocol.Outcome{OK: true, TargetPID: targetPID}
		case "conf_failed":
			return protocol.Failed("conformance action failed")
		}
	case protocol.PerformResolve:
		if req.Row.Title == "alpha" {
			return protocol.Outcome{OK: true, TargetPID: targetPID}
		}
	case protocol.PerformNavigate:
		if req.URL == "conformance://ok" {
			return protocol.Done("")
		}
	}
	return protocol.Unhandled()
}

// word does what the subcommand says.
func (p *probe) word(ctx context.Context, h *sdk.Host, req protocol.Perform) protocol.Outcome {
	args := arguments(req.Args)
	switch req.Subcommand {
	case "echo":
		return protocol.Done(string(appendStrings(nil, req.Args)) + " " + req.Raw)
	case "env-has":
		if _, ok := os.LookupEnv(args.text(0, "")); ok {
			return protocol.Done("present")
		}
		return protocol.Done("absent")
	case "env":
		return protocol.Done(os.Getenv(args.text(0, "")))
	case "config":
		return protocol.Done(string(compact(h.Config().Raw())))
	case "state":
		return protocol.Done(p.state(ctx))
	case "target-pid":
		return protocol.Outcome{OK: true, TargetPID: targetPID}
	case "toast":
		return protocol.Done(args.rest(0, "conformance toast"))
	case "publish-extra":
		h.Publish(append(basicRows(), protocol.Row{Source: source, Title: "extra"}))
		return protocol.Done("published")
	case "sleep":
		return sleep(ctx, args.number(0, 0))
	case "crash":
		p.exit(int(args.number(0, 1)))
	case "exit-after-reply":
		time.AfterFunc(exitDelay, func() { p.exit(int(args.number(0, 0))) })
		return protocol.Done("exiting")
	case "stderr":
		return flood(args.number(0, 1))
	case "log":
		h.Log(args.text(0, sdk.LevelInfo), args.rest(1, ""))
		return protocol.Done("logged")
	case "status":
		h.Status(map[string]string{args.text(0, "state"): args.rest(1, "")})
		return protocol.Done("sent")
	default:
		return hostCall(ctx, h, req.Subcommand, args)
	}
	return protocol.Failed("the process did not end")
}

func sleep(ctx context.Context, ms int64) protocol.Outcome {
	if pause(ctx, time.Duration(ms)*time.Millisecond) != nil {
		return protocol.Failed("the sleep was cut short")
	}
	return protocol.Done("slept")
}

// flood writes so many KiB to stderr before it returns.
func flood(kib int64) protocol.Outcome {
	block := []byte(strings.Repeat("x", 1024))
	for range kib {
		if _, err := os.Stderr.Write(block); err != nil {
			return protocol.Failed("stderr is closed")
		}
	}
	return protocol.Done("written")
}

// hostCall makes the call that word stands for; whatever comes of it is shown.
func hostCall(ctx context.Context, h *sdk.Host, word string, args arguments) protocol.Outcome {
	method, params := callOf(word, args)
	if method == "" {
		return protocol.Failed("unsupported subcommand: " + word)
	}
	result, err := h.CallTimeout(ctx, callTimeout(method), method, params)
	var refusal sdk.HostError
	if err != nil && (result == nil || !errors.As(err, &refusal)) {
		return protocol.Done(err.Error())
	}
	return protocol.Done(string(result))
}

// callTimeout lets the host's own limit of a fetch end before the probe's.
func callTimeout(method string) time.Duration {
	if method == protocol.HostFetch {
		return protocol.FetchTimeout + time.Second
	}
	return protocol.HostCallTimeout
}

// callOf returns the host call of a word, "" for a word that is none.
func callOf(word string, args arguments) (method string, params []byte) {
	o := protocol.NewObject(nil)
	switch word {
	case "ping":
		method = protocol.HostPing
	case "fetch":
		method = protocol.HostFetch
		o.Str("url", args.text(0, "https://example.com/"))
	case "open":
		method = protocol.HostOpen
		o.Str("url", args.text(0, "https://example.com/"))
	case "clipboard":
		method = protocol.HostClipboardWrite
		o.Str("text", args.rest(0, "conformance"))
	case "notify":
		method = protocol.HostNotify
		o.Str("message", args.rest(0, "conformance"))
	case "storage-set":
		method = protocol.HostStorageSet
		o.Str("key", args.text(0, "key"))
		if len(args) > 1 {
			o.Str("value", args.rest(1, ""))
		} else {
			o.Raw("value", []byte("null"))
		}
	case "storage-get":
		method = protocol.HostStorageGet
		o.Str("key", args.text(0, "key"))
	case "media":
		method = protocol.HostPostMediaKey
		o.Int("key_code", args.number(0, mediaPlay))
	case "ps":
		method = protocol.HostProcessTable
	case "signal":
		method = protocol.HostSignal
		o.Int("pid", args.number(0, targetPID))
	case "activate":
		method = protocol.HostActivate
		o.Int("pid", args.number(0, targetPID))
	case "normal-mode-target":
		method = protocol.HostNormalModeTarget
	case "keys":
		method = protocol.HostPostKeys
		o.Int("pid", targetPID).Raw("keys", []byte(`[{"key_code":0,"modifiers":[]}]`))
	case "global-key":
		method = protocol.HostPostGlobalKey
		o.Int("key_code", 0).Strs("modifiers", []string{"command"})
	case "ax-snapshot":
		method = protocol.HostAXSnapshot
		o.Int("pid", targetPID).Str("roots", "app").Strs("follow", []string{"AXChildren"}).
			Strs("collect", []string{"AXRole", "AXTitle"}).Strs("prune_roles", []string{})
	}
	return method, o.Bytes()
}

// mediaPlay is the play key's code on the wire.
const mediaPlay = 16

// arguments are the words after the subcommand.
type arguments []string

func (a arguments) text(i int, def string) string {
	if i < len(a) {
		return a[i]
	}
	return def
}

// rest joins what follows from argument i.
func (a arguments) rest(i int, def string) string {
	if i < len(a) {
		return strings.Join(a[i:], " ")
	}
	return def
}

func (a arguments) number(i int, def int64) int64 {
	if n, err := strconv.ParseInt(a.text(i, ""), 10, 64); err == nil {
		return n
	}
	return def
}

func itoa(n int) string { return strconv.Itoa(n) }

// appendStrings appends the compact JSON array of list.
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = protocol.AppendString(dst, s)
	}
	return append(dst, ']')
}

// compact removes the white space between the tokens of valid JSON.
func compact(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	inString := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inString && c == '\\':
			out = append(out, c)
			i++
			c = raw[i]
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		out = append(out, c)
	}
	return out
}
