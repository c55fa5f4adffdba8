package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACaptureIsTakenApartIntoRunsAtTheirColumns(t *testing.T) {
	bold := look{fg: 6, bg: -1, bold: true}
	assert.Equal(t, [][]run{
		{{"❯", 0, 1, bold}, {" ", 1, 1, bold}, {"de", 2, 2, plainLook}},
		{{"東", 0, 2, plainLook}, {"x", 2, 1, look{fg: -1, bg: 237, faint: true}}},
		{{"y", 0, 1, look{fg: 9, bg: -1, faint: true}}},
	}, parse("\x1b[1m\x1b[36m❯ \x1b[0mde\n東\x1b[2;48;5;237mx\x1b[49;91m\ny\n"))
}

func TestThePictureIsWellFormedAndDrawsALineOnce(t *testing.T) {
	line := parse("a <b> & c")
	svg := picture([]frame{{lines: line, lasts: time.Second}, {lines: line, lasts: time.Second}}, 20, 5, 1)
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err != nil {
			require.True(t, errors.Is(err, io.EOF), err)
			break
		}
	}
	assert.Equal(t, 1, strings.Count(svg, "a &lt;b&gt; &amp; c"))
	assert.Equal(t, 2, strings.Count(svg, `href="#l0"`))
	assert.NotContains(t, svg, "http://www.w3.org/1999/xlink")
}
