package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// catalogue returns the params of a publication of 10,000 rows and about
// 4.4 MB on the wire, with spaces as a plain json.dumps writes them: what the
// quota still takes in its compact form.
func catalogue(rows int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"rows": [`)
	for i := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		n := strconv.Itoa(i)
		b.WriteString(`{"source": "browsers.tabs", "title": "Issue ` + n + `: the panel flickers when a display is unplugged", ` +
			`"url": "https://github.com/flash-launcher/flash/issues/` + n + `?from=notifications", ` +
			`"metadata": {"kind": "tab", "pid": "4242", "bundle_id": "org.mozilla.firefox", "subtitle": "` +
			strings.Repeat("github.com ", 3) + `", "navigation_url": "firefox://tab/` + n + `"}, ` +
			`"effect": {"type": "open", "url": "https://github.com/flash-launcher/flash/issues/` + n + `"}}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

func anySource(string) bool { return true }

func BenchmarkPublish(b *testing.B) {
	params := catalogue(MaxCatalogRows)
	line := AppendNotification(nil, MethodPublish, params)
	run := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(params)))
			b.ReportAllocs()
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("decode", func() error {
		_, err := DecodePublish(params, anySource)
		return err
	})
	run("envelope", func() error {
		_, err := DecodeEnvelope(line)
		return err
	})
	run("envelope+decode", func() error {
		e, err := DecodeEnvelope(line)
		if err == nil {
			_, err = DecodePublish(e.Params, anySource)
		}
		return err
	})
	run("encoding-json", func() error {
		var p struct {
			Rows []jsonRow `json:"rows"`
		}
		return json.Unmarshal(params, &p)
	})
}

// jsonRow is a row as encoding/json would be told to read it.
type jsonRow struct {
	Source   string            `json:"source"`
	Title    string            `json:"title"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata"`
	Effect   *struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		URL      string `json:"url"`
		BundleID string `json:"bundle_id"`
	} `json:"effect"`
}

func BenchmarkAppendRows(b *testing.B) {
	rows, err := DecodePublish(catalogue(MaxCatalogRows), anySource)
	if err != nil {
		b.Fatal(err)
	}
	dst := AppendRows(nil, rows)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendRows(dst[:0], rows)
	}
}

func BenchmarkPing(b *testing.B) {
	line := AppendRequest(nil, 1, MethodPing, nil, "", 10000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEnvelope(line); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLines reads lines over a pipe, as the host does from a child.
func BenchmarkLines(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 4 << 20} {
		line := append(bytes.Repeat([]byte{'x'}, size-1), '\n')
		b.Run("collector/"+strconv.Itoa(size), func(b *testing.B) {
			overPipe(b, line, func(r io.Reader) func() bool {
				c := NewCollector(MaxFrame)
				return func() bool {
					for {
						if _, ok, _ := c.Next(); ok {
							return true
						}
						if _, err := c.Fill(r); err != nil {
							return false
						}
					}
				}
			})
		})
		b.Run("scanner/"+strconv.Itoa(size), func(b *testing.B) {
			overPipe(b, line, func(r io.Reader) func() bool {
				s := bufio.NewScanner(r)
				s.Buffer(nil, MaxFrame)
				return s.Scan
			})
		})
	}
}

func overPipe(b *testing.B, line []byte, open func(io.Reader) func() bool) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	lines := max(1, (64<<10)/len(line))
	burst := bytes.Repeat(line, lines)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := w.Write(burst); err != nil {
				return
			}
		}
	}()
	next := open(r)
	b.SetBytes(int64(len(burst)))
	b.ReportAllocs()
	for b.Loop() {
		for range lines {
			if !next() {
				b.Fatal("the stream ended")
			}
		}
	}
	r.Close()
	<-done
	w.Close()
}

// BenchmarkFirstLine reads one line of 4 MiB with a fresh reader, as a
// publication at start-up comes.
func BenchmarkFirstLine(b *testing.B) {
	line := append(bytes.Repeat([]byte{'x'}, 4<<20-1), '\n')
	run := func(name string, read func(io.Reader) bool) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if !read(&pieces{line}) {
					b.Fatal("no line")
				}
			}
		})
	}
	run("collector", func(r io.Reader) bool {
		c := NewCollector(MaxFrame)
		for {
			if _, ok, _ := c.Next(); ok {
				return true
			}
			if _, err := c.Fill(r); err != nil {
				return false
			}
		}
	})
	run("scanner", func(r io.Reader) bool {
		s := bufio.NewScanner(r)
		s.Buffer(nil, MaxFrame)
		return s.Scan()
	})
	run("readbytes", func(r io.Reader) bool {
		_, err := bufio.NewReader(r).ReadBytes('\n')
		return err == nil
	})
}

// pieces hands out at most what a pipe holds in one read.
type pieces struct{ data []byte }

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.data[:min(len(p.data), 64<<10)])
	p.data = p.data[n:]
	return n, nil
}

// BenchmarkCalls decodes the small values of every day: their garbage decides
// how much memory a plugin's child settles at.
func BenchmarkCalls(b *testing.B) {
	evaluate := AppendEvaluate(nil, Evaluate{"12*7", "all", "flashlight"})
	answers := []byte(`{"ok":true,"answers":[{"title":"84","subtitle":"12*7","effect":{"type":"copy_text","text":"84"}}]}`)
	command := AppendPerform(nil, Perform{Kind: PerformCommand, Command: "tmux", Subcommand: "go", Args: []string{"a"}, Raw: ":tmux go a"})
	event := AppendNotification(nil, MethodEvent, AppendEvent(nil, EventAXChanged, []byte(`{"pid":42,"notification":"AXTitleChanged","bundle_id":"org.x"}`)))
	for name, do := range map[string]func() error{
		"evaluate": func() error { _, err := DecodeEvaluate(evaluate); return err },
		"answers":  func() error { _, err := DecodeAnswers(answers); return err },
		"command":  func() error { _, err := DecodePerform(command); return err },
		"outcome":  func() error { _, err := DecodeOutcome([]byte(`{"ok":true,"message":"m"}`)); return err },
		"event": func() error {
			e, err := DecodeEnvelope(event)
			if err == nil {
				_, _, err = DecodeEvent(e.Params)
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
