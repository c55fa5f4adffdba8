package entry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const browser = `# a comment
[Desktop Entry]
Version=1.0
Type=Application
Name=Web Browser
Name[de]=Netzbetrachter
Name[de_AT]=Netzbeschauer
Name[sr@latin]=Pregledac
Name[sr]=Прегледач
GenericName=Browser
GenericName[de]=Browser
Keywords=www;web\;net;;Internet;
Exec=browser %U
Icon=browser
Actions=private;gone;private;
OnlyShowIn=GNOME;XFCE;
X-Vendor-Thing=1

[Desktop Action private]
Name=New Private Window
Name[de]=Neues privates Fenster
Exec=browser --private

[Desktop Action unlisted]
Name=Unlisted
Exec=browser --x
`

func parse(t *testing.T, text string, langs ...string) *Entry {
	t.Helper()
	e, err := Parse([]byte(text), langs)
	require.NoError(t, err)
	return e
}

func TestAnEntryIsReadInTheReadersLanguage(t *testing.T) {
	for _, c := range []struct{ lang, language, name, plain string }{
		{"", "", "Web Browser", ""},
		{"C", "de", "Web Browser", ""},
		{"de_DE.UTF-8", "", "Netzbetrachter", "Web Browser"},
		{"de_AT", "", "Netzbeschauer", "Web Browser"},
		{"sr_RS.UTF-8@latin", "", "Pregledac", "Web Browser"},
		{"sr_RS", "", "Прегледач", "Web Browser"},
		{"fr_FR", "", "Web Browser", ""},
		{"fr_FR", "fr:de_AT:sr", "Netzbeschauer", "Web Browser"},
	} {
		env := map[string]string{"LANG": c.lang, "LANGUAGE": c.language}
		e, err := Parse([]byte(browser), LocaleOf(func(k string) string { return env[k] }))
		require.NoError(t, err)
		assert.Equal(t, c.name, e.Name, "%+v", c)
		assert.Equal(t, c.plain, e.PlainName, "%+v", c)
	}
}

func TestTheLocaleFallsBackFromSpecificToGeneral(t *testing.T) {
	env := map[string]string{"LC_ALL": "ca_ES.UTF-8@valencia", "LANG": "de_DE"}
	assert.Equal(t, Locale{"ca_ES@valencia", "ca_ES", "ca@valencia", "ca"}, LocaleOf(func(k string) string { return env[k] }))
}

func TestListsActionsAndDesktopsAreRead(t *testing.T) {
	e := parse(t, browser, "de")
	assert.Equal(t, []string{"www", "web;net", "Internet"}, e.Keywords)
	assert.Equal(t, []Action{{ID: "private", Name: "Neues privates Fenster", Exec: "browser --private"}}, e.Actions)
	assert.True(t, e.ShownIn([]string{"ubuntu", "GNOME"}))
	assert.False(t, e.ShownIn([]string{"KDE"}))
	assert.False(t, e.ShownIn(nil))

	e = parse(t, "[Desktop Entry]\nType=Application\nName=x\nExec=x\nNotShowIn=KDE;\n")
	assert.False(t, e.ShownIn([]string{"KDE"}))
	assert.True(t, e.ShownIn([]string{"GNOME"}))
	assert.True(t, e.ShownIn(nil))
}

func TestDamageAroundAnApplicationDoesNotHideIt(t *testing.T) {
	e := parse(t, "\xef\xbb\xbf\r\n# c\r\n[Desktop Entry]\r\nType = Application \r\nName =  A\\tB\x01 \xffC \r\nno equals sign\r\n=x\r\nName[broken=y\r\n[Broken\r\nName=z\r\n[Desktop Entry]\r\nExec=a\\\\b\r\nTerminal=1\r\n")
	assert.Equal(t, "A B \uFFFDC", e.Name)
	assert.Equal(t, `a\b`, e.Exec)
	assert.True(t, e.Terminal)
}

func TestWhatIsNoApplicationIsRefusedWithItsReason(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "no [Desktop Entry] group",
		"Name=x\n":                             "text before the first group",
		"[Other]\nName=x\n":                    "the first group is not [Desktop Entry]",
		"[Desktop Entry]\nName=x\nExec=x\n":    "no Type key",
		"[Desktop Entry]\nType=Application\n":  "no Name key",
		"[Desktop Entry]\nType=Link\nName=x\n": "not an application entry: Type=Link",
		"[Desktop Entry]\nType=Application\nName=x\n": "no Exec key",
		strings.Repeat("#", MaxFile+1):                "larger than",
	} {
		_, err := Parse([]byte(text), nil)
		require.ErrorContains(t, err, want)
	}
	_, err := Parse([]byte("[Desktop Entry]\nType=Directory\nName=x\n"), nil)
	assert.True(t, errors.Is(err, ErrNotApplication))
}

func TestAHiddenEntryNeedsNothingElse(t *testing.T) {
	assert.True(t, parse(t, "[Desktop Entry]\nHidden=true\n").Hidden)
}

func TestTheEntriesOfThisMachineParse(t *testing.T) {
	files, _ := filepath.Glob("/usr/share/applications/*.desktop")
	if len(files) == 0 {
		t.Skip("no desktop entries installed here")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		e, err := Parse(data, nil)
		if errors.Is(err, ErrNotApplication) {
			continue
		}
		require.NoError(t, err, f)
		if e.Exec != "" {
			_, err = ParseExec(e.Exec)
			require.NoError(t, err, f)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(browser), "de_AT")
	f.Add([]byte("[Desktop Entry]\nHidden=true"), "")
	f.Add([]byte("[Desktop Entry]\nType=Application\nName[=x\nKeywords=\\;\\\n[Desktop Action ]\nExec=%"), "C")
	f.Fuzz(func(t *testing.T, data []byte, lang string) {
		e, err := Parse(data, LocaleOf(func(string) string { return lang }))
		if err != nil {
			return
		}
		if !e.Hidden && e.Name == "" {
			t.Fatal("an application without a name")
		}
		for _, s := range append([]string{e.Name, e.GenericName, e.PlainName, e.Comment}, e.Keywords...) {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\t\x00") {
				t.Fatalf("a value that cannot be shown on one line: %q", s)
			}
		}
		_, _ = ParseExec(e.Exec)
	})
}
