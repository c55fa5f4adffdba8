package desktop

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheUsersChoiceOpensAURL(t *testing.T) {
	h := newHome(t)
	h.env = append(h.env, "XDG_CURRENT_DESKTOP=GNOME")
	for _, id := range []string{"one", "two", "three"} {
		h.program(id, "")
		h.entry("sys/applications/"+id+".desktop", id, id+" %u")
	}
	find := func(mime string) string {
		l := newLibrary(h.env)
		return handlers{env: h.env, library: l}.find(mime, l.read())
	}
	const web = "x-scheme-handler/https"
	assert.Equal(t, "", find(web))
	h.write("sys/applications/mimeinfo.cache", "[MIME Cache]\nx-scheme-handler/https=gone.desktop;one.desktop;two.desktop;\n")
	assert.Equal(t, "one", find(web))
	h.write("sys/applications/mimeapps.list", "[Added Associations]\nx-scheme-handler/https=three.desktop;\n")
	assert.Equal(t, "three", find(web))
	h.write("config/mimeapps.list", "[Removed Associations]\nx-scheme-handler/https=three.desktop;one.desktop;\n")
	assert.Equal(t, "two", find(web))
	h.write("config/mimeapps.list", "[Default Applications]\nx-scheme-handler/https=gone.desktop;two.desktop\n")
	assert.Equal(t, "two", find(web))
	h.write("config/gnome-mimeapps.list", "[Default Applications]\nx-scheme-handler/https=three.desktop\n")
	assert.Equal(t, "three", find(web))
	l := newLibrary(h.env)
	assert.Equal(t, []string{"three", "two", "one"}, handlers{env: h.env, library: l}.all(web, l.read()), "the choices first, nothing twice, nothing removed")
}

func TestAURLReachesItsHandlerAndTheRestTheHelper(t *testing.T) {
	h := newHome(t)
	browser, viewer, helper := h.recorder("browser"), h.recorder("viewer"), h.recorder("xdg-open")
	h.entry("sys/applications/browser.desktop", "Browser", "browser %U")
	h.entry("sys/applications/viewer.desktop", "Viewer", "viewer %f", "NoDisplay=true")
	h.write("config/mimeapps.list", "[Default Applications]\nx-scheme-handler/https=browser.desktop\ninode/directory=viewer.desktop\n")
	o := h.facets().Opener
	ctx := context.Background()
	require.NoError(t, o.OpenURL(ctx, "HTTPS://x.test/?a=1&b='2'"))
	assert.Equal(t, "HTTPS://x.test/?a=1&b='2'\n"+h.dir+"\n", browser())
	require.NoError(t, o.OpenURL(ctx, fileURL(h.dir)))
	assert.Equal(t, h.dir+"\n"+h.dir+"\n", viewer())
	require.NoError(t, o.OpenURL(ctx, "mailto:a@x.test"))
	assert.Equal(t, "mailto:a@x.test\n"+h.dir+"\n", helper())
	require.NoError(t, o.OpenApp(ctx, "browser"))
	assert.Equal(t, "\n"+h.dir+"\n", browser())
}

func TestWhatIsNoURLIsRefused(t *testing.T) {
	h := newHome(t)
	h.program("xdg-open", "")
	o := h.facets().Opener
	for _, u := range []string{"", "x", "--help", "-x:y", "https:", "ht tp://x", "https://x\n", ":x", "1a:x", "./x"} {
		require.Error(t, o.OpenURL(context.Background(), u), "%q", u)
	}
	err := o.OpenURL(context.Background(), "file:///no/such/file-here")
	require.ErrorContains(t, err, "no such file")
	require.NotContains(t, err.Error(), "file-here", "an error holds no user content")
	require.Error(t, o.OpenURL(context.Background(), "file://elsewhere/x"))
}

func TestWithoutHandlerOrHelperTheRemedyIsNamed(t *testing.T) {
	h := newHome(t)
	h.env = append(h.env, "PATH="+h.path("bin"))
	f := h.facets()
	err := f.Opener.OpenURL(context.Background(), "https://x.test")
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "install xdg-utils")
	require.ErrorIs(t, f.Clipboard.WriteText(context.Background(), "x"), ErrUnavailable)
	require.ErrorIs(t, f.Notifier.Notify(context.Background(), "a", "b", 0), ErrUnavailable)
	for _, line := range f.Describe() {
		assert.NotEqual(t, line.Backend == "", line.Remedy == "", "%+v says neither what serves it nor what to do", line)
	}
	h.env = append(h.env, "WAYLAND_DISPLAY=wayland-0")
	require.ErrorContains(t, h.facets().Clipboard.WriteText(context.Background(), "x"), "install wl-clipboard")
	h.env = append(h.env, "WAYLAND_DISPLAY=", "DISPLAY=:9")
	require.ErrorContains(t, h.facets().Clipboard.WriteText(context.Background(), "x"), "install xclip")
}

func TestTheClipboardToolGetsTheWholeTextAndMayStayBehind(t *testing.T) {
	h := newHome(t)
	h.env = append(h.env, "DISPLAY=:9")
	h.program("xclip", `cat > "$HOME/clip.tmp"; echo "$@" > "$HOME/args"; mv "$HOME/clip.tmp" "$HOME/clip"; sleep 30 & echo $! > "$HOME/pid"`)
	f := h.facets()
	text := strings.Repeat("é🚀\n", 100000)
	require.NoError(t, f.Clipboard.WriteText(context.Background(), text))
	assert.Equal(t, text, h.read("clip"))
	assert.Equal(t, "-in -selection clipboard\n", h.read("args"))
	h.kill("pid")

	h.program("xclip", "exit 3")
	require.ErrorContains(t, f.Clipboard.WriteText(context.Background(), "secret text"), "xclip: exit status 3")
	h.program("xclip", `exec sleep 30`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := f.Clipboard.WriteText(ctx, "secret text")
	require.ErrorContains(t, err, "xclip did not answer")
	require.NotContains(t, err.Error(), "secret")
}
