package sdk

import "github.com/flash-launcher/flash/protocol"

// Config is the plugin's table of the user's configuration. A getter never
// fails: a key that is absent or holds another type gives the default, because
// a typing error in a config file must not take a plugin down. Keys hold
// arbitrary user content; log none of it.
type Config struct{ raw []byte }

// NewConfig returns the Config of a JSON object. Anything else is an empty
// table.
func NewConfig(json string) *Config {
	raw := []byte(json)
	if _, err := protocol.ParseObject(raw); err != nil || len(raw) == 0 {
		raw = []byte("{}")
	}
	return &Config{raw}
}

// Raw returns the table as a JSON object.
func (c *Config) Raw() []byte { return c.raw }

func (c *Config) object() *protocol.Object {
	o, err := protocol.ParseObject(c.raw)
	if err != nil {
		return nil
	}
	return o
}

// String returns the text under key, or def.
func (c *Config) String(key, def string) string {
	if o := c.object(); o != nil {
		if v, ok := o.OptString(key); ok && o.Err() == nil {
			return v
		}
	}
	return def
}

// Int returns the integer under key, or def.
func (c *Config) Int(key string, def int64) int64 {
	if o := c.object(); o != nil {
		if v, ok := o.OptInt(key); ok && o.Err() == nil {
			return v
		}
	}
	return def
}

// Float returns the number under key, or def.
func (c *Config) Float(key string, def float64) float64 {
	if o := c.object(); o != nil {
		if v, ok := o.OptFloat(key); ok && o.Err() == nil {
			return v
		}
	}
	return def
}

// Bool returns the boolean under key, or def.
func (c *Config) Bool(key string, def bool) bool {
	if o := c.object(); o != nil {
		if v, ok := o.OptBool(key); ok && o.Err() == nil {
			return v
		}
	}
	return def
}

// Strings returns the list of texts under key, or def.
func (c *Config) Strings(key string, def []string) []string {
	if o := c.object(); o != nil {
		if v, ok := o.OptStrings(key); ok && o.Err() == nil {
			return v
		}
	}
	return def
}

// Table returns the table under key; it is empty when there is none.
func (c *Config) Table(key string) *Config {
	if o := c.object(); o != nil {
		if raw := o.Raw(key); len(raw) > 0 && raw[0] == '{' {
			return &Config{raw}
		}
	}
	return &Config{[]byte("{}")}
}

// Tables returns the tables in the list under key; nil unless it is a list of
// tables.
func (c *Config) Tables(key string) []*Config {
	o := c.object()
	if o == nil {
		return nil
	}
	var tables []*Config
	o.Objects(key, func(in *protocol.Object) {
		b := protocol.NewObject(nil)
		for _, k := range in.Keys() {
			b.Raw(k, in.Raw(k))
		}
		tables = append(tables, &Config{b.Bytes()})
	})
	if o.Err() != nil {
		return nil
	}
	return tables
}

// Keys returns the table's keys in the order of the document.
func (c *Config) Keys() []string {
	if o := c.object(); o != nil {
		return o.Keys()
	}
	return nil
}
