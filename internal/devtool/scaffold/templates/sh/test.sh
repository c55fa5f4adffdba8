#!/bin/sh
# Plays the host to the plugin and compares what it says.
set -eu
cd "$(dirname "$0")"
want='{"id":1,"result":{"ok":true,"protocol_version":1}}
{"method":"publish","params":{"rows":[{"source":"@ID@.items","title":"Hello from @ID@","effect":{"type":"copy_text","text":"Hello from @ID@"}}]}}
{"id":2,"result":{"ok":true,"answers":[{"title":"Hello \"you\"","subtitle":"Copy the greeting","effect":{"type":"copy_text","text":"Hello \"you\""}}]}}
{"id":3,"result":{"ok":true,"message":"Hello there"}}
{"id":4,"result":{"ok":false,"unhandled":true}}'
got=$(printf '%s\n' \
	'{"id":1,"method":"initialize","params":{"protocol_version":1}}' \
	'{"id":2,"method":"evaluate","params":{"query":"@ID@ \"you\"","scope":"","surface":"flashlight"}}' \
	'{"id":3,"method":"perform","params":{"kind":"command","command":"@ID@","subcommand":"say","args":["there"],"raw":":@ID@ say there"}}' \
	'{"id":4,"method":"perform","params":{"kind":"navigate","url":"x:"}}' | './@ID@')
[ "$got" = "$want" ] || {
	printf 'want:\n%s\ngot:\n%s\n' "$want" "$got" >&2
	exit 1
}
echo ok
