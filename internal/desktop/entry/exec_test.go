package entry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnExecLineIsSplitByItsQuoting(t *testing.T) {
	for line, want := range map[string]Command{
		`app`:                         {"app"},
		"  app\t-a   b ":              {"app", "-a", "b"},
		`"/opt/My App/run" --x`:       {"/opt/My App/run", "--x"},
		`app "a \"b\" \$c \\ \n"`:     {"app", `a "b" $c \ \n`},
		`app "" ''`:                   {"app", "", ""},
		`sh -c 'echo "hi"; exit'`:     {"sh", "-c", `echo "hi"; exit`},
		`app a\ b c"d e"f`:            {"app", "a b", "cd ef"},
		`app 100% "50 %"`:             {"app", "100%", "50 %"},
		`app --geometry=100%x100% %%`: {"app", "--geometry=100%x100%", "%%"},
	} {
		got, err := ParseExec(line)
		if strings.Contains(line, "%x") {
			require.ErrorContains(t, err, "unknown field code %x")
			continue
		}
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
}

func TestABrokenExecLineIsRefusedWithItsReason(t *testing.T) {
	for line, want := range map[string]string{
		``: "empty", `   `: "empty", `app "x`: "unclosed double", `app 'x`: "unclosed single", `app \`: "backslash",
		`app %z`: "unknown field code %z", `%f`: "does not start with a program", `A=b app`: "does not start with a program", `""`: "does not start with a program",
		"app \x00": "NUL",
	} {
		_, err := ParseExec(line)
		require.ErrorContains(t, err, want, line)
	}
}

func TestFieldCodesExpand(t *testing.T) {
	two := []string{"file:///tmp/a%20b", "/tmp/c"}
	web := []string{"https://x.test/?q=1", "https://y.test/"}
	for _, c := range []struct {
		line string
		urls []string
		want [][]string
	}{
		{"app %f", nil, [][]string{{"app"}}},
		{"app %f", two, [][]string{{"app", "/tmp/a b"}, {"app", "/tmp/c"}}},
		{"app %F -", two, [][]string{{"app", "/tmp/a b", "/tmp/c", "-"}}},
		{"app %u", web, [][]string{{"app", web[0]}, {"app", web[1]}}},
		{"app %U", web, [][]string{{"app", web[0], web[1]}}},
		{"app %U", nil, [][]string{{"app"}}},
		{"app --open=%u", web[:1], [][]string{{"app", "--open=" + web[0]}}},
		{"app --open=%u", nil, [][]string{{"app", "--open="}}},
		{"app", web[:1], [][]string{{"app", web[0]}}},
		{"app", two[:1], [][]string{{"app", "/tmp/a b"}}},
		{"app %i %c %k", nil, [][]string{{"app", "--icon", "ic", "The App", "/p/app.desktop"}}},
		{"app %% 100%% %d%D%n%N%v%m x%dy", nil, [][]string{{"app", "%", "100%", "", "xy"}}},
		{"app %d %m", nil, [][]string{{"app"}}},
	} {
		cmd, err := ParseExec(c.line)
		require.NoError(t, err, c.line)
		got, err := cmd.Expand(Fields{URLs: c.urls, Icon: "ic", Name: "The App", Path: "/p/app.desktop"})
		require.NoError(t, err, c.line)
		assert.Equal(t, c.want, got, "%s %v", c.line, c.urls)
	}
	cmd, err := ParseExec("app %i")
	require.NoError(t, err)
	got, err := cmd.Expand(Fields{})
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"app"}}, got)
}

func TestAFileOnlyApplicationRefusesAWebAddress(t *testing.T) {
	for _, line := range []string{"app %f", "app %F", "app --x=%f"} {
		cmd, err := ParseExec(line)
		require.NoError(t, err)
		_, err = cmd.Expand(Fields{URLs: []string{"https://x.test"}})
		require.ErrorContains(t, err, "local files only")
	}
}

func TestTheProgramIsFoundBehindEnv(t *testing.T) {
	for line, want := range map[string]string{
		"env A=b -u C app --x": "app", "/usr/bin/env app": "app", "app %U": "app", "env": "env",
	} {
		cmd, err := ParseExec(line)
		require.NoError(t, err)
		assert.Equal(t, want, cmd.Program(), line)
	}
	cmd, err := ParseExec("env A=b office --writer %U")
	require.NoError(t, err)
	assert.Equal(t, []string{"--writer"}, cmd.Literals())
}

func FuzzExec(f *testing.F) {
	for _, s := range []string{`app "a \" b" %U`, `sh -c 'x' %i%c%k`, `"`, `\`, `a %`, "env A=b x%%f"} {
		f.Add(s, "file:///a%20b")
	}
	f.Fuzz(func(t *testing.T, line, u string) {
		cmd, err := ParseExec(line)
		if err != nil {
			return
		}
		runs, err := cmd.Expand(Fields{URLs: []string{u, u}, Name: "n", Path: "/k"})
		if err != nil {
			return
		}
		for _, argv := range runs {
			if len(argv) == 0 || argv[0] == "" {
				t.Fatalf("no program in %q", argv)
			}
		}
		if cmd.Program() == "" {
			t.Fatal("a command without a program")
		}
		cmd.Literals()
	})
}
