package desktop

import (
	"context"
	"fmt"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/entry"
)

// helperGrace is how long an opening helper is watched: it is a shell script
// that tries several things before it says that nothing can open the URL.
const helperGrace = time.Second

// opener opens a URL with the application that the user chose for it, and
// leaves what it knows no application for to the desktop's own helper.
type opener struct {
	apps     *apps
	handlers handlers
	helper   []string // xdg-open or gio open, nil when neither is installed
}

func newOpener(a *apps) *opener {
	o := &opener{apps: a, handlers: handlers{env: a.env, library: a.library}}
	for _, h := range [][]string{{"xdg-open"}, {"gio", "open"}} {
		if a.env.lookPath(h[0]) != "" {
			o.helper = h
			break
		}
	}
	return o
}

func (o *opener) OpenApp(ctx context.Context, id string) error { return o.apps.Launch(ctx, id, nil) }

func (o *opener) OpenURL(ctx context.Context, u string) error {
	scheme, err := checkURL(u)
	if err != nil {
		return err
	}
	if scheme == "file" {
		path := u
		if !filepath.IsAbs(u) {
			var ok bool
			if path, ok = entry.FilePath(u); !ok {
				return fmt.Errorf("open: the file URL names no file of this machine")
			}
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("open: %w", pathError(err))
		}
	}
	if id := o.handlers.find(typeOf(u, scheme), o.apps.library.read()); id != "" {
		return o.apps.Launch(ctx, id, []string{u})
	}
	if o.helper == nil {
		return unavailable("open", "no application is chosen for "+scheme+" and there is no helper", "install xdg-utils, or choose one with `xdg-mime default`")
	}
	return o.apps.launcher.start(ctx, append(o.helper[:len(o.helper):len(o.helper)], u), "", helperGrace)
}

func (o *opener) Handlers(u string) []string {
	scheme, err := checkURL(u)
	if err != nil {
		return nil
	}
	return o.handlers.all(typeOf(u, scheme), o.apps.library.read())
}

// pathError keeps the reason and drops the path, which is the user's content.
func pathError(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}

// typeOf is the type that associations are made for. Of files only what the
// name tells is used; the helper looks into the rest.
func typeOf(u, scheme string) string {
	if scheme != "file" {
		return "x-scheme-handler/" + scheme
	}
	path := u
	if p, ok := entry.FilePath(u); ok {
		path = p
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "inode/directory"
	}
	typ, _, _ := strings.Cut(mime.TypeByExtension(strings.ToLower(filepath.Ext(path))), ";")
	return typ
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
