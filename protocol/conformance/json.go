package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/flash-launcher/flash/protocol"
)

// maxDepth is how deep a frame may nest; deeper is noise, so that no reader
// needs a stack in proportion to its input.
const maxDepth = 128

// maxID is the largest integer that every JSON reader keeps exactly.
const maxID = 1<<53 - 1

// decodeAny decodes one JSON value, numbers as json.Number so that large
// integers stay exact.
func decodeAny(data []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	v, err := decodeNext(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func decodeNext(dec *jsontext.Decoder) (any, error) {
	switch dec.PeekKind() {
	case '0':
		raw, err := dec.ReadValue()
		return json.Number(raw), err
	case '{':
		return decodeObject(dec)
	case '[':
		list := []any{}
		_, err := dec.ReadToken()
		for err == nil && dec.PeekKind() != ']' {
			var v any
			v, err = decodeNext(dec)
			list = append(list, v)
		}
		if err == nil {
			_, err = dec.ReadToken()
		}
		return list, err
	}
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func decodeObject(dec *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		if object[name], err = decodeNext(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.ReadToken()
	return object, err
}

// encode writes compact JSON with literal Unicode and an unescaped `<`.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(strconv.Quote(err.Error()))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// envelope is a frame that keeps the law of the envelope.
type envelope struct {
	id     int64 // 0: none
	method string
	params jsontext.Value // nil: none
	result jsontext.Value // nil: none
}

func (e *envelope) isRequest() bool  { return e.id != 0 && e.method != "" }
func (e *envelope) isResponse() bool { return e.id != 0 && e.method == "" }

// paramsValue is the params as a value; absent ones are the empty object.
func (e *envelope) paramsValue() any {
	if e.params == nil {
		return map[string]any{}
	}
	v, _ := decodeAny(e.params)
	return v
}

func (e *envelope) resultValue() any {
	v, _ := decodeAny(e.result)
	return v
}

// parseEnvelope accepts exactly what the wire calls a frame. fromHost allows
// the two keys that only the host may add to a request. params and result
// are copies.
func parseEnvelope(line []byte, fromHost bool) (*envelope, error) {
	if len(line) > protocol.MaxFrame {
		return nil, fmt.Errorf("the line is longer than the cap of %d bytes", protocol.MaxFrame)
	}
	if depth(line) > maxDepth {
		return nil, fmt.Errorf("the line nests deeper than %d", maxDepth)
	}
	// The default options refuse duplicate keys, what is not UTF-8 and lone
	// surrogates. One pass does, the lines may have ten megabytes.
	dec := jsontext.NewDecoder(bytes.NewBuffer(line))
	if start, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err)
	} else if start.Kind() != '{' {
		return nil, errors.New("the line is no JSON object")
	}
	e := &envelope{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(err)
		}
		key := name.String()
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, notJSON(err)
		}
		if err := e.take(key, raw.Clone(), fromHost); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("the line goes on after its object")
	}
	return e, e.law()
}

func validTrace(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

func notJSON(err error) error { return fmt.Errorf("the line is not strict JSON: %w", err) }

func (e *envelope) take(key string, raw jsontext.Value, fromHost bool) error {
	ok := false
	switch key {
	case "id":
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n < 1 || n > maxID {
			return fmt.Errorf("id %s is no integer of 1 to 2^53-1", shown(raw, 40))
		}
		e.id, ok = n, true
	case "method":
		ok = json.Unmarshal(raw, &e.method) == nil && e.method != ""
	case "params":
		e.params, ok = raw, raw.Kind() == '{'
	case "result":
		e.result, ok = raw, raw.Kind() == '{'
	case "trace":
		var trace string
		ok = fromHost && json.Unmarshal(raw, &trace) == nil && validTrace(trace)
	case "deadline_ms":
		n, err := strconv.ParseInt(string(raw), 10, 64)
		ok = fromHost && err == nil && n > 0
	}
	if !ok {
		return fmt.Errorf("envelope key %q: not allowed here, or of the wrong type", key)
	}
	return nil
}

func (e *envelope) law() error {
	switch {
	case e.id == 0 && e.method == "":
		return errors.New("the frame has neither id nor method")
	case e.method != "" && e.result != nil:
		return errors.New("the frame has method and result")
	case e.result != nil && e.params != nil:
		return errors.New("the frame has params and result")
	case e.method == "" && e.result == nil:
		return errors.New("the frame has an id but neither method nor result")
	}
	return nil
}

// depth counts how deep brackets nest, those inside strings left out.
func depth(line []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
