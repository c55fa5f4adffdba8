package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/procid"
)

// Request is one call as a handler sees it.
type Request struct {
	// Params is the call's raw params; Bind decodes them strictly.
	Params json.RawMessage
	// Emit sends one event ahead of the result. It fails once the client is gone.
	Emit func(event any) error
	// Conn is the same for all requests of one connection.
	Conn *Conn
	// After sets what runs once the reply is written, for a request that ends
	// the very server that answers it.
	After func(fn func())
}

// Bind decodes the params into v and refuses keys that v does not have.
func (r Request) Bind(v any) error {
	if len(r.Params) == 0 {
		return nil
	}
	if err := strictUnmarshal(r.Params, v); err != nil {
		return Errorf(CodeInvalid, "invalid params: %v", err)
	}
	return nil
}

// Handler answers one request. ctx ends when the client goes away or the
// server stops. The result must encode as JSON.
type Handler func(ctx context.Context, r Request) (result any, err error)

// Conn is one client's connection, for state that lives as long as it does.
type Conn struct {
	mu     sync.Mutex
	values map[string]any
	closed []func()
}

// Set keeps value under key until the connection ends, and runs onClose then.
func (c *Conn) Set(key string, value any, onClose func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[string]any{}
	}
	c.values[key] = value
	if onClose != nil {
		c.closed = append(c.closed, onClose)
	}
}

// Get returns what Set kept under key.
func (c *Conn) Get(key string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[key]
}

func (c *Conn) close() {
	c.mu.Lock()
	fns := c.closed
	c.closed = nil
	c.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

// Server serves a Listener with the handlers that were registered before Serve.
type Server struct {
	version  string
	log      *slog.Logger
	handlers map[string]Handler
	// Touched is called at each accepted request, before its handler.
	Touched func()
}

// NewServer returns a Server that greets clients as the given program version.
func NewServer(version string, log *slog.Logger) *Server {
	return &Server{version: version, log: log, handlers: map[string]Handler{}, Touched: func() {}}
}

// Handle registers h for method. A method registered twice is a mistake in the program.
func (s *Server) Handle(method string, h Handler) {
	if _, ok := s.handlers[method]; ok {
		panic("control: method " + method + " is registered twice")
	}
	s.handlers[method] = h
}

// Serve accepts connections until ctx ends, then closes them all and returns
// once their handlers have. It does not close the listener's lock.
func (s *Server) Serve(ctx context.Context, l *Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Listener.Close() })
	defer stop()

	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, maxConns)
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				cancel()
				return nil
			}
			// Out of descriptors is the usual cause and passes.
			s.log.Warn("control accept failed", "error", err.Error())
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		conn := c.(*net.UnixConn)
		if uid, err := procid.PeerUID(conn); err != nil || uid != os.Geteuid() {
			s.log.Warn("control connection of another user refused", "uid", uid)
			conn.Close()
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = (&lineWriter{w: conn}).write(&message{Error: Errorf(CodeBusy, "over %d control connections are open; close some", maxConns)})
			conn.Close()
			continue
		}
		wg.Go(func() {
			defer func() { <-slots }()
			s.serveConn(ctx, conn)
		})
	}
}

func (s *Server) serveConn(ctx context.Context, c *net.UnixConn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { c.Close() })
	state := &Conn{}
	var wg sync.WaitGroup
	defer func() {
		cancel()
		wg.Wait()
		stop()
		c.Close()
		state.close()
	}()

	r, w := newLineReader(c, maxRequest), &lineWriter{w: c}
	if !s.greet(c, r, w) {
		return
	}
	inFlight := make(chan struct{}, maxInFlight)
	for {
		var m message
		if err := r.read(&m); err != nil {
			if errors.Is(err, errTooLong) || isSyntax(err) {
				_ = w.write(&message{ID: m.ID, Error: Errorf(CodeInvalid, "control request: %v", err)})
			}
			return
		}
		if m.ID == 0 || m.Method == "" {
			_ = w.write(&message{ID: m.ID, Error: Errorf(CodeInvalid, "a control request needs id and method")})
			return
		}
		h, ok := s.handlers[m.Method]
		if !ok {
			_ = w.write(&message{ID: m.ID, Error: Errorf(CodeUnknownMethod, "unknown control method %q", m.Method)})
			continue
		}
		select {
		case inFlight <- struct{}{}:
		default:
			_ = w.write(&message{ID: m.ID, Error: Errorf(CodeBusy, "over %d requests at once on one connection", maxInFlight)})
			continue
		}
		s.Touched()
		wg.Go(func() {
			defer func() { <-inFlight }()
			var after func()
			reply := s.call(ctx, h, state, &m, w, &after)
			if err := w.write(reply); err != nil {
				cancel()
			}
			if after != nil {
				after()
			}
		})
	}
}

// greet exchanges hellos. A client of another socket protocol is told both
// versions and what to do, and nothing else is taken from it.
func (s *Server) greet(c net.Conn, r *lineReader, w *lineWriter) bool {
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	var m message
	if err := r.read(&m); err != nil || m.Hello == nil {
		_ = w.write(&message{Error: Errorf(CodeInvalid, "a control connection begins with a hello line")})
		return false
	}
	_ = c.SetReadDeadline(time.Time{})
	reply := &message{Hello: &Hello{Protocol: ProtocolVersion, Version: s.version, PID: os.Getpid()}}
	if m.Hello.Protocol != ProtocolVersion {
		reply.Error = Errorf(CodeVersion, "the resident is flash %s (control protocol %d) and this is flash %s (%d); `flash stop` and `flash start` make them one",
			s.version, ProtocolVersion, m.Hello.Version, m.Hello.Protocol)
	}
	return w.write(reply) == nil && reply.Error == nil
}

func (s *Server) call(ctx context.Context, h Handler, state *Conn, m *message, w *lineWriter, after *func()) (reply *message) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("control handler panicked", "method", m.Method, "panic", p)
			reply = &message{ID: m.ID, Error: Errorf(CodeFailed, "%s failed inside the resident; `flash logs` has the trace", m.Method)}
		}
	}()
	result, err := h(ctx, Request{Params: m.Params, Conn: state, After: func(fn func()) { *after = fn }, Emit: func(event any) error {
		data, err := json.Marshal(event)
		if err != nil {
			return err
		}
		return w.write(&message{ID: m.ID, Event: data})
	}})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = Errorf(CodeFailed, "%v", err)
		}
		return &message{ID: m.ID, Error: e}
	}
	data, err := json.Marshal(result)
	if err != nil {
		return &message{ID: m.ID, Error: Errorf(CodeFailed, "%s: %v", m.Method, err)}
	}
	return &message{ID: m.ID, Result: data}
}
