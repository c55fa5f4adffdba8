package broker

import (
	"context"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flash-launcher/flash/protocol"
)

func (b *Broker) open(ctx context.Context, c *call) ([]byte, error) {
	target, isURL := c.params.OptString("url")
	id, isApp := c.params.OptString("bundle_id")
	if c.params.Err() == nil && isURL == isApp {
		c.params.Fail("", "url or bundle_id is needed, and only one")
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if isApp {
		if problem := checkAppID(id); problem != "" {
			return nil, refusal("bundle_id " + problem)
		}
	} else if problem := checkOpenURL(target); problem != "" {
		return nil, refusal("url " + problem)
	}
	if b.o.Opener == nil {
		return nil, unavailable("opening a URL or an app", noDisplay)
	}
	var err error
	if isApp {
		err = b.o.Opener.OpenApp(ctx, id)
	} else {
		err = b.o.Opener.OpenURL(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	return success().Bytes(), nil
}

// checkAppID refuses what is no bundle id or desktop-entry id. Entries made by
// games and browsers have spaces in theirs.
func checkAppID(id string) string {
	switch {
	case id == "" || len(id) > 256:
		return "is not of 1 to 256 bytes"
	case id[0] == '-' || id[0] == '.':
		return "begins with a dash or a dot"
	case !printable(id) || strings.ContainsAny(id, "/\\:"):
		return "holds a slash, a colon or a control character"
	}
	return ""
}

// deniedSchemes are those that run code, reach into the browser's own pages,
// mount a server's file system (and with it hand over credentials), or start a
// terminal with what the URL says. Each would let a plugin do outside its
// sandbox what it may not do inside. Other schemes belong to an application
// that the user installed, which asks by itself where asking is due.
var deniedSchemes = [...]string{
	"about", "afp", "applescript", "blob", "chrome", "chrome-extension", "cifs", "data", "dav", "davs", "disk",
	"edge", "file-system", "filesystem", "ftp", "help", "itms-services", "jar", "javascript", "livescript", "mocha",
	"moz-extension", "ms-msdt", "nfs", "resource", "rlogin", "search-ms", "sftp", "shell", "smb", "ssh", "telnet",
	"vbscript", "view-source", "vnc", "webdav", "webdavs", "x-man-page", "x-terminal",
}

// checkOpenURL says what is wrong with a URL to open, or "".
func checkOpenURL(raw string) string {
	switch {
	case len(raw) > protocol.MaxURL:
		return "is longer than 16384 bytes"
	case !printable(raw) || strings.ContainsRune(raw, ' '):
		return "holds a space or a control character"
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return "has no scheme, or is malformed"
	}
	switch u.Scheme {
	case "http", "https":
		if u.Opaque != "" || u.Hostname() == "" {
			return "has no host"
		}
	case "mailto":
		// Some mail programs attach any file that the URL names.
		query, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			return "is malformed"
		}
		for key := range query {
			if k := strings.ToLower(key); strings.HasPrefix(k, "attach") || k == "insert" {
				return "attaches a file"
			}
		}
	case "file":
		return checkFileURL(u)
	default:
		if slices.Contains(deniedSchemes[:], u.Scheme) {
			return "has a scheme that plugins may not open"
		}
	}
	return ""
}

// runnable are extensions of files that desktops run or install when they are
// opened, executable or not. A plugin could write one and open it.
var runnable = [...]string{
	".action", ".app", ".appimage", ".bash", ".bat", ".cmd", ".com", ".command", ".csh", ".deb", ".desktop", ".dmg",
	".exe", ".fileloc", ".fish", ".flatpak", ".flatpakref", ".hta", ".inetloc", ".jar", ".jnlp", ".js", ".kdelnk",
	".ksh", ".lnk", ".mobileconfig", ".mpkg", ".msi", ".osascript", ".pkg", ".prefpane", ".ps1", ".py", ".rb", ".reg",
	".rpm", ".run", ".saver", ".scpt", ".scptd", ".service", ".sh", ".shortcut", ".snap", ".terminal", ".tool", ".url",
	".vbs", ".webloc", ".workflow", ".xpi", ".zsh",
}

// checkFileURL lets documents and folders through and no programs: opening one
// is running it, outside the sandbox.
func checkFileURL(u *url.URL) string {
	if u.Opaque != "" || u.Host != "" && u.Host != "localhost" || u.User != nil || u.RawQuery != "" {
		return "is no plain file URL"
	}
	if !filepath.IsAbs(u.Path) || strings.ContainsRune(u.Path, 0) {
		return "has no absolute path"
	}
	path, err := filepath.EvalSymlinks(u.Path)
	if err != nil {
		return "names a file that is not there or cannot be looked at"
	}
	st, err := os.Stat(path)
	if err != nil {
		return "names a file that is not there or cannot be looked at"
	}
	for _, p := range [...]string{u.Path, path} {
		if slices.Contains(runnable[:], strings.ToLower(filepath.Ext(p))) {
			return "names a program"
		}
	}
	switch mode := st.Mode(); {
	case mode.IsDir():
		return ""
	case mode&fs.ModeType != 0:
		return "names neither a file nor a folder"
	case mode.Perm()&0o111 != 0:
		return "names a program"
	}
	return ""
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
	})
}
