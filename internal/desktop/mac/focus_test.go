package mac

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

func TestTheFocusIsToldOncePerWindowAndNeverOfAnAppThatLeft(t *testing.T) {
	asked, answers, told := make(chan App), make(chan int64), make(chan window.Change, 9)
	f := &Focus{
		Read: func(a App) window.Window { asked <- a; return window.Window{ID: <-answers} },
		Tell: func(c window.Change) { told <- c },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { f.Run(ctx); close(done) }()
	one, two := App{1, "one"}, App{2, "two"}

	f.Front(one)
	assert.Equal(t, one, soon(t, asked))
	answers <- 10
	assert.Equal(t, window.Change{Focus: true, Window: window.Window{ID: 10, PID: 1, AppID: "one", Focused: true}}, soon(t, told))

	f.Moved()
	soon(t, asked)
	answers <- 10
	f.Moved()
	soon(t, asked)
	assert.Empty(t, told, "the same window is no change")

	// While the app takes its time, another comes to the front.
	f.Front(two)
	answers <- 11
	assert.Equal(t, two, soon(t, asked))
	assert.Empty(t, told)
	answers <- 20
	assert.EqualValues(t, 20, soon(t, told).Window.ID)

	f.Moved()
	soon(t, asked)
	answers <- 0
	c := soon(t, told)
	assert.Equal(t, window.Change{Focus: true, Window: window.Window{PID: 2, AppID: "two"}}, c, "an app without a window")
	cancel()
	soon(t, done)
}
