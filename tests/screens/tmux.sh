#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tmux - drives the real program inside tmux, where most people have it, and looks
# whether the terminal is as before after each way to end.  Prints TAP.
set -u
program=${FTOP_BUILD:-.}/ftop-trace
cases=9
FTOP_DATADIR=${FTOP_DATADIR:-$(cd "$(dirname "$0")/../.." && pwd)}
export FTOP_DATADIR
if ! command -v tmux >/dev/null; then
	echo "1..0 # SKIP no tmux here"
	exit 0
fi
if [ ! -x "$program" ]; then
	echo "Bail out! $program is not there"
	exit 1
fi

folder=$(mktemp -d) || exit 1
socket=$folder/socket0
cat >"$folder/conf" <<EOF
set -g status off
set -g default-terminal tmux-256color
EOF
t() { LC_ALL=C.UTF-8 tmux -S "$socket" -f "$folder/conf" "$@"; }
trap 't kill-server 2>/dev/null; rm -rf "$folder"' EXIT

servers=0
nr=0
result() {	# STATUS DESCRIPTION
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - tmux: $2"
	else
		t capture-pane -p 2>&1 | sed 's/^/# |/'
		echo "not ok $nr - tmux: $2"
	fi
}

# Waits for a command to succeed; the limit is for what hangs.
wait_for() {
	tries=12000
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}
shows() { t capture-pane -p | grep -qF -- "$1"; }
hides() { ! shows "$1"; }
flag() { [ "$(t display-message -p "#{$1}")" = "$2" ]; }
last_row_used() { [ -n "$(t capture-pane -p -S "$1" -E "$1" | tr -d ' \n')" ]; }

# A shell that starts the program, says how it ended, and waits.
start() {	# ARGS
	t kill-server 2>/dev/null
	servers=$((servers + 1))	# a server that is going must not be asked again
	socket=$folder/socket$servers
	rm -f "$folder"/before "$folder"/after "$folder"/pid
	cat >"$folder/run" <<-EOF
		stty -g >"$folder/before"
		sh -c 'echo \$\$ >"$folder/pid"; exec "$program" $1'
		echo "ended \$?" >"$folder/status"
		stty -g >"$folder/after"
		echo "back in the shell"
		exec sleep 1000
	EOF
	HOME=$folder XDG_CONFIG_HOME=$folder XDG_STATE_HOME=$folder \
		t new-session -d -x 80 -y 24 sh "$folder/run"
}

# After the end: modes of the line, screen, cursor, mouse and keypad as before.
as_before() {
	wait_for shows "back in the shell" || return 1
	if ! cmp -s "$folder/before" "$folder/after"; then
		diff "$folder/before" "$folder/after" | sed 's/^/# stty: /'
		return 1
	fi
	for pair in alternate_on:0 cursor_flag:1 mouse_any_flag:0 keypad_cursor_flag:0 keypad_flag:0; do
		if ! flag "${pair%:*}" "${pair#*:}"; then
			echo "# ${pair%:*} is not ${pair#*:}"
			return 1
		fi
	done
}

ends_by_signal() {	# NAME
	start demo
	wait_for shows "Events" && wait_for flag alternate_on 1 &&
		kill -s "$1" "$(cat "$folder/pid")" && as_before
	result $? "the terminal is as before after SIG$1"
}

echo "1..$cases"
start demo
wait_for shows "23 531 events"
result $? "the demo is on the screen"

t send-keys '?'
wait_for hides "23 531 events"
t send-keys Escape
wait_for shows "23 531 events"
result $? "help comes and goes"

t send-keys G
wait_for shows "100 %"
result $? "G goes to the end"

t resize-window -x 100 -y 30
wait_for last_row_used 29
result $? "a larger window is filled"

t send-keys Q
as_before && grep -qx "ended 0" "$folder/status"
result $? "the terminal is as before after Q"

start "$folder/none.dat"
as_before && grep -qx "ended 1" "$folder/status" && shows "none.dat"
result $? "a file that is not there: said, and the terminal is as before"

for name in TERM HUP SEGV; do
	ends_by_signal $name
done
