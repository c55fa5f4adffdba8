package seatbelttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const head = "(version 1)\n(deny default)\n"

// Texts with answers that are known from seatbelt's published rules.
func TestKnownTextsHaveKnownAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		text, operation, arg string
		want                 bool
	}{
		"nothing is allowed":              {head, "file-read-data", "/a", false},
		"the default may be allow":        {"(version 1)(allow default)", "file-read-data", "/a", true},
		"a wildcard covers its parts":     {head + `(allow file-read*)`, "file-read-xattr", "/a", true},
		"and not its neighbours":          {head + `(allow file-read*)`, "file-write-data", "/a", false},
		"a part is not its wildcard":      {head + `(allow file-read-metadata)`, "file-read-data", "/a", false},
		"subpath is the path":             {head + `(allow file-read* (subpath "/a"))`, "file-read-data", "/a", true},
		"and what is below":               {head + `(allow file-read* (subpath "/a"))`, "file-read-data", "/a/b/c", true},
		"and not what begins alike":       {head + `(allow file-read* (subpath "/a"))`, "file-read-data", "/ab", false},
		"and not its parent":              {head + `(allow file-read* (subpath "/a/b"))`, "file-read-data", "/a", false},
		"subpath of everything":           {head + `(allow file-read* (subpath "/"))`, "file-read-data", "/a", true},
		"literal is the path":             {head + `(allow file-read* (literal "/a"))`, "file-read-data", "/a", true},
		"and nothing below":               {head + `(allow file-read* (literal "/a"))`, "file-read-data", "/a/b", false},
		"any filter is enough":            {head + `(allow file-read* (literal "/a") (literal "/b"))`, "file-read-data", "/b", true},
		"the last rule wins":              {head + `(allow file-read* (subpath "/a"))(deny file-read* (subpath "/a/b"))`, "file-read-data", "/a/b", false},
		"in its order":                    {head + `(deny file-read* (subpath "/a/b"))(allow file-read* (subpath "/a"))`, "file-read-data", "/a/b", true},
		"a deny of another operation":     {head + `(allow file-read*)(deny file-write*)`, "file-read-data", "/a", true},
		"a deny of a part":                {head + `(allow file-read*)(deny file-read-data)`, "file-read-metadata", "/a", true},
		"and one of the same name later":  {head + `(allow file-read-metadata)(deny file-read* file-read-metadata (subpath "/a"))`, "file-read-metadata", "/a/x", false},
		"existence is no part of reading": {head + `(allow file-read*)`, "file-test-existence", "/a", false},
		"two operations in one rule":      {head + `(allow file-read* file-write* (subpath "/a"))`, "file-write-unlink", "/a/x", true},
		"carved out of a deny": {
			head + `(allow file-read*)(deny file-read* (require-all (subpath "/a") (require-not (subpath "/a/b"))))`, "file-read-data", "/a/b/c", true},
		"denied beside what is carved out": {
			head + `(allow file-read*)(deny file-read* (require-all (subpath "/a") (require-not (subpath "/a/b"))))`, "file-read-data", "/a/c", false},
		"require-any":                      {head + `(allow file-read* (require-any (literal "/a") (literal "/b")))`, "file-read-data", "/b", true},
		"the quoted path":                  {head + `(allow file-read* (literal "/a\"b\\c"))`, "file-read-data", `/a"b\c`, true},
		"self is self":                     {head + `(allow signal (target self))`, "signal", "self", true},
		"self is not the children":         {head + `(allow signal (target self))`, "signal", "same-sandbox", false},
		"the same sandbox is self too":     {head + `(allow signal (target same-sandbox))`, "signal", "self", true},
		"and no other":                     {head + `(allow signal (target same-sandbox))`, "signal", "others", false},
		"a signal to all":                  {head + `(allow signal)`, "signal", "others", true},
		"addresses are no paths":           {head + `(allow network-outbound (remote ip "*:*"))`, "network-outbound", "/private/var/run/s", false},
		"any address":                      {head + `(allow network-outbound (remote ip "*:*"))`, "network-outbound", "127.0.0.1:1", true},
		"outbound is not inbound":          {head + `(allow network-outbound (remote ip "*:*"))`, "network-inbound", "127.0.0.1:1", false},
		"a socket by its path":             {head + `(allow network-outbound (subpath "/s"))`, "network-outbound", "/s/a", true},
		"a service by its name":            {head + `(allow mach-lookup (global-name "a.b"))`, "mach-lookup", "a.b", true},
		"and no other service":             {head + `(allow mach-lookup (global-name "a.b"))`, "mach-lookup", "a.b.c", false},
		"XPC by itself":                    {head, "mach-lookup", "xpc:a", true},
		"XPC denied":                       {head + `(deny mach-lookup (xpc-service-name-prefix ""))`, "mach-lookup", "xpc:a", false},
		"XPC is no global name":            {head + `(deny mach-lookup (xpc-service-name-prefix ""))(allow mach-lookup (global-name "a"))`, "mach-lookup", "xpc:a", false},
		"a sysctl":                         {head + `(allow sysctl-read (sysctl-name "kern.version"))`, "sysctl-read", "kern.version", true},
		"and not what begins alike there":  {head + `(allow sysctl-read (sysctl-name "kern.proc"))`, "sysctl-read", "kern.procargs2", false},
		"sysctls by prefix":                {head + `(allow sysctl-read (sysctl-name-prefix "hw."))`, "sysctl-read", "hw.ncpu", true},
		"fcntl by itself":                  {head, "system-fcntl", "80", true},
		"fcntl denied":                     {head + `(deny system-fcntl (fcntl-command 80 110))`, "system-fcntl", "110", false},
		"a family":                         {head + `(allow system-socket (socket-domain AF_ROUTE))`, "system-socket", "AF_ROUTE", true},
		"a family and protocol":            {head + `(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))`, "system-socket", "AF_SYSTEM/2", true},
		"a family and another protocol":    {head + `(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))`, "system-socket", "AF_SYSTEM/1", false},
		"an interpreter needs the star":    {head + `(allow process-exec* (literal "/bin/sh"))`, "process-exec-interpreter", "/bin/sh", true},
		"fork":                             {head + `(allow process-fork)`, "process-fork", "", true},
		"a shared memory object":           {head + `(allow ipc-posix-shm-read-data (ipc-posix-name "x"))`, "ipc-posix-shm-read-data", "y", false},
		"an operation that no rule writes": {head + `(allow file-read*)`, "iokit-open", "", false},
	} {
		p, err := Parse(c.text)
		require.NoError(t, err, name)
		got, err := p.Allowed(c.operation, c.arg)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// A form that the evaluator does not know is an error, never an answer.
func TestWhatIsUnknownIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                        "begins with",
		"(deny default)":                          "begins with",
		"(version 2)(deny default)":               "begins with",
		"(version 1)":                             "begins with",
		"(version 1)(allow file-read*)":           "second form",
		head + `(import "system.sb")`:             "unknown form",
		head + `(define x 1)`:                     "unknown form",
		head + `(version 1)`:                      "unknown form",
		head + `(deny default)`:                   "unknown operation",
		head + `(allow)`:                          "not a rule",
		head + `allow`:                            "not a rule",
		head + `(allow (subpath "/a"))`:           "without an operation",
		head + `(allow file-read (subpath "/a"))`: "unknown operation",
		head + `(allow network*)`:                 "unknown operation",
		head + `(allow iokit-open)`:               "unknown operation",
		head + `(allow file-read* (regex "^/a"))`: "unknown filter",
		head + `(allow file-read* (require-none (literal "/a")))`:               "unknown filter",
		head + `(allow file-read* (require-not (literal "/a") (literal "/b")))`: "one filter",
		head + `(allow (with report) file-read*)`:                               "without an operation",
		head + `(allow file-read* (with report))`:                               "unknown filter",
		head + `(allow file-read* "/a")`:                                        "not a filter",
		head + `(allow file-read* (literal /a))`:                                "unexpected",
		head + `(allow file-read* (literal "/a" "/b"))`:                         "unknown values",
		head + `(allow file-read* (literal ("/a")))`:                            "a list in",
		head + `(allow file-read* (literal "a"))`:                               "absolute",
		head + `(allow file-read* (literal "/a/../b"))`:                         "absolute",
		head + `(allow file-read* (subpath "/a/"))`:                             "absolute",
		head + `(allow file-read* (subpath "/tmp/a"))`:                          "not canonical",
		head + `(allow file-read* (subpath "/var"))`:                            "not canonical",
		head + `(allow network-outbound (remote ip "*:0"))`:                     "unknown values",
		head + `(allow network-outbound (remote ip "localhost:80"))`:            "unknown values",
		head + `(allow network-outbound (remote tcp))`:                          "unknown values",
		head + `(allow signal (target others))`:                                 "unknown values",
		head + `(allow signal (literal "/a"))`:                                  "takes no filter",
		head + `(allow process-fork (literal "/a"))`:                            "takes no filter",
		head + `(allow file-read* signal (literal "/a"))`:                       "takes no filter",
		head + `(allow file-read* (require-not (target self)))`:                 "takes no filter",
		head + `(allow mach-lookup (global-name ""))`:                           "unknown values",
		head + `(allow system-socket (socket-domain AF_INET))`:                  "unknown values",
		head + `(allow system-socket (socket-protocol x))`:                      "unknown values",
		head + `; a comment`:                                                    "unexpected",
		head + `(allow file-read* (literal "/a\n"))`:                            "unknown escape",
		head + "(allow file-read* (literal \"/a\nb\"))":                         "control character",
		head + "(allow file-read* (literal \"/a\xff\"))":                        "UTF-8",
		head + `(allow file-read*`:                                              "no end",
		head + `(allow file-read* (literal "/a`:                                 "no end",
		head + `)`:                                                              "unexpected",
		head + strings.Repeat("(", 40):                                          "nested deeper",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, says, text)
	}
}

// A narrow allow before a wide deny is read in two ways.
func TestAnAnswerThatDependsOnTheReadingIsAnError(t *testing.T) {
	p, err := Parse(head + `(allow file-read-metadata)(allow file-read* (subpath "/"))(deny file-read* (subpath "/a"))`)
	require.NoError(t, err)
	_, err = p.Allowed("file-read-metadata", "/a/b")
	require.ErrorContains(t, err, "disagree")
	for path, want := range map[string]bool{"/a/b": false, "/b": true} {
		got, err := p.Allowed("file-read-data", path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := p.Allowed("file-read-metadata", "/b")
	require.NoError(t, err)
	require.True(t, got, "both readings allow it")
}

func TestAQuestionThatMakesNoSenseIsAnError(t *testing.T) {
	p, err := Parse(head + "(allow file-read*)")
	require.NoError(t, err)
	for _, q := range [][2]string{
		{"file-read*", "/a"}, {"default", ""}, {"telepathy", ""}, {"file-read-data", "a"}, {"file-read-data", "/tmp/a"},
		{"file-read-data", "/a/./b"}, {"signal", "12"}, {"network-outbound", "nowhere"}, {"mach-lookup", ""},
		{"process-fork", "/a"}, {"system-fcntl", "x"},
	} {
		_, err := p.Allowed(q[0], q[1])
		require.Error(t, err, q)
	}
}

func TestEveryWrittenOperationCoversOneThatCanBeAsked(t *testing.T) {
	for _, op := range written {
		require.True(t, slices.ContainsFunc(Operations(), func(name string) bool { return covers(op, name) }), op)
	}
}

func TestTheMadeUpMacResolvesItsLinks(t *testing.T) {
	m := NewMac(t)
	m.Link("u", "/Users/link")
	m.Add("/var/folders/x/")
	for in, want := range map[string]string{
		"/tmp": "/private/tmp", "/var/folders/x": "/private/var/folders/x", "/Users/link/.ssh/config": Home + "/.ssh/config",
		"/private/tmp/../etc/passwd": "/private/etc/passwd",
	} {
		got, err := m.Resolve(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
	_, err := m.Resolve("/nowhere")
	require.Error(t, err)
	require.True(t, m.IsDir("/var/folders"))
	require.False(t, m.IsDir("/etc/passwd"))
	_, err = m.Open("/var/folders")
	require.Error(t, err)
}

// Each row is about a known deed with as many arguments as its questions use,
// is held somewhere, and each deed that macOS has is tried there.
func TestTheTableIsWhole(t *testing.T) {
	tried := map[string]bool{}
	seen := map[string]bool{}
	for _, d := range Deeds {
		require.False(t, seen[d.Name], d.Name)
		seen[d.Name] = true
		require.NotEqual(t, d.NotOnDarwin == "", len(d.Asks) == 0, "%s: a counterpart or a reason", d.Name)
		for _, a := range d.Asks {
			require.Contains(t, operations, a.Operation, d.Name)
		}
	}
	rows := map[string]bool{}
	for _, a := range Attempts {
		d, ok := DeedOf(a.Deed)
		require.True(t, ok, a.String())
		require.False(t, rows[a.String()], "twice: %s", a)
		rows[a.String()] = true
		require.False(t, a.Always && len(a.By) > 0, a.String())
		onLinux, onDarwin := a.NotOnLinux == "" && d.NotOnLinux == "", a.NotOnDarwin == "" && d.NotOnDarwin == ""
		require.True(t, onLinux || onDarwin, "held nowhere: %s", a)
		tried[a.Deed] = tried[a.Deed] || onDarwin
		for _, q := range d.Asks {
			require.False(t, strings.Contains(q.Arg, "{1}") && len(a.Args) < 2, a.String())
			require.False(t, strings.Contains(q.Arg, "{0}") && len(a.Args) < 1, a.String())
		}
	}
	for _, d := range Deeds {
		require.True(t, d.NotOnDarwin != "" || tried[d.Name], "nobody tries %s", d.Name)
	}
}

// Whatever text is read, the evaluator answers or refuses, and an answer does
// not depend on the spaces between the forms.
func FuzzParseAnswersOrRefuses(f *testing.F) {
	f.Add(head+`(allow file-read* (subpath "/a"))`, "/a/b")
	f.Add(head+`(deny file-read* file-write* (require-all (subpath "/a") (require-not (literal "/a/\"b\\"))))`, "/a")
	f.Add(head+`(allow network-outbound (remote ip "*:*"))`, "/")
	f.Add("(version 1)(allow default)(deny signal)", "/x")
	f.Add(strings.Repeat("(", 100), "")
	f.Fuzz(func(t *testing.T, text, path string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse("\n " + text + "\n")
		require.NoError(t, err)
		require.Equal(t, p, again)
		for _, op := range []string{"file-read-data", "file-write-data", "process-exec"} {
			got, err := p.Allowed(op, path)
			if canonical(path) != nil {
				require.Error(t, err)
				continue
			}
			if err != nil {
				require.ErrorContains(t, err, "disagree")
				continue
			}
			// Removing the rule that decided is the same as asking the rest.
			i, err := p.decides(op, path)
			require.NoError(t, err)
			if i < 0 {
				require.Equal(t, p.allowDefault, got)
				continue
			}
			rest := &Profile{allowDefault: !got, Rules: p.Rules[i:]}
			same, err := rest.Allowed(op, path)
			require.NoError(t, err)
			require.Equal(t, got, same)
		}
	})
}
