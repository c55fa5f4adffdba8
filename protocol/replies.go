package protocol

import (
	"errors"
	"strconv"
)

// decodeReply reads {"ok":true,field:…} or {"ok":false,"error":…}. value is
// called at the field's value and found says that it was there. A refusal is
// a *ReplyError; faults of the document are left in sc.
func decodeReply(sc *scanner, field string, value func()) (found bool, err error) {
	var okSeen, good, errSeen bool
	var text string
	sc.open('{')
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			return
		}
		switch k {
		case "ok":
			if okSeen {
				sc.fail("duplicate key")
			}
			okSeen = true
			good, _ = sc.boolean()
		case "error":
			if errSeen {
				sc.fail("duplicate key")
			}
			errSeen = true
			if !sc.null() {
				text, _ = sc.str()
			}
		case field:
			if found {
				sc.fail("duplicate key")
			}
			found = true
			value()
		default:
			sc.fail("unknown key" + shown(k))
		}
	}
	switch {
	case !sc.end():
	case !okSeen:
		sc.fail("ok is missing")
	case good && text != "":
		sc.fail("error beside ok true")
	case !good && text == "":
		sc.fail("ok false without an error")
	case !good:
		return found, &ReplyError{text}
	}
	return found, nil
}

// DecodeAnswers decodes the result of an evaluate, quotas enforced. A reply
// with ok false becomes a *ReplyError.
func DecodeAnswers(result []byte) ([]Answer, error) {
	sc := scanner{s: string(result)}
	var out []Answer
	var path string
	found, err := decodeReply(&sc, "answers", func() {
		from := sc.here()
		if !sc.open('[') {
			return
		}
		for n := 0; sc.next(n, ']'); n++ {
			path = "answers[" + strconv.Itoa(n) + "]"
			if n == MaxAnswers {
				path = "answers"
				sc.fail("more than " + strconv.Itoa(MaxAnswers) + " answers")
				return
			}
			out = append(out, decodeAnswer(&sc))
		}
		if sc.fault == "" {
			path = "answers"
			if sc.compactFrom(from) > MaxAnswersBytes {
				sc.fail("more than " + strconv.Itoa(MaxAnswersBytes) + " bytes")
			}
			path = ""
		}
	})
	switch {
	case sc.fault != "":
		return nil, &DecodeError{path, sc.fault}
	case err != nil:
		return nil, err
	case !found:
		return nil, &DecodeError{"answers", "is missing"}
	}
	return out, nil
}

func decodeAnswer(sc *scanner) (a Answer) {
	var title, subtitle, effect bool
	sc.open('{')
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			return a
		}
		var seen *bool
		switch k {
		case "title":
			seen = &title
			a.Title = answerText(sc)
		case "subtitle":
			seen = &subtitle
			if !sc.null() {
				a.Subtitle = answerText(sc)
			}
		case "effect":
			seen = &effect
			var problem string
			if a.Effect, problem = decodeEffect(sc, true, false); problem != "" {
				sc.fail("effect " + problem)
			}
		default:
			sc.fail("unknown key" + shown(k))
			return a
		}
		if *seen {
			sc.fail("duplicate key")
		}
		*seen = true
	}
	if !title {
		sc.fail("title is missing")
	} else if !effect {
		sc.fail("effect is missing")
	}
	return a
}

func answerText(sc *scanner) string {
	sc.nul = false
	s, ok := sc.str()
	if ok && len(s) > MaxAnswerField {
		sc.fail("text " + tooLong(MaxAnswerField))
	} else if ok && sc.nul {
		sc.fail("text holds U+0000")
	}
	return s
}

// DecodeOutcome decodes the result of a perform: an exclusive union, in which
// an unknown key or a mix of arms is a fault.
func DecodeOutcome(result []byte) (Outcome, error) {
	o, err := ParseObject(result)
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	var unhandled, failed bool
	good := o.Bool("ok")
	out.TargetPID, _ = o.OptPID("target_pid")
	out.NavigationURL, _ = o.OptString("navigation_url")
	out.Message, _ = o.OptString("message")
	out.Unhandled, unhandled = o.OptBool("unhandled")
	out.Err, failed = o.OptString("error")
	if err := o.Done(); err != nil {
		return Outcome{}, err
	}
	performed := o.Has("target_pid") || o.Has("navigation_url") || o.Has("message")
	switch {
	case len(out.NavigationURL) > MaxURL:
		return Outcome{}, &DecodeError{"navigation_url", tooLong(MaxURL)}
	case good && !unhandled && !failed:
		out.OK = true
		return out, nil
	case !good && !performed && unhandled && out.Unhandled && !failed:
		return out, nil
	case !good && !performed && !unhandled && out.Err != "":
		return out, nil
	}
	return Outcome{}, errors.New("the reply is none of performed, unhandled and error")
}

// DecodeInitializeReply decodes the reply to initialize. errText is set exactly
// when ok is false; version is 0 where a refusal names none.
func DecodeInitializeReply(result []byte) (version int64, ok bool, errText string, err error) {
	o, err := ParseObject(result)
	if err != nil {
		return 0, false, "", err
	}
	if ok = o.Bool("ok"); ok {
		version = o.Int("protocol_version")
	} else {
		version, _ = o.OptInt("protocol_version")
		errText = o.refusal()
	}
	return version, ok, errText, o.Err()
}

// DecodeOK decodes a reply of which only ok matters, such as ping's.
func DecodeOK(result []byte) (ok bool, errText string, err error) {
	o, err := ParseObject(result)
	if err != nil {
		return false, "", err
	}
	if ok = o.Bool("ok"); !ok {
		errText = o.refusal()
	}
	return ok, errText, o.Err()
}

// refusal returns the error text that a reply with ok false must carry.
func (o *Object) refusal() string {
	text, _ := o.OptString("error")
	if text == "" {
		o.Fail("error", "ok false without an error")
	}
	return text
}

// DecodeHintsReply decodes the result of a hints request; contextPID is 0 when
// absent. A reply with ok false becomes a *ReplyError.
func DecodeHintsReply(result []byte) (targets []HintTarget, contextPID int, err error) {
	o, err := ParseObject(result)
	if err != nil {
		return nil, 0, err
	}
	if !o.Bool("ok") {
		if text := o.refusal(); o.Err() == nil {
			return nil, 0, &ReplyError{text}
		}
		return nil, 0, o.Err()
	}
	contextPID, _ = o.OptPID("context_pid")
	o.Objects("targets", func(t *Object) {
		h := HintTarget{ID: t.String("id"), Frame: t.frame("frame")}
		h.Role, _ = t.OptString("role")
		h.Label, _ = t.OptString("label")
		h.URL, _ = t.OptString("url")
		h.PID, _ = t.OptPID("pid")
		h.EntersInsertMode, _ = t.OptBool("enters_insert_mode")
		priority, _ := t.OptInt("priority")
		h.Priority = int(priority)
		targets = append(targets, h)
	})
	if o.Has("error") {
		o.Fail("error", "beside ok true")
	}
	if err := o.Done(); err != nil {
		return nil, 0, err
	}
	return targets, contextPID, nil
}
