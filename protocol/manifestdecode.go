package protocol

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DecodeManifest decodes a manifest.json strictly. The error is a
// ManifestErrors with every fault; the manifest is then nil.
func DecodeManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, ManifestErrors{{"", "larger than " + strconv.Itoa(MaxManifest) + " bytes"}}
	}
	var faults ManifestErrors
	sc := scanner{s: string(data)}
	root := tree(&sc, "", &faults)
	if !sc.end() {
		return nil, ManifestErrors{{"", notJSON(data, &sc)}}
	}
	m := decodeManifest(newSection(root, "", &faults))
	if len(faults) > 0 {
		return nil, faults
	}
	return m, nil
}

// notJSON says what is wrong with a manifest's text, and where as an editor
// counts: lines, and characters in them, from 1.
func notJSON(data []byte, sc *scanner) string {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return "begins with a byte-order mark; save it as UTF-8 without one"
	}
	before := data[:min(sc.faultAt, len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return "is no JSON: " + sc.fault + ", line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column)
}

func decodeManifest(s *section) *Manifest {
	m := &Manifest{
		ID:            s.required("id"),
		Name:          s.required("name"),
		Version:       s.required("version"),
		Description:   s.required("description"),
		Capabilities:  s.strings("capabilities", oneOf(Capabilities())),
		FetchURLs:     s.strings("fetch_urls", fetchURL),
		Listen:        s.strings("listen", nil),
		OnlyBundleIDs: s.strings("only_bundle_ids", nil),
		OnlyTerminals: s.bool("only_terminals"),
		Priority:      int(s.int("priority", -MaxPriority, MaxPriority, DefaultPriority)),
		Actions:       s.strings("actions", nil),
		Navigation:    s.strings("navigation", nil),
		Status:        s.strings("status", nil),
		Platforms:     s.strings("platforms", oneOf([]string{PlatformDarwin, PlatformLinux, PlatformMacOS})),
	}
	if m.ID != "" && !ValidPluginID(m.ID) {
		s.fault("id", strconv.Quote(m.ID)+" is not [a-z0-9._-] without ..")
	}
	if n, ok := s.get("exec"); ok {
		if m.Exec = s.argv("exec", n); n.kind == '[' && len(m.Exec) == 0 {
			s.fault("exec", "names no program")
		}
	}
	m.Install = s.optional("install")
	if box := s.section("sandbox"); box != nil {
		m.Sandbox = decodeSandbox(box)
	}
	s.sources(m)
	if q := s.section("query"); q != nil {
		m.Query = &Query{Prefixes: q.strings("prefixes", nil)}
		q.close()
	}
	if h := s.section("hints"); h != nil {
		m.Hints = &HintsUse{FallbackOnEmpty: h.bool("fallback_on_empty")}
		h.close()
	}
	s.commands(m)
	s.keys(m)
	s.help(m)
	s.close()
	s.across(m)
	return m
}

func decodeSandbox(s *section) Sandbox {
	b := Sandbox{
		Exec:        s.strings("exec", nil),
		UnixSockets: s.strings("unix_sockets", nil),
		Read:        s.strings("read", nil),
		Mach:        s.strings("mach", nil),
		AppleEvents: s.bool("appleevents"),
		Signal:      s.bool("signal"),
	}
	s.close()
	return b
}

func (s *section) sources(m *Manifest) {
	live := 0
	s.each("sources", func(in *section) {
		src := Source{
			Name:     in.required("name"),
			Kind:     in.choice("kind", SourceDefault, SourceLocations),
			Priority: in.word("priority", PriorityNormal, PriorityLow, PriorityNormal, PriorityHigh, PriorityImportant, PriorityUrgent),
			Live:     in.bool("live"),
		}
		if src.Live {
			live++
			if src.Kind == SourceLocations {
				in.fault("live", "a source of kind locations cannot be live")
			}
		}
		if src.Name != "" && m.DeclaresSource(src.Name) {
			in.fault("name", strconv.Quote(src.Name)+" stands there twice")
		}
		m.Sources = append(m.Sources, src)
	})
	if live > 0 && live < len(m.Sources) {
		s.fault("sources", "are all live or none is")
	}
}

// hasSpace says whether a word that users type cannot be typed, since a space
// ends it.
func hasSpace(word string) bool { return strings.ContainsFunc(word, unicode.IsSpace) }

func (s *section) commands(m *Manifest) {
	s.each("commands", func(in *section) {
		c := Command{
			Command:     in.required("command"),
			Subcommand:  in.free("subcommand"),
			Description: in.free("description"),
			TimeoutMS:   in.int("timeout_ms", 1, MaxCommandTimeout.Milliseconds(), 0),
		}
		if hasSpace(c.Command) {
			in.fault("command", "holds a space")
		}
		if hasSpace(c.Subcommand) {
			in.fault("subcommand", "holds a space")
		}
		for _, o := range m.Commands {
			if c.Command != "" && o.Command == c.Command && o.Subcommand == c.Subcommand {
				in.fault("subcommand", strconv.Quote(c.Subcommand)+" of this command stands there twice")
				break
			}
		}
		m.Commands = append(m.Commands, c)
	})
	b := s.section("bangs")
	if b == nil {
		return
	}
	m.Bangs = &Bangs{Command: b.required("command")}
	b.each("items", func(in *section) {
		item := Bang{Token: in.required("token"), Description: in.free("description"), Source: in.optional("source")}
		if hasSpace(item.Token) {
			in.fault("token", "holds a space")
		}
		if item.Source != "" && !m.DeclaresSource(item.Source) {
			in.fault("source", strconv.Quote(item.Source)+" is not declared in sources")
		}
		for _, o := range m.Bangs.Items {
			if item.Token != "" && o.Token == item.Token {
				in.fault("token", strconv.Quote(item.Token)+" stands there twice")
				break
			}
		}
		m.Bangs.Items = append(m.Bangs.Items, item)
	})
	b.close()
}

func (s *section) keys(m *Manifest) {
	s.each("verbs", func(in *section) {
		v := Verb{Name: in.required("name")}
		if keys := in.section("keystrokes"); keys != nil {
			v.Keystrokes = make(map[string][]string, len(keys.fields))
			for _, f := range keys.fields {
				if n, _ := keys.get(f.key); n.kind == '"' {
					v.Keystrokes[f.key] = []string{keys.filled(f.key, n)}
				} else {
					v.Keystrokes[f.key] = keys.argv(f.key, n)
				}
			}
		}
		m.Verbs = append(m.Verbs, v)
	})
	s.each("mappings", func(in *section) {
		mapping := Mapping{Key: in.required("key"), Mode: in.optional("mode"), OnlyBundleIDs: in.strings("only_bundle_ids", nil)}
		if n, ok := in.get("command"); ok {
			mapping.Command = in.argv("command", n)
		} else {
			in.fault("command", "is missing")
		}
		m.Mappings = append(m.Mappings, mapping)
	})
}

func (s *section) help(m *Manifest) {
	h := s.section("help")
	if h == nil {
		return
	}
	if n, ok := h.get("topics"); ok {
		if n.kind != '[' {
			h.fault("topics", "is no array")
		}
		for i, item := range n.items {
			at := element("topics", i)
			if item.kind == '"' {
				m.HelpTopics = append(m.HelpTopics, HelpTopic{Title: h.filled(at, item)})
				continue
			}
			in := newSection(item, join(h.path, at), h.faults)
			m.HelpTopics = append(m.HelpTopics, HelpTopic{Title: in.required("title"), Text: in.free("text")})
			in.close()
		}
	}
	h.close()
}

// across holds the rules between keys.
func (s *section) across(m *Manifest) {
	switch fetches := m.HasCapability(CapNetworkFetch); {
	case fetches && m.FetchURLs == nil:
		s.fault("fetch_urls", "is missing beside the capability network_fetch")
	case !fetches && m.FetchURLs != nil:
		s.fault("capabilities", "network_fetch is missing beside fetch_urls")
	}
}

// word is choice with a default that is not the first of the words.
func (s *section) word(key, otherwise string, words ...string) string {
	if _, ok := s.get(key); !ok {
		return otherwise
	}
	return s.choice(key, words...)
}

func oneOf(words []string) func(string) string {
	return func(v string) string {
		if contains(words, v) {
			return ""
		}
		return notOneOf(v, words)
	}
}

func fetchURL(v string) string {
	host, https := strings.CutPrefix(v, "https://")
	if !https || host == "" || host[0] == '/' {
		return strconv.Quote(v) + " is no https URL"
	}
	return ""
}

// ValidPluginID reports whether id matches [a-z0-9._-], is not empty and can
// be a directory's name: it holds no "..", and is not ".".
func ValidPluginID(id string) bool {
	if id == "" || id == "." || strings.Contains(id, "..") {
		return false
	}
	for i := 0; i < len(id); i++ {
		if c := id[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
