package flashlight

import (
	"context"
	"errors"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// surface is what evaluators are told about who asks.
const surface = "flashlight"

// laneResult is the lane of one query: complete, and never added to.
type laneResult struct {
	answers []Answer
	notices []Notice
}

// askLane asks the evaluators and returns what came within the query deadline,
// in the order of the plugins' turn. Whoever is late is left out without a word:
// evaluators are additive, and a line that says so at each keystroke helps
// nobody. Other errors are shown.
func (e *Engine) askLane(ctx context.Context, in input) laneResult {
	res := laneResult{answers: []Answer{}}
	if len(in.evaluators) == 0 {
		return res
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.DeadlineQuery)
	defer cancel()
	type reply struct {
		turn    int
		answers []protocol.Answer
		err     error
	}
	replies := make(chan reply, len(in.evaluators))
	for turn, p := range in.evaluators {
		go func() {
			a, err := e.backend.Evaluate(ctx, p.ID, protocol.Evaluate{Query: in.query, Scope: in.scope, Surface: surface})
			replies <- reply{turn, a, err}
		}()
	}
	got := make([]reply, len(in.evaluators))
wait:
	for range in.evaluators {
		select {
		case r := <-replies:
			got[r.turn] = r
		case <-ctx.Done():
			break wait
		}
	}
	for turn, r := range got {
		id := in.evaluators[turn].ID
		if r.err != nil && !tooLate(r.err) {
			res.notices = append(res.notices, noticeOf(id, r.err))
		}
		for _, a := range r.answers {
			res.answers = append(res.answers, Answer{Title: a.Title, Subtitle: a.Subtitle, Plugin: id, Effect: a.Effect})
		}
	}
	return res
}

// tooLate says whether err only means that time ran out or nobody waits any more.
func tooLate(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		strings.HasSuffix(err.Error(), protocol.ErrTextDeadline) // behind the name of the plugin that it was told about
}

// noticeOf tells what went wrong at a plugin. Its name stands in the notice, so
// the text does without it.
func noticeOf(plugin string, err error) Notice {
	text := err.Error()
	for _, named := range []string{"plugin " + plugin + ": ", "plugin " + plugin + " "} {
		text = strings.TrimPrefix(text, named)
	}
	return Notice{Plugin: plugin, Text: text}
}
