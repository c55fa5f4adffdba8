#!/bin/sh
# What the whole running system costs: the resident and every plugin with the
# processes below it, and what the log says about the last minutes.
#
#   Scripts/measure-footprint.sh [--json] [sample-seconds] [log-window-minutes]
#
# Processor time and wake-ups are of the sample (10 s unless said otherwise);
# on Linux a wake-up is a voluntary context switch, memory is PSS. On macOS
# memory is the footprint, wake-ups are top's, and the log counts how often the
# event tap had to be enabled again; Linux has no tap. It only reads. FLASH names the
# flash to ask; bin/flash of the checkout, else the one on PATH.
set -eu

json=no
for argument; do
	shift
	case $argument in
	--json) json=yes ;;
	*) set -- "$@" "$argument" ;;
	esac
done
seconds=${1:-10} minutes=${2:-60}
case $seconds$minutes in
*[!0-9]* | '')
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
[ "$seconds" -gt 0 ] && [ "$minutes" -gt 0 ] || {
	echo "measure-footprint: the sample and the window are at least 1" >&2
	exit 2
}

here=$(cd "$(dirname "$0")/.." && pwd)
flash=${FLASH:-$here/bin/flash}
[ -x "$flash" ] || flash=$(command -v flash) || {
	echo "measure-footprint: no flash: build it with make build, or name one in FLASH" >&2
	exit 1
}
if ! status=$("$flash" status --json 2>/dev/null); then
	echo "measure-footprint: no resident is running; start one with: $flash start" >&2
	exit 3
fi
resident=$(printf '%s\n' "$status" | sed -n 's/^  "pid": \([0-9]*\),*$/\1/p' | head -n 1)
[ -n "$resident" ] || {
	echo "measure-footprint: $flash status --json names no pid" >&2
	exit 1
}

work=$(mktemp -d "${TMPDIR:-/tmp}/flash-footprint.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# One line a process of the system: "pid id". A plugin's helpers, and the
# process that holds its namespace, count as the plugin's.
"$flash" plugins >"$work/plugins"
ps -A -o pid=,ppid= >"$work/ps"
awk -v resident="$resident" '
	BEGIN { FS = "\t" }
	FILENAME ~ /plugins$/ { if ($4 + 0 > 0) id[$4 + 0] = $1; next }
	{ split($0, f, " "); parent[f[1]] = f[2] }
	END {
		for (p in id)
			for (up = parent[p]; up > 1 && up != resident; up = parent[up])
				if (!(up in id)) above[up] = id[p]
		print resident, "resident"
		for (p in parent) {
			name = ""
			for (up = p; up > 1 && up != resident; up = parent[up])
				if (up in id) { name = id[up]; break }
			if (up != resident && name == "") continue
			if (p == resident) continue
			if (name == "") name = above[p]
			if (name != "") print p, name
		}
	}' "$work/plugins" "$work/ps" >"$work/processes"

# "pid cpu_ms wakeups rss pss private descriptors threads", memory in KiB.
sample() {
	if [ -d /proc/self/task ]; then
		awk '
			function number(line, n) { split(line, f, /[ \t]+/); return f[2] }
			{
				pid = $1; dir = "/proc/" pid; cpu = wakes = rss = pss = private = files = threads = 0
				while ((getline line < (dir "/smaps_rollup")) > 0) {
					if (line ~ /^Rss:/) rss = number(line)
					else if (line ~ /^Pss:/) pss = number(line)
					else if (line ~ /^Private_Dirty:/) private = number(line)
				}
				close(dir "/smaps_rollup")
				command = "ls " dir "/task 2>/dev/null"
				while ((command | getline task) > 0) {
					threads++
					path = dir "/task/" task
					if ((getline line < (path "/schedstat")) > 0) { split(line, f, " "); cpu += f[1] / 1e6 }
					close(path "/schedstat")
					while ((getline line < (path "/status")) > 0) if (line ~ /^voluntary_ctxt_switches:/) wakes += number(line)
					close(path "/status")
				}
				close(command)
				command = "ls " dir "/fd 2>/dev/null | wc -l"
				if ((command | getline files) <= 0) files = 0
				close(command)
				if (threads > 0) print pid, cpu, wakes, rss, pss, private, files + 0, threads
			}' "$work/processes"
		return
	fi
	while read -r pid _; do
		rss=$(ps -o rss= -p "$pid") || continue
		cpu=$(ps -o cputime= -p "$pid" | awk -F: '{ n = 0; for (i = 1; i <= NF; i++) n = n * 60 + $i; print n * 1000 }')
		threads=$(($(ps -M -p "$pid" | wc -l) - 1))
		files=$(lsof -p "$pid" 2>/dev/null | wc -l)
		memory=$(footprint -p "$pid" 2>/dev/null | awk '/Footprint:/ {
			for (i = 1; i < NF; i++) if ($i == "Footprint:") { n = $(i + 1); u = $(i + 2); print (u == "MB" ? n * 1024 : u == "GB" ? n * 1048576 : n) } exit }')
		wakes=$(top -l 1 -pid "$pid" -stats idlew 2>/dev/null | tail -n 1 | tr -dc 0-9)
		echo "$pid" "$cpu" "${wakes:-0}" $rss "${memory:-0}" 0 $files "$threads"
	done <"$work/processes"
}

sample >"$work/before"
sleep "$seconds"
sample >"$work/after"

# The resident writes its log in local time.
now=$(date +%s)
cutoff=$(date -d "@$((now - minutes * 60))" +%Y-%m-%dT%H:%M:%S 2>/dev/null || date -r "$((now - minutes * 60))" +%Y-%m-%dT%H:%M:%S)
"$flash" logs -n 1000000 2>/dev/null | awk -v cutoff="$cutoff" '
	match($0, /"time":"[^"]*"/) && substr($0, RSTART + 8, 19) >= cutoff {
		lines++
		if (first == "") first = substr($0, RSTART + 8, 19)
		if (/"msg":"stall"/) stalls++
		if (/"msg":"tap re-enabled"/) taps++
		if (/"msg":"plugin failed"/) restarts++
		if (/"msg":"plugin given up on"/) given_up++
	}
	END { print lines + 0, stalls + 0, taps + 0, restarts + 0, given_up + 0 }' >"$work/log"
uptime=$(printf '%s\n' "$status" | sed -n 's/^  "uptime_seconds": \([0-9]*\).*/\1/p' | head -n 1)

awk -v json="$json" -v seconds="$seconds" -v minutes="$minutes" -v uptime="${uptime:-0}" -v now="$now" '
	function row(name, mark) {
		c = cpu[name] / seconds / 10; w = wakes[name] / seconds
		if (json == "yes")
			printf "%s    {\"id\":\"%s\",\"processes\":%d,\"cpu_percent\":%.3f,\"wakeups_per_second\":%.2f,\"rss_kib\":%d,\"pss_kib\":%d,\"private_kib\":%d,\"descriptors\":%d,\"threads\":%d}", mark, name, count[name], c, w, rss[name], pss[name], private[name], files[name], threads[name]
		else
			printf "%-14s %5d %8.3f %9.2f %9d %9d %9d %6d %7d\n", name, count[name], c, w, rss[name], pss[name], private[name], files[name], threads[name]
	}
	function add(name) {
		count[name]++; cpu[name] += $2 - cpu0[$1]; wakes[name] += $3 - wakes0[$1]
		rss[name] += $4; pss[name] += $5; private[name] += $6; files[name] += $7; threads[name] += $8
	}
	FILENAME ~ /processes$/ { id[$1] = $2; next }
	FILENAME ~ /before$/ { cpu0[$1] = $2; wakes0[$1] = $3; next }
	FILENAME ~ /log$/ { lines = $1; stalls = $2; taps = $3; restarts = $4; given_up = $5; next }
	# What started during the sample has no first reading.
	($1 in cpu0) {
		if (!(id[$1] in count)) order[++n] = id[$1]
		add(id[$1]); add("total")
	}
	END {
		span = uptime / 60 < minutes ? uptime / 60 : minutes
		rate = span > 0 ? lines / span : lines
		if (json == "yes") {
			printf "{\n  \"schema_version\": 1,\n  \"generated_at_unix\": %d,\n  \"sample_seconds\": %d,\n  \"processes\": [\n", now, seconds
			for (i = 1; i <= n; i++) row(order[i], i > 1 ? ",\n" : "")
			printf "\n  ],\n  \"total\":\n"
			row("total", "")
			printf ",\n  \"log\": {\"window_minutes\":%d,\"lines\":%d,\"lines_per_minute\":%.2f,\"stalls\":%d,\"tap_reenables\":%d,\"restarts\":%d,\"given_up\":%d}\n}\n", minutes, lines, rate, stalls, taps, restarts, given_up
		} else {
			printf "%-14s %5s %8s %9s %9s %9s %9s %6s %7s\n", "ID", "PROCS", "CPU %", "WAKES/S", "RSS KIB", "PSS KIB", "DIRTY KIB", "FDS", "THREADS"
			for (i = 1; i <= n; i++) row(order[i], "")
			row("total", "")
			printf "log, the last %d min: %d lines, %.2f a minute; %d stalls over 250 ms, %d tap re-enables, %d restarts, %d plugins given up on\n", minutes, lines, rate, stalls, taps, restarts, given_up
		}
	}' "$work/processes" "$work/before" "$work/log" "$work/after"
