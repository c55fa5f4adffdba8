package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// say runs a command line that needs no resident.
func say(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, Options{Version: "1"}, &out, &errs)
	return code, out.String(), errs.String()
}

func TestWrongUseSaysWhatIsWantedAndWhereTheHelpIs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"strat"}, "flash: no command is called \"strat\"; did you mean \"start\"?\nSee `flash --help`.\n"},
		{[]string{"config", "pth"}, "flash: no command is called \"config pth\"; did you mean \"path\"?\nSee `flash config --help`.\n"},
		{[]string{"config"}, "flash: config: say check, edit, path, sample or show\nSee `flash config --help`.\n"},
		{[]string{"query"}, "flash: query: TEXT is missing\nSee `flash query --help`.\n"},
		{[]string{"perform", "a", "b"}, "flash: perform: it takes ROW-ID, and here are 2 words\nSee `flash perform --help`.\n"},
		{[]string{"stop", "now"}, "flash: stop: \"now\" is one word too many\nSee `flash stop --help`.\n"},
		{[]string{"logs", "--nosuch"}, "flash: logs: unknown flag: --nosuch\nSee `flash logs --help`.\n"},
		{[]string{"completion", "ksh"}, "flash: completion: no shell is called \"ksh\" here; use bash, zsh, fish, powershell\nSee `flash completion --help`.\n"},
		{[]string{"help", "plugin", "bogus"}, "flash: no command is called \"plugin bogus\"\nSee `flash help --help`.\n"},
		{[]string{"open", "--query", "a", "b"}, "flash: open: say TEXT or --query, not both\nSee `flash open --help`.\n"},
	} {
		code, out, errs := say(c.args...)
		assert.Equal(t, ExitUsage, code, c.args)
		assert.Empty(t, out, c.args)
		assert.Equal(t, c.want, errs)
	}
}

func TestShellsCompleteWordsWhereThereAreAnyAndFilesOnlyWhereOneIsTaken(t *testing.T) {
	for word, want := range map[string]string{
		"completion": "bash\nzsh\nfish\npowershell\n:4\n",
		"open":       ":4\n",
		"stop":       ":4\n",
	} {
		_, out, _ := say("__complete", word, "")
		assert.Equal(t, want, out, word)
	}
	_, out, _ := say("__complete", "config", "check", "")
	assert.Equal(t, ":0\n", out, "files")
	_, out, _ = say("__complete", "help", "config", "")
	assert.Contains(t, out, "sample\t")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, errs := say("completion", shell)
		assert.Zero(t, code, errs)
		assert.Contains(t, out, "flash", shell)
	}
}

func TestTheConfigurationIsMadeEditedAndChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my config.toml")
	t.Setenv("FLASH_CONFIG", path)
	t.Setenv("VISUAL", "")

	code, out, _ := say("config", "check")
	assert.Zero(t, code)
	assert.Equal(t, "there is no "+path+", and everything is at its default\n", out)

	t.Setenv("EDITOR", "sed -i.before -e 's/^# rows = 9/rows = 99/'")
	code, _, errs := say("config", "edit")
	assert.Equal(t, ExitConfig, code)
	assert.Contains(t, errs, "flashlight.rows: is 99")

	t.Setenv("EDITOR", "false")
	code, _, errs = say("config", "edit")
	assert.Equal(t, ExitFailure, code)
	assert.Contains(t, errs, "set EDITOR")

	_, sample, _ := say("config", "sample")
	before, err := os.ReadFile(path + ".before")
	require.NoError(t, err)
	assert.Equal(t, sample, string(before), "a new file is the sample")
}

func TestTheDoctorTriesTheFoldersThatFlashWritesTo(t *testing.T) {
	home := t.TempDir()
	assert.NoError(t, tryWriting(filepath.Join(home, "not", "made", "yet")))
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing is left")

	file := filepath.Join(home, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.Error(t, tryWriting(file))
}
