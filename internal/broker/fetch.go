package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/flash-launcher/flash/internal/broker/allow"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

const (
	// maxRedirects is what a chain of honest moves needs; browsers allow 20.
	maxRedirects = 5
	// idleTransport is how long connections are kept for a next fetch: the
	// pages of one refresh follow each other at once, the next refresh is
	// minutes away.
	idleTransport = 10 * time.Second
	maxHeader     = 64 << 10
	userAgent     = "Flash/1"
)

// FetchOptions is for tests; the zero value is what the host uses.
type FetchOptions struct {
	Time     event.Time
	Resolver *net.Resolver
	Roots    *x509.CertPool
	// Permit judges the address that a connection is about to be made to.
	Permit func(netip.AddrPort) bool
}

// Fetcher gets public https URLs for plugins. It sends no cookies, no
// credentials and no referrer, and uses no proxy: a proxy would resolve the
// name itself, behind the check of the address, and asks for credentials.
type Fetcher struct {
	o FetchOptions

	mu        sync.Mutex
	transport *http.Transport // nil while nothing was fetched lately
	active    int
	idle      event.Timer
}

// NewFetcher returns a Fetcher that holds no connection yet.
func NewFetcher(o FetchOptions) *Fetcher {
	if o.Time == nil {
		o.Time = event.System()
	}
	if o.Permit == nil {
		o.Permit = func(a netip.AddrPort) bool { return public(a.Addr()) }
	}
	return &Fetcher{o: o}
}

// errAddress is why a dial was refused. It is found again through the layers
// of net and http errors.
var errAddress = errors.New("address is not public")

// Fetch gets a URL within the list.
func (f *Fetcher) Fetch(ctx context.Context, list allow.List, raw string) (status int, body []byte, err error) {
	u, err := allow.Parse(raw)
	if err != nil {
		return 0, nil, refusal(err.Error())
	}
	if !list.Allows(u) {
		return 0, nil, refusal("url is not within the plugin's fetch_urls; a user adds to them with fetch_urls in the plugin's table of config.toml")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, nil, refusal("url is malformed")
	}
	req.Header.Set("User-Agent", userAgent)
	client := http.Client{
		Transport: f.enter(),
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return refusal("the server redirects too often")
			}
			u, err := allow.Parse(next.URL.String())
			if err != nil || !list.Allows(u) {
				return refusal("the server redirects out of the plugin's fetch_urls")
			}
			// What was judged is what is sent.
			if next.URL, err = next.URL.Parse(u.String()); err != nil {
				return refusal("the server redirects to a malformed url")
			}
			next.Host = ""
			next.Header.Del("Referer")
			return nil
		},
	}
	defer f.leave()
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, fetchError(ctx, err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, protocol.MaxFetchResponse+1))
	switch {
	case err != nil:
		return 0, nil, fetchError(ctx, err)
	case ctx.Err() != nil:
		// Giving up says goodbye to the server, which may end its answer
		// properly before the connection is closed: it would look whole.
		return 0, nil, ctx.Err()
	case len(body) > protocol.MaxFetchResponse:
		return 0, nil, refusal("the response is larger than 1 MiB")
	case !utf8.Valid(body):
		return 0, nil, refusal("the response is not UTF-8")
	}
	return resp.StatusCode, body, nil
}

// fetchError names the kind of failure without the URL, which the errors of
// net and http hold.
func fetchError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var r refusal
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var cert *tls.CertificateVerificationError
	var nerr net.Error
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, errAddress):
		return refusal("the host's address is not public")
	case errors.As(err, &dns):
		return refusal("the host's name cannot be resolved")
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &cert):
		return refusal("the server's certificate is not valid for its host")
	case errors.Is(err, syscall.ECONNREFUSED):
		return refusal("the server refused the connection")
	case errors.As(err, &nerr) && nerr.Timeout():
		return context.DeadlineExceeded
	}
	return refusal("the connection failed")
}

// enter returns the one transport, made anew after an idle time.
func (f *Fetcher) enter() *http.Transport {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active++
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
	if f.transport == nil {
		dialer := &net.Dialer{Resolver: f.o.Resolver, Control: f.control}
		f.transport = &http.Transport{
			Proxy:       nil,
			DialContext: dialer.DialContext,
			TLSClientConfig: &tls.Config{
				RootCAs:    f.o.Roots,
				MinVersion: tls.VersionTLS12,
			},
			// One request at a time per host is what plugins make: HTTP/2
			// would keep a read loop and its buffers for nothing.
			TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
			MaxIdleConnsPerHost:    2,
			MaxIdleConns:           8,
			MaxConnsPerHost:        4,
			MaxResponseHeaderBytes: maxHeader,
		}
	}
	return f.transport
}

// control runs after the name was resolved and before the connection is made,
// for each address tried: a name that changes its address between a check and
// a use cannot get past it.
func (f *Fetcher) control(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !f.o.Permit(a) {
		return errAddress
	}
	return nil
}

func (f *Fetcher) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active--; f.active == 0 && f.transport != nil {
		f.idle = f.o.Time.AfterFunc(idleTransport, f.closeIdle)
	}
}

func (f *Fetcher) closeIdle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active == 0 && f.transport != nil {
		f.transport.CloseIdleConnections()
		f.transport = nil
	}
}

// Close closes idle connections. A fetch under way goes on.
func (f *Fetcher) Close() {
	f.mu.Lock()
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
	f.mu.Unlock()
	f.closeIdle()
}

func (b *Broker) fetch(ctx context.Context, c *call) ([]byte, error) {
	url := c.params.String("url")
	if err := c.done(); err != nil {
		return nil, err
	}
	list, bad := allow.NewList(c.FetchURLs)
	if bad > 0 {
		b.o.Logger.Warn("fetch_urls has entries that allow nothing", "plugin", c.PluginID, "entries", bad)
	}
	status, body, err := b.o.Fetcher.Fetch(ctx, list, url)
	if err != nil {
		return nil, err
	}
	return success().Int("status", int64(status)).Str("body", string(body)).Bytes(), nil
}
