package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/probe"
)

// fault is one way to get the wire wrong, put around an honest probe.
type fault struct {
	// in turns a line of the host into what the probe reads instead; emit
	// writes to the host behind the probe's back.
	in func(line []byte, emit func(string)) [][]byte
	// out turns a line of the probe into what the host reads instead.
	out func(line []byte) [][]byte
	// begin runs before the probe does.
	begin func(emit func(string))
	// chunks takes each read for a line, whatever is in it.
	chunks bool
	// cut is called with the record that EOF cut off.
	cut func(line []byte, emit func(string))
	// end runs after the probe ended and may change its exit code.
	end func(code int) int
	// exit ends the process in place of os.Exit.
	exit func(code int)
}

// misbehave runs the probe with a fault and returns its exit code.
func misbehave(mode string) int {
	f, ok := faults()[mode]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such mode:", mode)
		return 99
	}
	out := &wire{fault: f}
	if f.begin != nil {
		f.begin(out.emit)
	}
	exit := os.Exit
	if f.exit != nil {
		exit = f.exit
	}
	in, feed := io.Pipe()
	go func() {
		f.feed(os.Stdin, feed, out.emit)
		feed.Close()
	}()
	code := sdk.Serve(context.Background(), probe.New(exit), sdk.Options{In: in, Out: out, Err: os.Stderr, Env: os.Getenv})
	if f.end != nil {
		code = f.end(code)
	}
	return code
}

func (f fault) feed(from io.Reader, to io.Writer, emit func(string)) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if f.chunks {
			// What else has arrived by now is lost.
			_, _ = r.Discard(r.Buffered())
			line = append(bytes.TrimSuffix(line, []byte("\n")), '\n')
		}
		if err != nil && f.cut != nil {
			f.cut(line, emit)
		}
		if err != nil {
			return
		}
		lines := [][]byte{bytes.TrimSuffix(line, []byte("\n"))}
		if f.in != nil {
			lines = f.in(lines[0], emit)
		}
		for _, l := range lines {
			if _, err := to.Write(append(bytes.Clone(l), '\n')); err != nil {
				return
			}
		}
	}
}

// wire is the probe's way to the host, with the fault on it.
type wire struct {
	fault
	mu   sync.Mutex
	rest []byte
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, after, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		lines := [][]byte{line}
		if w.out != nil {
			lines = w.out(line)
		}
		for _, l := range lines {
			if _, err := os.Stdout.Write(append(bytes.Clone(l), '\n')); err != nil {
				return 0, err
			}
		}
		w.rest = bytes.Clone(after)
	}
}

func (w *wire) emit(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(os.Stdout, line)
}

func one(line []byte) [][]byte { return [][]byte{line} }

// swap is a fault that replaces text in what the probe says.
func swap(pattern, with string) fault {
	re := regexp.MustCompile(pattern)
	return fault{out: func(line []byte) [][]byte { return one(re.ReplaceAll(line, []byte(with))) }}
}

// valid reports whether a line of the host is a frame, and which.
func valid(line []byte) (*envelope, bool) {
	e, err := parseEnvelope(bytes.TrimSuffix(line, []byte("\r")), true)
	return e, err == nil
}

// always returns a fault that says something more for each line of the host
// that bad finds.
func always(bad func(line []byte) bool, say string) fault {
	return fault{in: func(line []byte, emit func(string)) [][]byte {
		if bad(line) {
			emit(say)
		}
		return one(line)
	}}
}

// deaf returns a fault that does not hear the lines that bad finds.
func deaf(bad func(line []byte) bool) fault {
	return fault{in: func(line []byte, _ func(string)) [][]byte {
		if bad(line) {
			return nil
		}
		return one(line)
	}}
}

func isNoise(line []byte) bool { _, ok := valid(line); return !ok }

func isNotification(line []byte) bool {
	e, ok := valid(line)
	return ok && e.id == 0
}

func isResponse(line []byte) bool { e, ok := valid(line); return ok && e.isResponse() }

// eventNamed finds the name of an event in a line that may be no frame.
var eventNamed = regexp.MustCompile(`"name":"([a-z:.]+)"`)

func believesNoise(line []byte, _ func(string)) [][]byte {
	e, ok := valid(line)
	name := eventNamed.FindSubmatch(line)
	if name == nil || ok && e.method != "event" {
		return one(line)
	}
	return one([]byte(`{"method":"event","params":{"name":"` + string(name[1]) + `","payload":{}}}`))
}

// serial hands the host's requests on one at a time.
func serial() fault {
	free := make(chan struct{}, 1)
	free <- struct{}{}
	return fault{
		in: func(line []byte, _ func(string)) [][]byte {
			if e, ok := valid(line); ok && e.isRequest() {
				<-free
			}
			return one(line)
		},
		out: func(line []byte) [][]byte {
			if e, ok := valid(line); ok && e.isResponse() {
				free <- struct{}{}
			}
			return one(line)
		},
	}
}

// truncates shortens lists that the quotas would refuse, as a plugin must not.
func truncates(key string, limit int) fault {
	return fault{out: func(line []byte) [][]byte {
		var frame map[string]any
		if json.Unmarshal(line, &frame) != nil {
			return one(line)
		}
		for _, part := range []string{"params", "result"} {
			object, _ := frame[part].(map[string]any)
			if list, ok := object[key].([]any); ok && len(list) > limit {
				object[key] = list[:limit]
				return one(encode(frame))
			}
		}
		return one(line)
	}}
}

func dedupes() fault {
	seen := map[int64]bool{}
	return deaf(func(line []byte) bool {
		e, ok := valid(line)
		if !ok || !e.isRequest() {
			return false
		}
		again := seen[e.id]
		seen[e.id] = true
		return again
	})
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// tooLong is a reply of one byte over the cap.
func tooLong(id int64) []byte {
	head := fmt.Sprintf(`{"id":%d,"result":{"ok":true,"message":"`, id)
	line := append([]byte(head), bytes.Repeat([]byte("x"), protocol.MaxFrame)...)
	return append(line[:protocol.MaxFrame+1-3], `"}}`...)
}
