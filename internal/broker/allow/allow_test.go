package allow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAURLIsSentInOneCanonicalForm(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com":                    "https://example.com/",
		"HTTPS://EXAMPLE.com.:443/A":             "https://example.com/A",
		"https://example.com:0443/":              "https://example.com/",
		"https://example.com:8443/x":             "https://example.com:8443/x",
		"https://example.com/a/../b/./c":         "https://example.com/b/c",
		"https://example.com/../../b":            "https://example.com/b",
		"https://example.com/a/%2e%2e/b":         "https://example.com/b",
		"https://example.com/%7euser/%c3%a9":     "https://example.com/~user/%C3%A9",
		"https://example.com/é":                  "https://example.com/%C3%A9",
		"https://bücher.example/x#frag":          "https://xn--bcher-kva.example/x",
		"https://BÜCHER。example/":                "https://xn--bcher-kva.example/",
		"https://ｅｘａｍｐｌｅ.com/":                   "https://example.com/",
		"https://example.com/a%2Fb":              "https://example.com/a%2Fb",
		"https://example.com/100%25":             "https://example.com/100%25",
		"https://example.com/find?q=%c3%a9&n=%2": "https://example.com/find?q=%C3%A9&n=%2",
		"https://example.com/find?":              "https://example.com/find?",
		"https://[2606:4700::1111]:443/":         "https://[2606:4700::1111]/",
		"https://example.com//a//b":              "https://example.com//a//b",
		"https://example.com/a/..":               "https://example.com/",
		"https://example.com/...":                "https://example.com/...",
	} {
		u, err := Parse(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, u.String(), in)
	}
}

func TestAURLThatCouldBeReadInTwoWaysIsRefused(t *testing.T) {
	for _, in := range []string{
		"", "https://", "https:///x", "https:example.com", "//example.com/", "example.com",
		"http://example.com/", "ftp://example.com/", "file:///etc/passwd",
		"https://user@example.com/", "https://user:secret@example.com/", "https://example.com@evil.example/", "https://@example.com/",
		"https://example.com:/", "https://example.com:0/", "https://example.com:65536/", "https://example.com:https/",
		"https://example.com\\@evil.example/", "https://example.com/a\\b", "https://example.com/a b", "https://example.com/\n", "https://example.com/\x00",
		"https://example.com/%", "https://example.com/%zz", "https://example.com/%00",
		"https://example.com/a%2f..%2fb", "https://example.com/a/..%2fb", "https://example.com/a/..%5cb",
		"https://example.com/%252e%252e/b", "https://example.com/%25252e%25252e/b", "https://example.com/%252e%252e/100%25",
		"https://example.com/..;x/b", "https://example.com/%2e%2e;x/b", "https://example.com/..%3bx/b",
		"https://example.com/" + strings.Repeat("%25", 1) + strings.Repeat("25", 9),
		"https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://example.1/",
		"https://[fe80::1%25eth0]/", "https://[::1", "https://ex%61mple.com/", "https://exa_mple..com/", "https://.example.com/",
		"https://" + strings.Repeat("a", 64) + ".com/", "https://" + strings.Repeat("a.", 130) + "com/", "https://example.com/" + strings.Repeat("a", longest),
		"https://xn--a/",
	} {
		u, err := Parse(in)
		assert.Error(t, err, "%q became %q", in, u.String())
		if err != nil {
			assert.NotContains(t, err.Error(), "secret")
		}
	}
}

func TestAPrefixMatchesOnlyAtAComponentBoundary(t *testing.T) {
	for _, c := range []struct {
		prefix, url string
		want        bool
	}{
		{"https://example.com", "https://example.com/", true},
		{"https://example.com/", "https://example.com/a?b", true},
		{"https://example.com", "https://example.com.evil.example/", false},
		{"https://example.com", "https://www.example.com/", false},
		{"https://example.com", "https://evilexample.com/", false},
		{"https://example.com", "https://example.com:8443/", false},
		{"https://example.com:8443", "https://example.com:8443/x", true},
		{"https://example.com:8443", "https://example.com/x", false},
		{"https://example.com/api", "https://example.com/api", true},
		{"https://example.com/api", "https://example.com/api/", true},
		{"https://example.com/api", "https://example.com/api/x", true},
		{"https://example.com/api", "https://example.com/api?x=1", true},
		{"https://example.com/api", "https://example.com/apis", false},
		{"https://example.com/api", "https://example.com/API", false},
		{"https://example.com/api", "https://example.com/api%2Fx", false},
		{"https://example.com/api", "https://example.com/api;x", false},
		{"https://example.com/api/", "https://example.com/api", false},
		{"https://example.com/api/", "https://example.com/api/x", true},
		{"https://example.com/api/", "https://example.com/api/../admin", false},
		{"https://example.com/api/", "https://example.com/x/../api/y", true},
		{"https://example.com/api/", "https://example.com/%61pi/y", true},
		{"https://example.com/find?k=a", "https://example.com/find?k=a", true},
		{"https://example.com/find?k=a", "https://example.com/find?k=a&n=2", true},
		{"https://example.com/find?k=a", "https://example.com/find?k=ab", false},
		{"https://example.com/find?k=a", "https://example.com/find", false},
		{"https://example.com/find?k=a", "https://example.com/find/x?k=a", false},
		{"https://EXAMPLE.com./", "https://example.COM/x", true},
		{"https://bücher.example/", "https://xn--bcher-kva.example/x", true},
	} {
		p, err := ParsePrefix(c.prefix)
		require.NoError(t, err, c.prefix)
		u, err := Parse(c.url)
		require.NoError(t, err, c.url)
		assert.Equal(t, c.want, List{p}.Allows(u), "%s within %s", c.url, c.prefix)
	}
}

func TestABadEntryAllowsNothingAndIsCounted(t *testing.T) {
	l, bad := NewList([]string{"https://", "http://example.com/", "https://*.example.com/"}, []string{"https://example.com/"})
	assert.Equal(t, 3, bad)
	assert.Len(t, l, 1)
	u, err := Parse("https://example.com/")
	require.NoError(t, err)
	assert.True(t, l.Allows(u))
	assert.False(t, List(nil).Allows(u))
}

func FuzzAllow(f *testing.F) {
	f.Add("https://example.com/api/", "https://example.com/api/../x")
	f.Add("https://bücher.example/find?k=a", "https://bücher.example/find?k=a&n=%c3")
	f.Add("https://[::1]:8443/%2e%2e/x", "https://example.com/%252e%252e/b")
	f.Fuzz(func(t *testing.T, prefix, raw string) {
		u, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(u.String())
		if err != nil || again != u {
			t.Fatalf("%q is not stable: %q, %v", raw, u.String(), err)
		}
		for s := range strings.SplitSeq(u.path, "/") {
			if s == "." || s == ".." {
				t.Fatalf("%q keeps a dot segment: %q", raw, u.path)
			}
		}
		p, err := ParsePrefix(prefix)
		if err != nil || !(List{p}).Allows(u) {
			return
		}
		// What is allowed begins, as text, with what was written.
		want := strings.TrimSuffix(p.String(), "?")
		if !strings.HasPrefix(u.String(), want) {
			t.Fatalf("%q allowed by %q", u.String(), p.String())
		}
	})
}
