#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What runs in the virtual machine while screen.py presses the keys and reads the screen.

# It records, kills and removes: never on a machine that somebody uses.
. /vm/guard.sh || exit 2

export TERM=tmux-256color TERMINFO=/lib/terminfo LC_CTYPE=C.UTF-8
cat >/tmp/session.sh <<'SESSION'
T=/sys/kernel/tracing
stty sane rows 30 cols 100
mkdir -p /tmp/w && cd /tmp/w || exit 1

state() {
	ls $T/instances
	cat $T/current_tracer $T/tracing_on $T/set_event $T/buffer_size_kb $T/saved_cmdlines_size
	ls
}

# Silent where a process has ended meanwhile: the terminal belongs to the program.
is_recorder() {
	grep -q status-fd "/proc/$1/cmdline" 2>/dev/null
}

recorders() {
	for pid in $(pidof ftop-trace); do
		is_recorder "$pid" && echo "$pid"
	done
}

is_written() {
	[ "$(ftop-trace report --count trace.dat.part 2>/dev/null || echo 0)" -gt 0 ]
}

# Once a recording is in its file: recorders, or all but these.
kill_later() {
	until is_written; do
		sleep 1
	done
	if [ "$1" = recorder ]; then
		kill -9 $(recorders) 2>/dev/null
	else
		for pid in $(pidof ftop-trace); do
			is_recorder "$pid" || kill -9 "$pid" 2>/dev/null
		done
	fi
}

run() {
	"$@"
	echo "ended with status $?: $*"
}

run ftop-trace record -e sched -- sh -c 'read -r key'
rm -f trace*
state >/tmp/before
run ftop-trace
rm -f trace*
kill_later recorder &
run ftop-trace
rm -f trace*
kill_later screen &
run ftop-trace
stty sane
printf '\033c'
while [ -n "$(recorders)" ]; do
	sleep 1
done
ls
ftop-trace info trace.dat | head -n 3
rm -f trace*
state >/tmp/after
cmp -s /tmp/before /tmp/after && echo "tracefs: same" || diff /tmp/before /tmp/after
echo "the end"
read -r key
SESSION
# The virtio console becomes the terminal of a session.
setsid -c sh /tmp/session.sh </dev/hvc0 >/dev/hvc0 2>&1
