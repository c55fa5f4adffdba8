package config

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// json turns a table into compact JSON. TOML says two things that JSON cannot:
// dates, which cross as their text, and infinities and NaN, which are faults.
func (l *loader) json(path []string, values map[string]any) []byte {
	if len(values) == 0 {
		return []byte(emptyObject)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.plain(path, values)); err != nil {
		l.fail(path, "cannot be handed over as JSON", "simplify it")
		return []byte(emptyObject)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func (l *loader) plain(path []string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range sortedKeys(v) {
			out[k] = l.plain(append(path[:len(path):len(path)], k), v[k])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = l.plain(append(path[:len(path):len(path)], "["+strconv.Itoa(i)+"]"), v[i])
		}
		return out
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			l.fail(path, "is no finite number", "settings reach a plugin as JSON, which has finite numbers only")
			return nil
		}
		return v
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case toml.LocalDate:
		return v.String()
	case toml.LocalTime:
		return v.String()
	case toml.LocalDateTime:
		return v.String()
	default:
		return v
	}
}
