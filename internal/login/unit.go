package login

import "strings"

// UserUnit is a systemd unit that starts the resident with the user's manager,
// with a desktop or without one. What was launched keeps running when the unit
// stops.
func UserUnit(program string) string {
	return `[Unit]
Description=Flash launcher
Documentation=man:flash(1) ` + HomeURL + `

[Service]
ExecStart=` + word(program) + " " + strings.Join(residentArgs, " ") + `
Restart=on-failure
RestartSec=1
KillMode=process

[Install]
WantedBy=default.target
`
}

// AutostartEntry is what a desktop reads at login. `flash start` hands the
// desktop's display to a resident that the unit has started before there was one.
func AutostartEntry(program string) string {
	return `[Desktop Entry]
Type=Application
Name=Flash
Comment=Launcher host with sandboxed plugins
Exec=` + word(program) + ` start
NoDisplay=true
X-GNOME-Autostart-enabled=true
`
}

// plain are the characters that need no quotes in either file.
func plain(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-+@,:", r)
	}) < 0
}

// entryOn takes back what the settings of desktops write to switch an entry off.
func entryOn(text string) string {
	text = strings.ReplaceAll(text, "\nHidden=true\n", "\n")
	return strings.ReplaceAll(text, "\nX-GNOME-Autostart-enabled=false\n", "\nX-GNOME-Autostart-enabled=true\n")
}

// word quotes a program for either file. Both expand %; what else either expands
// within quotes is in no path that a Manager lets pass.
func word(s string) string {
	s = strings.ReplaceAll(s, "%", "%%")
	if plain(s) {
		return s
	}
	return `"` + s + `"`
}

func unitProgram(text string) string {
	return firstWord(text, "ExecStart=", " "+strings.Join(residentArgs, " "))
}

func entryProgram(text string) string { return firstWord(text, "Exec=", " start") }

// firstWord is what stands in a key's value before the arguments.
func firstWord(text, key, arguments string) string {
	for line := range strings.Lines(text) {
		value, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), key)
		if !ok {
			continue
		}
		first, ok := strings.CutSuffix(value, arguments)
		if !ok {
			return ""
		}
		if inner, quoted := strings.CutPrefix(first, `"`); quoted && strings.HasSuffix(inner, `"`) {
			first = inner[:len(inner)-1]
		}
		return strings.ReplaceAll(first, "%%", "%")
	}
	return ""
}
