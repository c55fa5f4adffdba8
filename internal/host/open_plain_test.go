package host_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// feed runs flash with lines on its standard input.
func (i *instance) feed(lines string, args ...string) result {
	i.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "flash"), args...)
	cmd.Env = i.env
	cmd.Stdin = strings.NewReader(lines)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func TestPlainReadsLinesAndPrintsALineForEachChange(t *testing.T) {
	i := newInstance(t)
	i.app("firefox", "Firefox")
	i.start()
	var r result
	i.eventually("the sum is answered in its 50 ms", func() bool {
		r = i.feed("fire\n1?\n20+22\n1\n", "open", "--plain")
		return strings.Contains(r.out, "1: 42")
	})
	require.Equal(t, 0, r.code, r.err)
	assert.Equal(t, []string{
		"searching fire",
		"1: Firefox, in apps",
		"that is all",
		"1: Open",
		"1 copy: Copy the title",
		"searching 20+22",
		"1: 42, 20+22, answer of calculator",
		"that is all",
		"flash has no clipboard here; the text is: 42",
	}, strings.Split(strings.TrimSpace(r.out), "\n"))
	assert.NotContains(t, r.out, "\x1b")

	r = i.feed("nothing at all\n", "open", "--plain")
	assert.Contains(t, r.out, "nothing is called that")
	r = i.feed("@emojis.items face\nmore\n", "open", "--plain")
	assert.Contains(t, r.out, "\n20: ")
	r = i.feed("fire\n1\n", "open", "--plain")
	assert.Contains(t, r.out, "done")
}

func TestPlainWithoutAResidentSaysSo(t *testing.T) {
	i := newInstance(t)
	r := i.feed("fire\n", "open", "--plain")
	assert.Equal(t, 3, r.code)
	assert.Contains(t, r.err, "flash start")
}

func TestADumbTerminalGetsThePlainFlashlight(t *testing.T) {
	i := newTerminalTest(t)
	i.app("firefox", "Firefox")
	i.start()
	term := i.terminal(100, 20, "TERM=dumb flash open")
	term.await("An empty line leaves.")
	term.text("fire")
	term.keys("Enter")
	term.await("1: Firefox, in apps")
	term.keys("Enter")
	term.ended(0)
}

// picker opens a picker over lines, its choice going to a file.
func (i *instance) picker(lines, flags string) (*terminal, func() string) {
	i.t.Helper()
	i.write("lines", lines, 0o600)
	out := filepath.Join(i.dir, "out")
	term := i.terminal(60, 10, "flash open --stdin "+flags+" < "+filepath.Join(i.dir, "lines")+" > "+out)
	return term, func() string {
		data, err := os.ReadFile(out)
		require.NoError(i.t, err)
		return string(data)
	}
}

func TestThePickerPrintsTheChosenLineWithoutAResident(t *testing.T) {
	i := newTerminalTest(t)
	term, chosen := i.picker("apple\nbanana\ncherry pie\n", "--prompt 'fruit: '")
	term.await("fruit:")
	term.await("3/3")
	term.text("pie")
	term.await("▌ cherry pie")
	term.keys("Enter")
	term.ended(0)
	assert.Equal(t, "cherry pie\n", chosen())
}

func TestThePickerMarksSeveralAndPrintsThemInTheirOrder(t *testing.T) {
	i := newTerminalTest(t)
	term, chosen := i.picker("one\ntwo words\nthree\nfour", "--multi --print0")
	term.await("4/4")
	term.keys("Down", "Down", "Down", "Tab")
	term.await("✓four")
	term.text("two")
	term.await("▌ two words")
	term.keys("Tab")
	term.await("✓2")
	term.keys("Enter")
	term.ended(0)
	assert.Equal(t, "two words\x00four\x00", chosen())
}

func TestThePickerTellsHowItWasClosed(t *testing.T) {
	i := newTerminalTest(t)
	for key, code := range map[string]int{"Escape": 1, "C-c": 130} {
		term, chosen := i.picker("apple\n", "")
		term.await("▌ apple")
		term.keys(key)
		term.ended(code)
		assert.Empty(t, chosen())
	}
	term, chosen := i.picker("apple\n", "--query zzz")
	term.await("No line is like that.")
	term.keys("Enter")
	term.ended(1)
	assert.Empty(t, chosen())
}

func TestThePickerShowsLinesAsTheyComeAndPassesThemOnAsTheyAre(t *testing.T) {
	i := newTerminalTest(t)
	pipe := filepath.Join(i.dir, "pipe")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	out := filepath.Join(i.dir, "out")
	term := i.terminal(60, 10, "flash open --stdin < "+pipe+" > "+out)
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer w.Close()
	_, err = w.WriteString("first \x1b[31mred\xff\r\n")
	require.NoError(t, err)
	term.await("▌ first [31mred")
	term.keys("C-n")
	_, err = w.WriteString("second\n")
	require.NoError(t, err)
	term.await("2/2")
	term.keys("Enter") // while the producer still runs
	term.ended(0)
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, "first \x1b[31mred\xff\r\n", string(data))
}

func TestThePickerWithoutATerminalSaysWhatItNeeds(t *testing.T) {
	i := newInstance(t)
	cmd := exec.Command("setsid", "--wait", filepath.Join(bin, "flash"), "open", "--stdin")
	cmd.Env = i.env
	cmd.Stdin = strings.NewReader("a\n")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(out), "/dev/tty")
}
