# The writing half of a Flash plugin in shell; flash_plugin.awk reads. Source it,
# define the handlers, and call flash_run. A handler runs in the same shell, one
# at a time, and starts no process of its own: what it may start the manifest's
# sandbox.exec has to name.
#
#	on_start      publish with: row SOURCE TITLE TEXT [SUBTITLE]…, then publish
#	on_evaluate   QUERY holds what was typed; answer TITLE TEXT [SUBTITLE]…
#	on_perform    KIND is command, action, navigate or resolve. Of a command
#	              COMMAND, SUBCOMMAND, RAW and the arguments as "$@"; else NAME.
#	              Say done_with [MESSAGE], unhandled or failed ERROR
#	on_event      NAME holds the event's name
#
# Only printf below writes to stdout; diagnostics go to stderr (>&2).

LC_ALL=C
export LC_ALL
flash_rows= flash_answers= flash_outcome=

on_start() { :; }
on_evaluate() { :; }
on_perform() { unhandled; }
on_event() { :; }

# json_string TEXT sets JSON to the text as a JSON string.
json_string() {
	JSON=
	flash_rest=$1
	while :; do
		flash_head=${flash_rest%%[\"\\[:cntrl:]]*}
		JSON=$JSON$flash_head
		[ "$flash_head" != "$flash_rest" ] || break
		flash_rest=${flash_rest#"$flash_head"}
		case $flash_rest in
		\"*) JSON=$JSON\\\" ;;
		\\*) JSON=$JSON\\\\ ;;
		*) JSON="$JSON " ;; # a control character
		esac
		flash_rest=${flash_rest#?}
	done
	JSON=\"$JSON\"
}

row() {
	json_string "$1"
	flash_row="{\"source\":$JSON"
	json_string "$2"
	flash_row="$flash_row,\"title\":$JSON"
	json_string "$3"
	flash_row="$flash_row,\"effect\":{\"type\":\"copy_text\",\"text\":$JSON}"
	if [ -n "${4-}" ]; then
		json_string "$4"
		flash_row="$flash_row,\"metadata\":{\"subtitle\":$JSON}"
	fi
	flash_rows=$flash_rows${flash_rows:+,}$flash_row}
}

# publish replaces the catalogue by the rows since the last publish.
publish() {
	printf '{"method":"publish","params":{"rows":[%s]}}\n' "$flash_rows"
	flash_rows=
}

# status NAME TEXT sets a segment of the status bar.
status() {
	json_string "$1"
	flash_name=$JSON
	json_string "$2"
	printf '{"method":"status","params":{"segments":{%s:%s}}}\n' "$flash_name" "$JSON"
}

answer() {
	json_string "$1"
	flash_answer="{\"title\":$JSON"
	if [ -n "${3-}" ]; then
		json_string "$3"
		flash_answer="$flash_answer,\"subtitle\":$JSON"
	fi
	json_string "$2"
	flash_answers="$flash_answers${flash_answers:+,}$flash_answer,\"effect\":{\"type\":\"copy_text\",\"text\":$JSON}}"
}

done_with() {
	flash_outcome='{"ok":true}'
	if [ -n "${1-}" ]; then
		json_string "$1"
		flash_outcome="{\"ok\":true,\"message\":$JSON}"
	fi
}

unhandled() { flash_outcome='{"ok":false,"unhandled":true}'; }

failed() {
	json_string "${1:-failed}"
	flash_outcome="{\"ok\":false,\"error\":$JSON}"
}

# flash_perform ID KIND COUNT reads the COUNT lines that belong to it.
flash_perform() {
	flash_id=$1 KIND=$2 flash_left=$3 COMMAND='' SUBCOMMAND='' RAW='' NAME=''
	set --
	if [ "$KIND" = command ]; then
		IFS= read -r COMMAND && IFS= read -r SUBCOMMAND && IFS= read -r RAW
		flash_left=$((flash_left - 3))
	else
		IFS= read -r NAME
		flash_left=0
	fi
	while [ "$flash_left" -gt 0 ]; do
		IFS= read -r flash_argument
		set -- "$@" "$flash_argument"
		flash_left=$((flash_left - 1))
	done
	unhandled
	on_perform "$@"
	printf '{"id":%s,"result":%s}\n' "$flash_id" "$flash_outcome"
}

# flash_cut COMMAND… runs it on stdin in pieces: a line begins with + while more
# of it follows, and with = at its end. What is longer than a frame, or cut off
# by the end of stdin, it leaves out. It ends with the command.
flash_cut() {
	perl -e '
		open COMMAND, "|-", @ARGV or die "$ARGV[0]: $!\n";
		$SIG{CHLD} = sub { exit };
		select COMMAND; $| = 1;
		while (defined($line = <STDIN>) && chomp $line) {
			$line =~ s/\r$//;
			$line =~ tr/\0/\1/; # mawk takes it for an end
			$length = length $line;
			next if $length > 10485760;
			for ($at = 0; $length - $at > 4000; $at += 4000) { print "+", substr($line, $at, 4000), "\n" }
			print "=", substr($line, $at), "\n";
		}' "$@"
}

# flash_frames reads stdin. mawk waits for a full buffer unless it is told not
# to, and then takes quadratic time to a line, which is minutes for a long one:
# perl, which is where mawk is, cuts it.
flash_frames() {
	set -- -f "${0%/*}/flash_plugin.awk"
	case $(awk -W version 2>/dev/null </dev/null) in
	mawk*)
		if command -v perl >/dev/null; then
			flash_cut awk -Winteractive -v PIECES=1 "$@"
		else
			awk -Winteractive "$@"
		fi
		;;
	*) awk "$@" ;;
	esac
}

# flash_run serves until the host closes stdin.
flash_run() {
	flash_frames | while read -r flash_word flash_rest; do
		case $flash_word in
		reply) printf '%s\n' "$flash_rest" ;;
		start) on_start ;;
		evaluate)
			flash_id=$flash_rest flash_answers=
			IFS= read -r QUERY
			on_evaluate
			printf '{"id":%s,"result":{"ok":true,"answers":[%s]}}\n' "$flash_id" "$flash_answers"
			;;
		perform)
			# shellcheck disable=SC2086 # an id, a kind and a number
			flash_perform $flash_rest
			;;
		event)
			IFS= read -r NAME
			on_event
			;;
		esac
	done
}
