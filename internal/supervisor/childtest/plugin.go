package childtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Main makes the process a plugin if a Runner started it, and otherwise returns.
// A TestMain calls it first.
//
// A mode is a list of words. Without any the plugin is good: it answers every
// request and ends at EOF. The words:
//
//	mute          never answers initialize
//	refuse        answers initialize with ok false and exits 0
//	version=N     answers initialize with another version
//	exit=N        exits N at once; exit-late=N after its initialize reply
//	slow          answers evaluate after 3 s
//	evaluate-die kills itself at its first evaluate
//	no-ping       does not answer pings
//	stall         reads nothing after its initialize reply
//	flood         after its initialize reply, writes logs as fast as it can
//	noise=N       writes N bad lines before its initialize reply, one good log between each 40
//	bad=N         writes N bad lines after its initialize reply
//	stderr=N      writes N bytes to stderr before its initialize reply
//	ignore-eof, ignore-term
//	grandchild    leaves a process behind that holds stdout
//	close-stdout, close-stdin   after its initialize reply, and lives on
func Main() {
	mode := os.Getenv(modeKey)
	if mode == "" {
		return
	}
	words := map[string]string{}
	for w := range strings.FieldsSeq(mode) {
		k, v, _ := strings.Cut(w, "=")
		words[k] = v
	}
	p := &plugin{words: words, out: os.Stdout, waiting: map[int64]chan []byte{}}
	p.main()
}

type plugin struct {
	words map[string]string

	mu      sync.Mutex
	out     io.Writer
	last    int64
	waiting map[int64]chan []byte
	events  []string
}

func (p *plugin) is(word string) bool { _, ok := p.words[word]; return ok }

func (p *plugin) n(word string) int { n, _ := strconv.Atoi(p.words[word]); return n }

func (p *plugin) write(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.out.Write(frame)
}

func (p *plugin) log(text string) {
	p.write(protocol.AppendNotification(nil, protocol.MethodLog,
		protocol.NewObject(nil).Str("level", "info").Str("message", text).Bytes()))
}

func (p *plugin) main() {
	if p.is("ignore-term") {
		signal.Ignore(syscall.SIGTERM)
	}
	if p.is("exit") {
		os.Exit(p.n("exit"))
	}
	if p.is("grandchild") {
		cmd := exec.Command("/bin/sleep", "9999") // there is no PATH
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if p.words["grandchild"] == "setsid" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		if err := cmd.Start(); err != nil {
			os.Exit(90)
		}
		p.log("grandchild " + strconv.Itoa(cmd.Process.Pid))
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		e, err := protocol.DecodeEnvelope(bytes.TrimRight(line, "\r\n"))
		if err != nil {
			os.Exit(91)
		}
		p.handle(e)
	}
	p.log("shutdown")
	if p.is("ignore-eof") || p.is("ignore-term") {
		select {}
	}
	os.Exit(0)
}

func (p *plugin) reply(id int64, result string) {
	p.write(protocol.AppendResponse(nil, id, []byte(result)))
}

func (p *plugin) handle(e protocol.Envelope) {
	if e.IsResponse() {
		p.mu.Lock()
		ch := p.waiting[e.ID]
		delete(p.waiting, e.ID)
		p.mu.Unlock()
		if ch != nil {
			ch <- e.Result
		}
		return
	}
	switch e.Method {
	case protocol.MethodInitialize:
		p.initialize(e)
	case protocol.MethodPing:
		if !p.is("no-ping") {
			p.reply(e.ID, `{"ok":true}`)
		}
	case protocol.MethodEvent:
		name, payload, err := protocol.DecodeEvent(e.Params)
		if err != nil {
			os.Exit(92)
		}
		p.events = append(p.events, name+" "+string(payload))
	case protocol.MethodEvaluate:
		switch {
		case p.is("evaluate-die"):
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case p.is("slow"):
			time.AfterFunc(3*time.Second, func() { p.reply(e.ID, `{"ok":true,"answers":[]}`) })
		default:
			p.reply(e.ID, `{"ok":true,"answers":[{"title":"two","effect":{"type":"copy_text","text":"2"}}]}`)
		}
	case protocol.MethodSearch:
		p.reply(e.ID, `{"ok":true,"rows":[{"source":"test.live","title":"found"}]}`)
	case protocol.MethodPerform:
		p.perform(e)
	default:
		p.write(protocol.AppendError(nil, e.ID, protocol.ErrTextUnknownMethod(e.Method)))
	}
}

func (p *plugin) initialize(e protocol.Envelope) {
	_, _ = os.Stderr.Write(bytes.Repeat([]byte("x"), p.n("stderr")))
	for i := range p.n("noise") {
		p.write([]byte("banner v1\n"))
		if i%40 == 39 {
			p.log("good")
		}
	}
	switch {
	case p.is("mute"):
		return
	case p.is("refuse"):
		p.reply(e.ID, `{"ok":false,"protocol_version":1,"error":"`+protocol.ErrTextMismatch(7)+`"}`)
		os.Exit(0)
	case p.is("version"):
		p.reply(e.ID, `{"ok":true,"protocol_version":`+p.words["version"]+`}`)
		return
	}
	p.reply(e.ID, `{"ok":true,"protocol_version":1}`)
	for range p.n("bad") {
		p.write([]byte("{broken\n"))
	}
	switch {
	case p.is("exit-late"):
		os.Exit(p.n("exit-late"))
	case p.is("stall"):
		select {}
	case p.is("flood"):
		frame := protocol.AppendNotification(nil, protocol.MethodLog,
			protocol.NewObject(nil).Str("level", "debug").Str("message", strings.Repeat("f", 200)).Bytes())
		go func() {
			block := bytes.Repeat(frame, 256)
			for {
				p.write(block)
			}
		}()
	case p.is("close-stdout"):
		_ = os.Stdout.Close()
	case p.is("close-stdin"):
		_ = os.Stdin.Close()
		select {}
	}
}

// perform serves commands by their subcommand.
func (p *plugin) perform(e protocol.Envelope) {
	perform, err := protocol.DecodePerform(e.Params)
	if err != nil {
		p.write(protocol.AppendError(nil, e.ID, protocol.ErrTextInvalidParams(e.Method)))
		return
	}
	say := func(text string) {
		p.reply(e.ID, string(protocol.AppendOutcome(nil, protocol.Done(text))))
	}
	arg := func(i int) string {
		if i < len(perform.Args) {
			return perform.Args[i]
		}
		return ""
	}
	n, _ := strconv.Atoi(arg(0))
	switch perform.Subcommand {
	case "echo":
		say(strings.Join(perform.Args, " "))
	case "pid":
		say(strconv.Itoa(os.Getpid()))
	case "deadline":
		say(strconv.FormatInt(e.DeadlineMS, 10))
	case "events":
		say(strings.Join(p.events, "\n"))
	case "env":
		say(strings.Join(os.Environ(), "\n"))
	case "crash":
		os.Exit(n)
	case "hang":
	case "stop-reading":
		say("")
		select {}
	case "status":
		p.write(protocol.AppendNotification(nil, protocol.MethodStatus,
			protocol.NewObject(nil).Raw("segments", protocol.NewObject(nil).Str(arg(0), arg(1)).Bytes()).Bytes()))
		say("")
	case "poll":
		p.write(protocol.AppendNotification(nil, protocol.MethodPoll,
			[]byte(`{"registrations":{"tick":{"every":1}}}`)))
		say("")
	case "publish":
		p.write(Publication(n, "row"))
		say("")
	case "die-publishing":
		p.write(Publication(n, "last words"))
		os.Exit(4)
	case "raw":
		p.write([]byte(arg(0) + "\n"))
		say("")
	case "call":
		go func() { say(string(p.call(arg(0)))) }()
	case "calls":
		go func() { say(p.calls(n, arg(1))) }()
	default:
		p.reply(e.ID, `{"ok":false,"unhandled":true}`)
	}
}

// call makes one host call and returns its result.
func (p *plugin) call(method string) []byte { return <-p.begin(method) }

func (p *plugin) begin(method string) chan []byte {
	ch := make(chan []byte, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	p.waiting[p.last] = ch
	_, _ = p.out.Write(protocol.AppendRequest(nil, p.last, method, nil, "", 0))
	return ch
}

// calls makes n host calls at once and counts those that were refused.
func (p *plugin) calls(n int, method string) string {
	var all []chan []byte
	for range n {
		all = append(all, p.begin(method))
	}
	refused := 0
	for _, ch := range all {
		if bytes.Contains(<-ch, []byte(protocol.ErrTextHostCallCapacity)) {
			refused++
		}
	}
	return fmt.Sprintf("%d refused", refused)
}

// Publication is a publish notification of n rows that begin with title.
func Publication(n int, title string) []byte {
	rows := make([]protocol.Row, n)
	for i := range rows {
		rows[i] = protocol.Row{
			Source: "test.items",
			Title:  title + " " + strconv.Itoa(i),
			Metadata: protocol.Metadata{
				{Key: protocol.MetaKind, Value: "test"},
				{Key: protocol.MetaSubtitle, Value: "one of many rows"},
			},
		}
	}
	return protocol.AppendNotification(nil, protocol.MethodPublish,
		protocol.NewObject(nil).With("rows", func(dst []byte) []byte { return protocol.AppendRows(dst, rows) }).Bytes())
}
