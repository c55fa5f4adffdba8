package ax_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// page changes its content all the time and its title now and then.
const page = `<!doctype html><title>title 0</title>
<a href="https://example.org/there">a link</a><input aria-label="field" value="typed"><ul id="l"></ul>
<script>
let n = 0
setInterval(() => {
	const li = document.createElement("li"); li.textContent = "item " + ++n; l.append(li)
	if (l.children.length > 20) l.firstChild.remove()
}, 5)
setInterval(() => { document.title = "title " + n }, 500)
</script>`

// browser shows a page in a browser and returns its process once the page's
// title is the window's.
func (d *desk) browser(t testing.TB) *desktoptest.Program {
	t.Helper()
	file := d.Dir() + "/home/page.html"
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	args := []string{"--no-first-run", "--disable-gpu", "--force-renderer-accessibility", "--password-store=basic", "--user-data-dir=" + d.Dir() + "/home/browser"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	p := d.Start("chromium", append(args, "file://"+file)...)
	d.Window("^title [0-9]+")
	return p
}

func TestABrowsersTitlesAreReportedAndItsPageIsRead(t *testing.T) {
	desktoptest.Need(t, "chromium", "xdotool")
	d := newDesk(t, nil)
	d.o.SetWanted([]string{ax.TitleChanged, ax.WindowCreated})
	// The browser looks once, when it starts, whether anybody reads it.
	require.Eventually(t, func() bool { return len(d.Find("at-spi-bus-launcher")) > 0 }, patience, time.Millisecond)
	p := d.browser(t)
	d.o.Focused(p.PID(), "chromium")
	d.await(t, notice{p.PID(), ax.TitleChanged, "chromium"})
	d.await(t, notice{p.PID(), ax.TitleChanged, "chromium"})

	q := broker.AXQuery{PID: p.PID(), Windows: true, Follow: []string{"AXChildren"}, Collect: append(everything, "AXURL"), MaxNodes: 3000, Geometry: true}
	require.Eventually(t, func() bool {
		nodes, _ := d.look(t, q)
		url, value := "", ""
		for _, n := range nodes {
			switch n.attrs["AXRole"] {
			case "AXLink":
				url, _ = n.attrs["AXURL"].(string)
			case "AXTextField":
				if n.attrs["AXTitle"] == "field" {
					value, _ = n.attrs["AXValue"].(string)
				}
			}
		}
		return strings.HasSuffix(url, "example.org/there") && value == "typed"
	}, patience, 100*time.Millisecond)
}
