#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What record.py runs in the virtual machine, with busybox.  /vm/cases holds a script for each
# case.  It runs in /out/NAME, where its output (log), its status and what it left changed in
# tracefs (changed) are kept beside what it recorded; the host looks at all that.

# Never on a machine that somebody uses.
. /vm/guard.sh || exit 2

echo begin
export T=/sys/kernel/tracing CASE_SECONDS=${1:-900}
state() { workload state $T >"$1"; }
uname -r >/out/.release
cp $T/available_tracers /out/.tracers

# What a case that hangs waits for: the kernel's stacks of all tasks that have to do with it.
tell_tasks() {
	for task in /proc/[0-9]*/task/[0-9]*; do
		case $(cat "$task/comm" 2>/dev/null) in
		ftop-trace | workload | trace-cmd | ls)
			echo "-- $task $(cat "$task/comm") $(sed -n 's/^State:\t//p' "$task/status")"
			cat "$task/stack" ;;
		esac
	done
}

run_case() {	# SCRIPT: its status is kept, also when it is stopped for lasting too long
	{ sh "$1" >log 2>&1; echo $? >status; echo >/tmp/ended; } &
	if ! read -r -t "$CASE_SECONDS" _ <>/tmp/ended; then
		tell_tasks >hung
		echo "case hangs: $name"
		killall -9 ftop-trace trace-cmd workload sh 2>/dev/null
		read -r _ <>/tmp/ended
	fi
}
mkfifo /tmp/ended	# waits without looking again and again, each time with a process of its own

# Older kernels keep the top buffer small until its first use; an instance must not make that last.
mkdir /out/first-use
cd /out/first-use || exit 1
ftop-trace record --no-browse -o t.dat -e sched true >log 2>&1
echo $? >status
sed 's/.*expanded: \([0-9]*\).*/\1/' $T/buffer_size_kb >top-size
echo 1408 >$T/buffer_size_kb
state /tmp/before

for script in /vm/cases/*; do
	name=${script##*/}
	echo "case $name $(cut -d' ' -f1 /proc/uptime)"
	mkdir -p "/out/$name"
	cd "/out/$name" || exit 1
	run_case "$script"
	[ "$(cat status)" != 77 ] || continue	# skipped: nothing ran
	state /tmp/after
	if ! cmp -s /tmp/before /tmp/after; then
		diff /tmp/before /tmp/after | grep '^[-+][^-+]' >changed
		cp /tmp/after /tmp/before	# a fault is told once
	fi
	nr=$((nr + 1))
	[ $((nr % 8)) != 0 ] || (cd / && sh /vm/keep)	# it takes as long as a short case
done
exit 0
