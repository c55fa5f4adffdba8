package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

// life is one process from its spawn to its end.
type life struct {
	id      string
	process *sandbox.Process
	replies chan reply
	readers sync.WaitGroup
	writeMu sync.Mutex // requests, and answers to host calls
	before  usage      // when the settle began
	sample  Sample
	tail    []byte // the end of stderr, complete once readers are done
}

type reply struct {
	id   int64
	ok   bool
	text string // of a refusal
}

func start(ctx context.Context, spawn func(context.Context, manifest.Definition, string) (*sandbox.Process, error), t Target, dataDir string) (*life, error) {
	began := time.Now()
	p, err := spawn(ctx, t.Definition, dataDir)
	if err != nil {
		return nil, err
	}
	l := &life{id: t.Definition.ID(), process: p, replies: make(chan reply, 4)}
	l.readers.Go(l.read)
	l.readers.Go(l.drain)
	first := time.Now()
	if err := l.call(ctx, 1, protocol.MethodInitialize, fmt.Appendf(nil, `{"protocol_version":%d}`, protocol.Version), protocol.DeadlineStartup); err != nil {
		return nil, l.abandon(err)
	}
	now := time.Now()
	l.sample.InitializeMS, l.sample.HandshakeMS = ms(now.Sub(began)), ms(now.Sub(first))
	l.before = measure(p.PID())
	return l, nil
}

// look notes what the process costs at rest.
func (l *life) look() {
	now := measure(l.process.PID())
	l.sample.RSSKiB, l.sample.PSSKiB, l.sample.PrivateKiB, l.sample.Threads = now.rss, now.pss, now.private, now.threads
	l.sample.CPUMS, l.sample.Wakeups = max(0, ms(now.cpu-l.before.cpu)), max(0, now.switches-l.before.switches)
}

// finish measures the ping, what many of them leave behind, and the end.
func (l *life) finish(ctx context.Context, pings int) (Sample, error) {
	took := make([]float64, 0, max(1, pings))
	for range max(1, pings) {
		began := time.Now()
		if err := l.call(ctx, int64(2+len(took)), protocol.MethodPing, nil, protocol.DeadlinePing); err != nil {
			return Sample{}, l.abandon(err)
		}
		took = append(took, ms(time.Since(began)))
	}
	l.sample.PingMS = took[0]
	if pings > 1 {
		u := measure(l.process.PID())
		l.sample.After = &After{pings, spread(took), u.rss, u.pss, u.private, u.threads}
	}
	began := time.Now()
	l.process.Stdin().Close()
	timer := time.AfterFunc(protocol.ShutdownGrace, func() { _ = l.process.Kill() })
	exit := l.process.Wait()
	inTime := timer.Stop()
	l.sample.ExitMS, l.sample.ExitCode = ms(time.Since(began)), exit.Code
	l.sample.CleanExit = inTime && exit.Code == 0 && exit.Err == nil
	l.readers.Wait()
	return l.sample, nil
}

// abandon ends the process and names it in the error, with what it said of
// itself where the error is its own.
func (l *life) abandon(err error) error {
	how := ""
	select {
	case <-l.process.Done():
		how = ": " + l.process.Wait().String()
	default:
		_ = l.process.Kill()
		l.process.Wait()
	}
	l.process.Stdin().Close()
	l.readers.Wait()
	err = fmt.Errorf("plugin %s: %w%s", l.id, err, how)
	if said := strings.TrimSpace(strings.ToValidUTF8(string(l.tail), "\uFFFD")); said != "" && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; the end of its stderr:\n  %s", err, strings.ReplaceAll(said, "\n", "\n  "))
	}
	return err
}

func (l *life) call(ctx context.Context, id int64, method string, params []byte, within time.Duration) error {
	if err := l.write(protocol.AppendRequest(nil, id, method, params, "", 0)); err != nil {
		return l.gone(method)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case r, ok := <-l.replies:
			if !ok {
				return l.gone(method)
			}
			if r.id == id && r.ok {
				return nil
			}
			if r.id == id {
				return fmt.Errorf("it refused %s: %s", method, r.text)
			}
		case <-timer.C:
			return fmt.Errorf("no reply to %s within %v", method, within)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// gone is the error of a process that closed its streams, once its end is
// known: that follows at once.
func (l *life) gone(method string) error {
	timer := time.NewTimer(protocol.KillGrace)
	defer timer.Stop()
	select {
	case <-l.process.Done():
		return fmt.Errorf("it ended without a reply to %s", method)
	case <-timer.C:
		return fmt.Errorf("it closed its stdin or stdout without a reply to %s", method)
	}
}

func (l *life) write(line []byte) error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	_, err := l.process.Stdin().Write(line)
	return err
}

// read hands on replies and refuses host calls, as a host without grants does.
func (l *life) read() {
	defer l.process.Stdout().Close()
	defer close(l.replies)
	c := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := c.Fill(l.process.Stdout())
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			if err != nil {
				continue
			}
			e, err := protocol.DecodeEnvelope(line)
			switch {
			case err != nil:
			case e.IsResponse():
				ok, text, err := protocol.DecodeOK(e.Result)
				if err != nil {
					text = err.Error()
				}
				select {
				case l.replies <- reply{e.ID, ok && err == nil, text}:
				default: // nobody asked
				}
			case e.IsRequest():
				_ = l.write(protocol.AppendError(nil, e.ID, "missing capability in a measurement"))
			}
		}
		if readErr != nil {
			return
		}
	}
}

// stderrShown is how much of the end of stderr an error shows.
const stderrShown = 1024

func (l *life) drain() {
	defer l.process.Stderr().Close()
	buffer := make([]byte, protocol.StderrLine)
	for {
		n, err := l.process.Stderr().Read(buffer)
		l.tail = append(l.tail, buffer[:n]...)
		if over := len(l.tail) - stderrShown; over > 0 {
			l.tail = append(l.tail[:0], l.tail[over:]...)
		}
		if err != nil {
			return
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
