# The reading half of a Flash plugin in shell: takes frames of the wire, version
# 1, from stdin, drops what is no valid frame, and prints for flash_plugin.sh
#
#	reply JSON                       a frame to send as it is
#	start                            after a good initialize
#	evaluate ID      + query
#	perform ID KIND N + N lines      command subcommand raw args… | name | url | title
#	event            + name
#
# Newlines within a value are printed as spaces. Any POSIX awk will do.
#
# With PIECES set, lines come in pieces, as flash_cut of flash_plugin.sh has them.

BEGIN {
	MAX = 10485760; DEPTH = 128
	for (i = 1; i < 32; i++) CONTROL = CONTROL sprintf("%c", i)
}

# A long line is put together in two steps: in one, its time would be quadratic.
PIECES && /^\+/ {
	SOME = SOME substr($0, 2)
	if (length(SOME) > 65536) { LINE = LINE SOME; SOME = "" }
	next
}
PIECES { take(LINE SOME substr($0, 2)); LINE = SOME = ""; next }
{ take($0) }

function take(s) {
	sub(/\r$/, "", s)
	if (length(s) == 0 || length(s) > MAX) return
	split("", V); split("", T); SRC = s; AT = 1; BAD = 0
	if (!utf8(s)) return
	value("", 1)
	space()
	if (BAD || AT <= length(SRC) || T[""] != "object" || !envelope()) return
	frame()
	fflush()
}

function frame(   id, m, v) {
	id = V[".id"]; m = V[".method"]
	if (m == "") return # a reply: this plugin asks nothing
	if (id == "") {
		if (m == "event" && HANDSHAKE && T[".params.name"] == "string" && V[".params.name"] != "" && optional(".params.payload", "object"))
			print "event\n" line(V[".params.name"])
		return
	}
	if (m == "ping") ok(id)
	else if (m == "initialize") {
		v = T[".params.protocol_version"] == "integer" ? V[".params.protocol_version"] : 0
		if (HANDSHAKE) refuse(id, "initialize may only be called once")
		else if (v != "1") {
			print "reply {\"id\":" id ",\"result\":{\"ok\":false,\"protocol_version\":1,\"error\":\"protocol version mismatch: host v" v ", plugin v1\"}}"
			exit
		} else {
			HANDSHAKE = 1
			print "reply {\"id\":" id ",\"result\":{\"ok\":true,\"protocol_version\":1}}"
			print "start"
		}
	}
	else if (m == "evaluate") {
		if (T[".params.query"] != "string" || !optional(".params.scope", "string") || !optional(".params.surface", "string"))
			refuse(id, "invalid evaluate params")
		else print "evaluate " id "\n" line(V[".params.query"])
	}
	else if (m == "perform") perform(id)
	else refuse(id, "unknown method: " m)
}

function perform(id,   p, k, n, i, out) {
	p = ".params"; k = V[p ".kind"]; n = 0
	if (T[p ".kind"] != "string") k = ""
	if (k == "command") {
		if (T[p ".command"] == "string" && optional(p ".subcommand", "string") && optional(p ".raw", "string") && optional(p ".args", "array")) {
			n = 3; out = line(V[p ".command"]) "\n" line(V[p ".subcommand"]) "\n" line(V[p ".raw"])
			for (i = 0; i < V[p ".args"] && n; i++) {
				if (T[p ".args." i] != "string") { n = 0; break }
				out = out "\n" line(V[p ".args." i]); n++
			}
		}
	} else if (k == "action") {
		p = p ".context"
		if (T[".params.name"] == "string" && T[p] == "object" && optional(".params.args", "object") && optional(p ".bundle_id", "string") &&
			(T[p ".pid"] == "" || T[p ".pid"] == "null" || pid(p ".pid")) && (T[p ".front_window_frame"] == "" || T[p ".front_window_frame"] == "null" || rectangle(p ".front_window_frame"))) {
			n = 1; out = line(V[".params.name"])
		}
	} else if (k == "navigate") {
		if (T[p ".url"] == "string") { n = 1; out = line(V[p ".url"]) }
	} else if (k == "resolve") {
		if (T[p ".row.source"] == "string" && T[p ".row.title"] == "string") { n = 1; out = line(V[p ".row.title"]) }
	}
	if (!n) refuse(id, "invalid perform params")
	else print "perform " id " " k " " n "\n" out
}

function optional(path, type) { return T[path] == "" || T[path] == "null" || T[path] == type }
function number(path) { return T[path] == "integer" || T[path] == "number" }
function pid(path) { return T[path] == "integer" && V[path] + 0 >= 1 && V[path] + 0 <= 2147483647 }
function rectangle(path) {
	return T[path] == "object" && number(path ".x") && number(path ".y") && number(path ".width") && number(path ".height")
}

function ok(id) { print "reply {\"id\":" id ",\"result\":{\"ok\":true}}" }
function refuse(id, text) { print "reply {\"id\":" id ",\"result\":{\"ok\":false,\"error\":" quote(text) "}}" }
function line(s) { gsub(/[\n\r]/, " ", s); return s }

function quote(s,   i, c, out) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\"" || c == "\\") c = "\\" c
		else if (index(CONTROL, c)) c = sprintf("\\u%04x", index(CONTROL, c))
		out = out c
	}
	return "\"" out "\""
}

function envelope(   id, m, k) {
	for (k in T) if (k ~ /^\.[^.]*$/ && k !~ /^\.(id|method|params|result|trace|deadline_ms)$/) return 0
	if (!optional(".id", "integer") || !optional(".method", "string") || !optional(".params", "object") || !optional(".result", "object") ||
		!optional(".trace", "string") || !optional(".deadline_ms", "integer")) return 0
	id = V[".id"]; m = V[".method"]
	if (T[".method"] == "string" && m == "") return 0
	if (T[".id"] == "integer" && (id !~ /^[1-9][0-9]*$/ || length(id) > 16 || length(id) == 16 && (id "") > "9007199254740991")) return 0
	if (T[".result"] == "object" && (m != "" || T[".params"] == "object")) return 0
	if (m == "" && (id == "" || T[".result"] != "object")) return 0
	if ((V[".trace"] != "" || V[".deadline_ms"] != "") && (id == "" || m == "")) return 0
	if (T[".trace"] == "string" && (V[".trace"] !~ /^[0-9a-z]+$/ || length(V[".trace"]) > 16)) return 0
	return T[".deadline_ms"] != "integer" || V[".deadline_ms"] ~ /^[1-9][0-9]*$/
}

# JSON, strictly. value reads one and notes its type and, of scalars, its text.

function space() { while (index(" \t\n\r", substr(SRC, AT, 1)) && AT <= length(SRC)) AT++ }

function value(path, depth,   c, n, key) {
	if (BAD) return
	space()
	c = substr(SRC, AT, 1)
	if (c == "\"") { T[path] = "string"; V[path] = string() }
	else if (c == "{" || c == "[") {
		if (depth > DEPTH) { BAD = 1; return }
		AT++; n = 0
		T[path] = c == "{" ? "object" : "array"
		space()
		if (substr(SRC, AT, 1) == (c == "{" ? "}" : "]")) { AT++; V[path] = 0; return }
		while (!BAD) {
			space()
			if (c == "[") value(path "." n, depth + 1)
			else {
				if (substr(SRC, AT, 1) != "\"") { BAD = 1; return }
				key = string()
				gsub(/\./, "\001", key) # a dot within a name is none of a path
				if ((path "." key) in T) { BAD = 1; return }
				space()
				if (substr(SRC, AT++, 1) != ":") { BAD = 1; return }
				value(path "." key, depth + 1)
			}
			n++
			space()
			key = substr(SRC, AT++, 1)
			if (key == (c == "{" ? "}" : "]")) break
			if (key != ",") BAD = 1
		}
		V[path] = n
	}
	else if (substr(SRC, AT, 4) == "true" || substr(SRC, AT, 4) == "null") { T[path] = c == "t" ? "boolean" : "null"; AT += 4 }
	else if (substr(SRC, AT, 5) == "false") { T[path] = "boolean"; AT += 5 }
	else if (match(substr(SRC, AT, 400), /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) {
		V[path] = substr(SRC, AT, RLENGTH)
		T[path] = V[path] ~ /[.eE]/ ? "number" : "integer"
		AT += RLENGTH
	}
	else BAD = 1
}

function string(   rest, end, raw) {
	rest = substr(SRC, AT + 1)
	if (!match(rest, /["\\]/)) { BAD = 1; return "" }
	if (substr(rest, RSTART, 1) == "\"") raw = substr(rest, 1, RSTART - 1)
	else if (match(rest, /^([^"\\]|\\.)*"/)) raw = substr(rest, 1, RLENGTH - 1)
	else { BAD = 1; return "" }
	AT += length(raw) + 2
	if (raw ~ /[\001-\037]/) BAD = 1
	return index(raw, "\\") ? unescape(raw) : raw
}

function unescape(s,   out, i, c, code, low) {
	while ((i = index(s, "\\")) > 0) {
		out = out substr(s, 1, i - 1)
		c = substr(s, i + 1, 1)
		s = substr(s, i + 2)
		if (c == "u") {
			code = hex(substr(s, 1, 4)); s = substr(s, 5)
			if (code >= 55296 && code <= 56319 && substr(s, 1, 2) == "\\u") {
				low = hex(substr(s, 3, 4)); s = substr(s, 7)
				if (low < 56320 || low > 57343) BAD = 1
				code = 65536 + (code - 55296) * 1024 + low - 56320
			} else if (code >= 55296 && code <= 57343) BAD = 1
			out = out (BAD ? "" : encode(code))
		}
		else if (c == "n") out = out "\n"
		else if (c == "t") out = out "\t"
		else if (c == "r") out = out "\r"
		else if (c == "b") out = out "\b"
		else if (c == "f") out = out "\f"
		else if (c == "\"" || c == "\\" || c == "/") out = out c
		else BAD = 1
	}
	return out s
}

function hex(s,   i, n) {
	if (s !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) { BAD = 1; return 0 }
	s = tolower(s)
	for (i = 1; i <= 4; i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}

function encode(code) {
	if (code < 1) return " "
	if (code < 128) return sprintf("%c", code)
	if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
	if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
	return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}

function utf8(s) {
	if (s !~ /[\200-\377]/) return 1
	gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]/, "", s)
	gsub(/\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", s)
	return s !~ /[\200-\377]/
}
