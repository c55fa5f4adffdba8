package broker

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/flash-launcher/flash/internal/broker/allow"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

// site is a web server with a certificate for feed.test and moved.test, and a
// name server that leads to it.
type site struct {
	*httptest.Server
	roots *x509.CertPool
	dns   *nameServer
	port  string
	conns atomic.Int64
	seen  chan *http.Request
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{seen: make(chan *http.Request, 64), dns: newNameServer(t)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	cert, roots := certificate(t, "feed.test", "moved.test", "xn--bcher-kva.test")
	s.roots = roots
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = log.New(new(bytes.Buffer), "", 0)
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		switch st {
		case http.StateNew:
			s.conns.Add(1)
		case http.StateClosed:
			s.conns.Add(-1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	_, s.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return s
}

func (s *site) url(host, path string) string { return "https://" + host + ":" + s.port + path }

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	s.seen <- r
	switch r.URL.Path {
	case "/big":
		_, _ = w.Write(bytes.Repeat([]byte("x"), protocol.MaxFetchResponse+1))
	case "/edge":
		_, _ = w.Write(bytes.Repeat([]byte("x"), protocol.MaxFetchResponse))
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(make([]byte, 4<<20))
		_ = z.Close()
	case "/latin1":
		_, _ = w.Write([]byte("caf\xe9"))
	case "/cookie":
		http.SetCookie(w, &http.Cookie{Name: "track", Value: "1", Path: "/"})
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("no ⚡"))
	case "/stall":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/cut":
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("short"))
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/to":
		http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
	default:
		_, _ = w.Write([]byte("hello " + r.URL.RequestURI()))
	}
}

// fetcher reaches the site although it is on the loopback.
func (s *site) fetcher(t *testing.T) *Fetcher {
	t.Helper()
	f := NewFetcher(FetchOptions{Resolver: s.dns.resolver(), Roots: s.roots, Permit: func(a netip.AddrPort) bool {
		return a.Addr().IsLoopback() && fmt.Sprint(a.Port()) == s.port
	}})
	t.Cleanup(f.Close)
	return f
}

func (s *site) get(t *testing.T, f *Fetcher, raw string, prefixes ...string) (int, string, error) {
	t.Helper()
	if prefixes == nil {
		prefixes = []string{s.url("feed.test", "/")}
	}
	list, bad := allow.NewList(prefixes)
	require.Zero(t, bad)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	status, body, err := f.Fetch(ctx, list, raw)
	return status, string(body), err
}

func certificate(t *testing.T, names ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// nameServer answers every name with its next address; the last one stays.
type nameServer struct {
	conn net.PacketConn
	mu   sync.Mutex
	next []netip.Addr
	n    int
}

func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	d := &nameServer{conn: conn, next: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	var wg sync.WaitGroup
	wg.Go(d.serve)
	t.Cleanup(func() {
		_ = conn.Close()
		wg.Wait()
	})
	return d
}

func (d *nameServer) answers(addrs ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next, d.n = nil, 0
	for _, a := range addrs {
		d.next = append(d.next, netip.MustParseAddr(a))
	}
}

func (d *nameServer) asked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

func (d *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp", d.conn.LocalAddr().String())
	}}
}

func (d *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		q := m.Questions[0]
		if q.Type == dnsmessage.TypeA {
			d.mu.Lock()
			a := d.next[min(d.n, len(d.next)-1)]
			d.n++
			d.mu.Unlock()
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: a.As4()},
			}}
		}
		out, err := m.Pack()
		if err == nil {
			_, _ = d.conn.WriteTo(out, from)
		}
	}
}

func TestAPageWithinTheListIsFetched(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	status, body, err := s.get(t, f, s.url("FEED.test", "/a/../b?q=%c3%a9#frag"))
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Equal(t, "hello /b?q=%C3%A9", body)
	r := <-s.seen
	assert.Equal(t, "feed.test:"+s.port, r.Host)
	assert.Empty(t, r.Header["Cookie"])
	assert.Empty(t, r.Header["Referer"])
	assert.Empty(t, r.Header["Authorization"])
	assert.Equal(t, []string{userAgent}, r.Header["User-Agent"])
	status, body, err = s.get(t, f, s.url("feed.test", "/missing"))
	require.NoError(t, err)
	assert.Equal(t, 404, status)
	assert.Equal(t, "no ⚡", body)
	_, body, err = s.get(t, f, s.url("bücher.test", "/x"), s.url("xn--bcher-kva.test", "/x"))
	require.NoError(t, err)
	assert.Equal(t, "hello /x", body)
}

func TestAPageOutsideTheListIsNotAskedFor(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	for _, raw := range []string{
		s.url("moved.test", "/"), "https://feed.test/", s.url("feed.test.evil.test", "/"), s.url("feed.test", "/apis"), s.url("feed.test", "/api/%2e%2e/x"),
		s.url("user:secret@feed.test", "/api/"), "http://feed.test:" + s.port + "/api/", "https://127.0.0.1:" + s.port + "/api/", s.url("feed.test", "/api/..%2fx"),
	} {
		_, _, err := s.get(t, f, raw, s.url("feed.test", "/api"))
		require.Error(t, err, raw)
		assert.NotContains(t, err.Error(), "secret")
	}
	assert.Empty(t, s.seen)
	assert.Zero(t, s.dns.asked())
}

func TestRedirectsAreJudgedLikeTheFirstURL(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	_, body, err := s.get(t, f, s.url("feed.test", "/to?u=/there"))
	require.NoError(t, err)
	assert.Equal(t, "hello /there", body)
	<-s.seen
	assert.Empty(t, (<-s.seen).Header["Referer"])
	_, body, err = s.get(t, f, s.url("feed.test", "/to?u="+s.url("moved.test", "/there")), s.url("feed.test", "/"), s.url("moved.test", "/"))
	require.NoError(t, err)
	assert.Equal(t, "hello /there", body)
	for range len(s.seen) {
		<-s.seen
	}
	for _, to := range []string{
		s.url("moved.test", "/"), "http://feed.test:" + s.port + "/", "https://feed.test/", "https://user@feed.test:" + s.port + "/",
		"file:///etc/passwd", "//moved.test/", "https://127.0.0.1:" + s.port + "/", "/to/..%252f..%252fx", "https://169.254.169.254/",
	} {
		_, _, err := s.get(t, f, s.url("feed.test", "/to?u="+to))
		require.Error(t, err, to)
		assert.Contains(t, err.Error(), "redirects out of", to)
		<-s.seen
	}
	assert.Empty(t, s.seen)
	_, _, err = s.get(t, f, s.url("feed.test", "/loop"))
	assert.ErrorContains(t, err, "redirects too often")
	assert.Len(t, s.seen, maxRedirects+1)
}

func TestAnAnswerIsBoundedAndText(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	_, body, err := s.get(t, f, s.url("feed.test", "/edge"))
	require.NoError(t, err)
	assert.Len(t, body, protocol.MaxFetchResponse)
	for path, want := range map[string]string{
		"/big": "larger than 1 MiB", "/bomb": "larger than 1 MiB", "/latin1": "not UTF-8", "/cut": "the connection failed",
	} {
		_, _, err := s.get(t, f, s.url("feed.test", path))
		assert.ErrorContains(t, err, want, path)
	}
}

func TestCookiesAreNotKept(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	for _, path := range []string{"/cookie", "/x"} {
		_, _, err := s.get(t, f, s.url("feed.test", path))
		require.NoError(t, err)
	}
	<-s.seen
	assert.Empty(t, (<-s.seen).Header["Cookie"])
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://user:secret@127.0.0.1:1/")
	t.Setenv("ALL_PROXY", "http://user:secret@127.0.0.1:1/")
	s := newSite(t)
	_, _, err := s.get(t, s.fetcher(t), s.url("feed.test", "/"))
	require.NoError(t, err)
	assert.Empty(t, (<-s.seen).Header["Proxy-Authorization"])
}

func TestTheAddressIsJudgedWhenTheConnectionIsMade(t *testing.T) {
	s := newSite(t)
	// The real rule: the site's own address is not public.
	f := NewFetcher(FetchOptions{Resolver: s.dns.resolver(), Roots: s.roots})
	defer f.Close()
	_, _, err := s.get(t, f, s.url("feed.test", "/"))
	assert.EqualError(t, err, "the host's address is not public")
	// Named by its address, which the user's list may say.
	_, _, err = s.get(t, f, s.url("127.0.0.1", "/"), s.url("127.0.0.1", "/"))
	assert.EqualError(t, err, "the host's address is not public")
	_, _, err = s.get(t, f, s.url("[::1]", "/"), s.url("[::1]", "/"))
	assert.EqualError(t, err, "the host's address is not public")
	assert.Empty(t, s.seen)
}

func TestANameThatTurnsToAnotherAddressGetsNothing(t *testing.T) {
	s := newSite(t)
	var judged []string
	f := NewFetcher(FetchOptions{Resolver: s.dns.resolver(), Roots: s.roots, Permit: func(a netip.AddrPort) bool {
		judged = append(judged, a.Addr().String())
		return a.Addr().String() == "127.0.0.1"
	}})
	defer f.Close()
	s.dns.answers("127.0.0.1", "127.0.0.2")
	_, _, err := s.get(t, f, s.url("feed.test", "/"))
	require.NoError(t, err)
	f.Close()
	_, _, err = s.get(t, f, s.url("feed.test", "/"))
	assert.EqualError(t, err, "the host's address is not public")
	assert.Equal(t, []string{"127.0.0.1", "127.0.0.2"}, judged, "each connection is judged by the address that it goes to")
}

func TestACertificateOfAnotherNameOrIssuerIsRefused(t *testing.T) {
	s := newSite(t)
	_, _, err := s.get(t, s.fetcher(t), s.url("other.test", "/"), s.url("other.test", "/"))
	assert.EqualError(t, err, "the server's certificate is not valid for its host")
	f := NewFetcher(FetchOptions{Resolver: s.dns.resolver(), Roots: x509.NewCertPool(), Permit: func(netip.AddrPort) bool { return true }})
	defer f.Close()
	_, _, err = s.get(t, f, s.url("feed.test", "/"))
	assert.EqualError(t, err, "the server's certificate is not valid for its host")
}

func TestAServerThatStallsIsGivenUpInTime(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t)
	list, _ := allow.NewList([]string{s.url("feed.test", "/")})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.seen
		cancel()
	}()
	_, _, err := f.Fetch(ctx, list, s.url("feed.test", "/stall"))
	assert.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, _, err = f.Fetch(ctx, list, s.url("feed.test", "/stall"))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, protocol.FetchTimeout, timeout(protocol.HostFetch))
}

func TestConnectionsAreKeptForTheNextFetchAndThenClosed(t *testing.T) {
	s := newSite(t)
	clock := eventtest.New()
	f := NewFetcher(FetchOptions{Resolver: s.dns.resolver(), Roots: s.roots, Time: clock, Permit: func(netip.AddrPort) bool { return true }})
	for range 3 {
		_, _, err := s.get(t, f, s.url("feed.test", "/x"))
		require.NoError(t, err)
	}
	assert.Equal(t, int64(1), s.conns.Load(), "one connection for three fetches")
	assert.Equal(t, 1, clock.Armed())
	clock.Advance(idleTransport)
	require.Eventually(t, func() bool { return s.conns.Load() == 0 }, 10*time.Second, time.Millisecond)
	assert.Nil(t, f.transport)
	assert.Zero(t, clock.Armed())
	_, _, err := s.get(t, f, s.url("feed.test", "/x"))
	require.NoError(t, err)
	f.Close()
	require.Eventually(t, func() bool { return s.conns.Load() == 0 }, 10*time.Second, time.Millisecond)
}

func TestAHostCallFetches(t *testing.T) {
	s := newSite(t)
	b := New(Options{Fetcher: s.fetcher(t)})
	c := caller(t)
	url := s.url("feed.test", "/é\u0001")
	assert.Contains(t, refused(t, b, c, protocol.HostFetch, `{"url":"`+s.url("feed.test", "/")+`"}`), "fetch_urls")
	c.FetchURLs = []string{"nonsense", s.url("feed.test", "/")}
	assert.Contains(t, refused(t, b, c, protocol.HostFetch, `{"url":"`+strings.ReplaceAll(url, "\u0001", `\u0001`)+`"}`), "control character")
	m := granted(t, b, c, protocol.HostFetch, `{"url":"`+s.url("feed.test", "/é")+`"}`)
	assert.Equal(t, map[string]any{"ok": true, "status": 200.0, "body": "hello /%C3%A9"}, m)
}

func TestOnlyTheOpenInternetIsPublic(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.167.1.1", "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "64:ff9b::101:101"} {
		assert.True(t, public(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "fe80::1%eth0", "2606:4700::1111%eth0",
	} {
		assert.False(t, public(netip.MustParseAddr(a)), a)
	}
	assert.False(t, public(netip.Addr{}))
}
