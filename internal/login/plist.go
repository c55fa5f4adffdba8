package login

import (
	"strconv"
	"strings"
)

// Entry is one key of a property list and its value: a string, a bool, a list of
// strings, or a dictionary of further entries.
type Entry [2]any

const plistHead = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
`

// PropertyList writes a property list of the kinds of values that Entry names.
func PropertyList(entries []Entry) string {
	var b strings.Builder
	b.WriteString(plistHead)
	plistValue(&b, entries, "")
	b.WriteString("</plist>\n")
	return b.String()
}

var (
	plistEscape   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	plistUnescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

func plistValue(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case string:
		b.WriteString(indent + "<string>" + plistEscape.Replace(v) + "</string>\n")
	case bool:
		b.WriteString(indent + "<" + strconv.FormatBool(v) + "/>\n")
	case []string:
		b.WriteString(indent + "<array>\n")
		for _, s := range v {
			plistValue(b, s, indent+"\t")
		}
		b.WriteString(indent + "</array>\n")
	case []Entry:
		b.WriteString(indent + "<dict>\n")
		for _, e := range v {
			b.WriteString(indent + "\t<key>" + plistEscape.Replace(e[0].(string)) + "</key>\n")
			plistValue(b, e[1], indent+"\t")
		}
		b.WriteString(indent + "</dict>\n")
	}
}

// LaunchAgent starts the resident at login and again when it crashes. One that
// runs already, or is asked to stop, ends without an error, so that launchd
// leaves it at that.
func LaunchAgent(program string) string {
	return PropertyList([]Entry{
		{"Label", Label},
		{"ProgramArguments", append([]string{program}, residentArgs...)},
		{"RunAtLoad", true},
		{"KeepAlive", []Entry{{"SuccessfulExit", false}}},
		{"LimitLoadToSessionType", "Aqua"},
		{"ProcessType", "Interactive"},
	})
}

// residentArgs run the resident for a manager that would start one that fails
// again and again.
var residentArgs = []string{"run", "--unless-running"}

// agentProgram is the program that the text of an agent names, "" for none.
func agentProgram(text string) string {
	_, rest, ok := strings.Cut(text, "<key>ProgramArguments</key>")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "<string>")
	program, _, ok := strings.Cut(rest, "</string>")
	if !ok {
		return ""
	}
	return plistUnescape.Replace(program)
}
