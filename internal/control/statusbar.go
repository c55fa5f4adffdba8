package control

import "github.com/flash-launcher/flash/internal/status"

// Methods of those who show the status line in a bar of their own. While the
// first one's request stands, what its template shows is observed, so that the
// monitors behind it run; it ends with the connection.
const (
	MethodStatusBar      = "statusbar"       // StatusBarParams → StatusBarView events until the client goes; Once: one StatusBarView
	MethodStatusBarClick = "statusbar.click" // StatusBarClick → PerformResult
)

// StatusBarParams say what is to be shown.
type StatusBarParams struct {
	// Template in place of the configuration's.
	Template *string `json:"template,omitempty"`
	// Hover asks for the hover texts that the template leaves open.
	Hover bool `json:"hover,omitempty"`
	// Once asks for one line, once every segment in it has had its chance.
	Once bool `json:"once,omitempty"`
}

// StatusBarView is the line as it shows from now on.
type StatusBarView struct {
	Line   status.Line `json:"line"`
	Faults []string    `json:"faults,omitempty"` // of the template
}

// StatusBarClick names what was clicked: a name of the template, or an action itself.
type StatusBarClick struct {
	Template *string `json:"template,omitempty"`
	Name     string  `json:"name"`
	Button   int     `json:"button"`
}
