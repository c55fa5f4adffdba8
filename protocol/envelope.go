package protocol

import (
	"errors"
	"strconv"
	"strings"
)

// Envelope is one decoded line. Params and Result alias the line; they are nil
// when absent.
type Envelope struct {
	ID         int64 // 0: none
	Method     string
	Params     []byte
	Result     []byte
	Trace      string
	DeadlineMS int64 // 0: none
}

// IsRequest reports whether the frame asks for a reply. An id that is also
// outstanding in the other direction changes nothing: the counters are independent.
func (e Envelope) IsRequest() bool { return e.ID != 0 && e.Method != "" }

// IsResponse reports whether the frame answers a request.
func (e Envelope) IsResponse() bool { return e.ID != 0 && e.Method == "" }

// IsNotification reports whether the frame wants no reply.
func (e Envelope) IsNotification() bool { return e.ID == 0 && e.Method != "" }

// DecodeEnvelope decodes one line. The whole document, params and result
// included, is validated in the same pass. Errors carry no content.
func DecodeEnvelope(line []byte) (Envelope, error) {
	var e Envelope
	sc := scanner{s: view(line)}
	sc.open('{')
	seen := 0
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok {
			break
		}
		bit := envelopeKey(k)
		if bit == 0 {
			sc.fail("unknown envelope key")
			break
		}
		if seen&bit != 0 {
			sc.fail("duplicate key")
			break
		}
		seen |= bit
		if sc.null() {
			continue
		}
		switch k {
		case "id":
			if e.ID, ok = sc.integer(); ok && (e.ID < 1 || e.ID > MaxID) {
				sc.fail("id out of range")
			}
		case "method":
			if m, ok := sc.str(); ok {
				if e.Method = keepMethod(m); m == "" {
					sc.fail("empty method")
				}
			}
		case "params":
			e.Params = sc.rawObject(line)
		case "result":
			e.Result = sc.rawObject(line)
		case "trace":
			if t, ok := sc.str(); ok {
				if e.Trace = strings.Clone(t); !ValidTrace(t) {
					sc.fail("malformed trace")
				}
			}
		case "deadline_ms":
			if e.DeadlineMS, ok = sc.integer(); ok && e.DeadlineMS < 1 {
				sc.fail("deadline out of range")
			}
		}
	}
	if sc.end(); sc.fault != "" {
		return Envelope{}, errors.New("invalid frame: " + sc.fault)
	}
	if problem := e.fault(); problem != "" {
		return Envelope{}, errors.New("invalid frame: " + problem)
	}
	return e, nil
}

func (e *Envelope) fault() string {
	switch {
	case e.Method != "" && e.Result != nil:
		return "method with result"
	case e.Result != nil && e.Params != nil:
		return "result with params"
	case e.Method == "" && e.ID == 0:
		return "neither id nor method"
	case e.Method == "" && e.Result == nil:
		return "response without result"
	case (e.Trace != "" || e.DeadlineMS != 0) && !e.IsRequest():
		return "trace or deadline_ms outside a request"
	}
	return ""
}

// envelopeKey returns the bit of an envelope's key, 0 for an unknown one.
func envelopeKey(k string) int {
	switch k {
	case "id":
		return 1
	case "method":
		return 2
	case "params":
		return 4
	case "result":
		return 8
	case "trace":
		return 16
	case "deadline_ms":
		return 32
	}
	return 0
}

// rawObject validates an object and returns its bytes within line.
func (sc *scanner) rawObject(line []byte) []byte {
	if sc.peek() != '{' {
		sc.fail("expected an object")
		return nil
	}
	start := sc.i
	if !sc.skip() {
		return nil
	}
	return line[start:sc.i:sc.i]
}

// keepMethod returns m as a string that outlives the line, without a copy for
// the methods that come all the time.
func keepMethod(m string) string {
	switch m {
	case MethodPublish:
		return MethodPublish
	case MethodStatus:
		return MethodStatus
	case MethodPoll:
		return MethodPoll
	case MethodLog:
		return MethodLog
	case MethodEvent:
		return MethodEvent
	case MethodPing:
		return MethodPing
	case MethodEvaluate:
		return MethodEvaluate
	case MethodSearch:
		return MethodSearch
	case MethodPerform:
		return MethodPerform
	case MethodInitialize:
		return MethodInitialize
	}
	return strings.Clone(m)
}

// ValidTrace reports whether t matches ^[0-9a-z]{1,16}$.
func ValidTrace(t string) bool {
	if len(t) < 1 || len(t) > MaxTrace {
		return false
	}
	for i := 0; i < len(t); i++ {
		if c := t[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// AppendRequest appends a request line. Nil params are written as {}, an empty
// trace and a deadline of 0 not at all.
func AppendRequest(dst []byte, id int64, method string, params []byte, trace string, deadlineMS int64) []byte {
	dst = appendID(dst, id)
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, method)
	dst = appendParams(dst, params)
	if trace != "" {
		dst = append(dst, `,"trace":`...)
		dst = AppendString(dst, trace)
	}
	if deadlineMS > 0 {
		dst = append(dst, `,"deadline_ms":`...)
		dst = strconv.AppendInt(dst, deadlineMS, 10)
	}
	return append(dst, "}\n"...)
}

// AppendResponse appends a response line.
func AppendResponse(dst []byte, id int64, result []byte) []byte {
	dst = appendID(dst, id)
	dst = append(dst, `,"result":`...)
	if result == nil {
		result = []byte(`{"ok":true}`)
	}
	dst = append(dst, result...)
	return append(dst, "}\n"...)
}

// AppendNotification appends a notification line. Nil params are written as {}.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `{"method":`...)
	dst = AppendString(dst, method)
	dst = appendParams(dst, params)
	return append(dst, "}\n"...)
}

// AppendError appends the response line that refuses request id with text.
func AppendError(dst []byte, id int64, text string) []byte {
	dst = appendID(dst, id)
	dst = append(dst, `,"result":`...)
	dst = AppendErrorResult(dst, text)
	return append(dst, "}\n"...)
}

// AppendErrorResult appends the result object {"ok":false,"error":text}.
func AppendErrorResult(dst []byte, text string) []byte {
	dst = append(dst, `{"ok":false,"error":`...)
	dst = AppendString(dst, text)
	return append(dst, '}')
}

func appendID(dst []byte, id int64) []byte {
	return strconv.AppendInt(append(dst, `{"id":`...), id, 10)
}

func appendParams(dst, params []byte) []byte {
	dst = append(dst, `,"params":`...)
	if params == nil {
		return append(dst, "{}"...)
	}
	return append(dst, params...)
}
