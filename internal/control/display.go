package control

// Methods of the desktop that the resident is in.
const (
	MethodPanel     = "panel"     // PanelParams → none
	MethodAdopt     = "adopt"     // AdoptParams → none; a resident without a display takes up the client's session
	MethodClipboard = "clipboard" // ClipboardParams → the state of the clipboard watch
	MethodAsk       = "ask"       // none → Asked; the system asks the user for a permission that is missing
)

// Asked is the answer to MethodAsk.
type Asked struct {
	Granted bool `json:"granted"` // nothing is missing
}

// PanelParams opens the flashlight's window.
type PanelParams struct {
	Text   string `json:"text"`
	Toggle bool   `json:"toggle"` // close it if it is open
	// Session is what of the client's environment says which session it is in,
	// for a resident that has none.
	Session []string `json:"session,omitempty"`
}

// AdoptParams offers the client's session, as PanelParams does.
type AdoptParams struct {
	Session []string `json:"session,omitempty"`
}

// ClipboardOp is what ClipboardParams asks for.
type ClipboardOp string

// The operations on the clipboard watch.
const (
	ClipboardPause  ClipboardOp = "pause"
	ClipboardResume ClipboardOp = "resume"
	ClipboardStatus ClipboardOp = "status"
)

// ClipboardParams asks for Op. Seconds is how long a pause is, 0 until it is
// resumed.
type ClipboardParams struct {
	Op      ClipboardOp `json:"op"`
	Seconds float64     `json:"seconds,omitempty"`
}
