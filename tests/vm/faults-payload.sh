#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What faults.py runs in the virtual machine, under busybox's sh: everything that can end a recording early, at moments
# drawn from a seed.  A line "ok - NAME" or "not ok - NAME" for each test.

# It kills, fills disks, unmounts tracefs: never on a machine that somebody uses.
. /vm/guard.sh || exit 2

T=/sys/kernel/tracing
read -r moments seed wanted </vm/faults
mkdir -p /tmp/w /mnt/t && cd /tmp/w || exit 1

# Whether a test is among those that are wanted: "PATTERN..." or "not PATTERN..."
wants() {
	match=no
	set -f
	for pattern in ${wanted#not }; do case $1 in $pattern) match=yes ;; esac; done
	set +f
	case $wanted in "not "*) [ $match = no ] ;; *) [ $match = yes ] ;; esac && name=$1 problem=
}
bad() { problem="$problem${problem:+; }$1"; }
told() {	# the last test is over
	echo "# $name: $(cut -d' ' -f1 /proc/uptime)"
	if [ -z "$problem" ]; then
		echo "ok - $name"
	else
		echo "# $problem"
		tail -n 5 log 2>/dev/null | sed 's/^/# /'
		echo "not ok - $name"
	fi
}

# What somebody may have set, without the thousands of events: after each run.
quick() {
	grep -s '' $T/current_tracer $T/tracing_on $T/trace_clock $T/buffer_size_kb $T/tracing_cpumask $T/set_* $T/max_graph_depth \
		$T/tracing_thresh $T/saved_cmdlines_size $T/dynamic_events $T/buffer_percent $T/options/* $T/events/enable \
		/proc/sys/kernel/stack_tracer_enabled $T/stack_trace_filter | sed 's/[0-9]* (expanded: \([0-9]*\))/\1/'
	ls $T/instances
	ls /run/ftop-trace 2>/dev/null
}
# All that can be read, those of each event included: after each test.
full() {
	quick
	workload state $T
}
same() {	# HOW WHAT
	$1 >after.$1
	cmp -s before.$1 after.$1 || { bad "$2: tracefs was changed: $(diff before.$1 after.$1 | grep '^[-+]/' | head -n 3 | tr '\n' ' ')"; return 1; }
}
# Readable by trace-cmd, with what was written.  $2: may hold no event
readable() {
	trace-cmd report -i "$1" >report 2>report.err || { bad "trace-cmd report $1: $(head -n 1 report.err)"; return 1; }
	! grep -q 'UNKNOWN EVENT' report || bad "$1: unknown events"
	lines=$(grep -vc '^cpus=\|EVENTS DROPPED' report)
	[ "${2-}" ] || [ "$lines" -gt 0 ] || bad "$1: no events"
}
# Milliseconds, the same ones for a seed.
draw() { awk -v n="$1" -v max="$2" -v s="$seed$3" 'BEGIN { srand(s + 0); for (i = 0; i < n; i++) printf "%.3f\n", rand() * max / 1000 }'; }
# A recorder that was killed has a process that puts tracefs back.
unwatched() { ! grep -qs '^Name:[[:space:]]*ftop-watcher' /proc/[0-9]*/status; }
children() { grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d/ -f3; }
clean() { rm -f t.dat* u.dat* log; }
# Some work for the events to come from.
ticks() { while :; do ls -l /proc/self >/dev/null; usleep 100000; done; }
# An emulated machine is as quick as its host lets it be: what has to be is waited for, never slept for.
waited() {	# COMMAND...: becomes true
	tries=6000
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { bad "waited in vain: $*"; return 1; }
		usleep 100000
	done
}
opened() { found=$(ls -l "/proc/$1/fd" 2>/dev/null); [ -z "$found" ] || echo "$found" | grep -q "/$2\$"; }	# PID FILE; or it has ended
record() { cat $T/instances/ftop-*[0-9]/tracing_on 2>/dev/null | grep -c 1 | grep -qx "$1"; }	# NR recorders
written() { [ "$(ftop-trace report --count -i "$1" 2>/dev/null || echo 0)" -gt 0 ]; }	# FILE: events
written_by_cpu1() { ftop-trace info "$1" 2>/dev/null | grep -q '^ *1  *[0-9]*  *[0-9]*  *[1-9]'; }
tracer_is() { grep -qx "$1" $T/current_tracer && grep -qx 1 $T/tracing_on; }

# Small files are quick to write and to read: one test alone has kernel symbols, too.
told_symbols=$(cat /proc/sys/kernel/kptr_restrict)
symbols() { echo $1 >/proc/sys/kernel/kptr_restrict; }	# 2: hidden
symbols 2
ftop-trace record --no-browse -o first.dat -e sched true >log 2>&1 || { cat log; echo "not ok - it records"; }
echo 1408 >$T/buffer_size_kb
quick >before.quick
full >before.full
ticks & load=$!
# How long a short recording takes here, in ms: signals come at any moment of it, and a little later.
begin=$(cut -d' ' -f1 /proc/uptime)
ftop-trace record --no-browse -q -o t.dat -e sched -O stacktrace --duration 1 >log 2>&1
whole=$(awk -v b=$begin '{ printf "%d", ($1 - b) * 1100 }' /proc/uptime)
echo "# a recording of 1 s takes $((whole * 10 / 11)) ms"
clean

# --- signals -------------------------------------------------------------------------------------------------------

# What must hold whatever ended the recorder.  $1: how it ended, $2: SIGNAL at MOMENT
after_end() {
	status=$1
	if [ -e t.dat ]; then
		readable t.dat may-be-empty
	fi
	if [ -e t.dat.part ]; then
		# it can be read as it is, once it has begun; recover makes it whole, and loses none of it
		if trace-cmd report -i t.dat.part >part 2>/dev/null; then
			before=$(grep -vc '^cpus=' part)
		else
			before=none
		fi
		if ftop-trace recover t.dat.part >recovered 2>&1; then
			readable t.dat may-be-empty
			[ "$before" = none ] || [ "$lines" -ge "$before" ] || bad "$2: recover lost events ($before, then $lines)"
			[ ! -e t.dat.part ] || bad "$2: .part is left"
		elif ! grep -q 'had not begun\|not an interrupted recording\|ends early' recovered; then
			bad "$2: recover: $(head -n 1 recovered)"
		elif [ "$before" != none ] && [ "$before" -gt 0 ]; then
			bad "$2: recover refused a file with $before events: $(head -n 1 recovered)"
		fi
	fi
}

# $1: SIGNAL; kills the recorder itself
kill_recorder() {
	for at in $(draw $moments $whole $1); do
		clean
		ftop-trace record --no-browse -q -o t.dat -e sched -O stacktrace --probe 'p:ours vfs_fsync' --duration 1 >log 2>&1 &
		pid=$!
		sleep $at
		kill -$1 $pid 2>/dev/null
		wait $pid
		status=$?
		waited unwatched
		case $1.$status in
		KILL.137 | INT.0 | TERM.1 | HUP.1)
			;;
		INT.1)	# before it began
			[ ! -e t.dat ] || bad "INT at $at: status 1 with a file" ;;
		INT.130 | TERM.143 | HUP.129)
			# before its first instructions
			[ ! -e t.dat ] && [ ! -s log ] || bad "$1 at $at: died of it" ;;
		KILL.0 | TERM.0 | HUP.0)
			# too late for it
			[ -e t.dat ] || bad "$1 at $at: status 0 without a file" ;;
		*)	bad "$1 at $at: status $status" ;;
		esac
		case $1.$status in
		INT.1 | TERM.1 | HUP.1) grep -q "received SIG$1 before the recording began\|ended by SIG$1: t.dat contains" log || bad "$1 at $at: no message" ;;
		esac
		[ $1 = KILL ] || [ ! -e t.dat.part ] || bad "$1 at $at: .part is left"
		after_end $status "$1 at $at"
		[ $1 != KILL ] || ftop-trace record --no-browse -q -o u.dat -e sched_switch true >log 2>&1 || bad "$1 at $at: the next run fails"
		same quick "$1 at $at"
		[ -z "$problem" ] || break
	done
}
for signal in INT TERM HUP KILL; do
	if wants recorder-SIG$signal; then
		kill_recorder $signal
		same full "at last"
		told
	fi
done

# The command (it is ours until it executes) and who watches the recorder.
for signal in INT TERM HUP KILL; do
	if wants command-SIG$signal; then
		for at in $(draw $moments $whole 1$signal); do
			clean
			ftop-trace record --no-browse -o t.dat -e sched -O stacktrace -- sleep 1 >log 2>&1 &
			pid=$!
			sleep $at
			for child in $(children $pid); do kill -$signal $child; done
			wait $pid
			status=$?
			# killed at the barrier it has not run: that is told as a failure
			case $status in
			0)	readable t.dat may-be-empty ;;
			1)	[ ! -e t.dat ] || bad "$signal at $at: status 1 with a file" ;;
			*)	bad "$signal at $at: status $status" ;;
			esac
			[ ! -e t.dat.part ] || bad "$signal at $at: .part is left"
			same quick "$signal at $at"
			[ -z "$problem" ] || break
		done
		same full "at last"
		told
	fi
	if wants watcher-SIG$signal; then
		mkfifo status 2>/dev/null
		for at in $(draw $moments $whole 2$signal); do
			clean
			exec 4<>status	# so that neither waits for the other
			cat status >told 4>&- & watcher=$!
			ftop-trace record --status-fd 3 -o t.dat -e sched -O stacktrace --duration 1 3>status 4>&- >log 2>&1 &
			pid=$!
			waited opened $watcher status
			waited opened $pid status
			exec 4>&-
			sleep $at
			kill -$signal $watcher
			wait $watcher 2>/dev/null
			wait $pid
			status=$?
			[ $status = 0 ] || [ $status = 141 ] || bad "$signal at $at: status $status"
			[ ! -e t.dat.part ] || bad "$signal at $at: .part is left"
			[ ! -e t.dat ] || readable t.dat may-be-empty
			[ $status != 0 ] || [ -e t.dat ] || bad "$signal at $at: no file"
			same quick "$signal at $at"
			[ -z "$problem" ] || break
		done
		same full "at last"
		told
	fi
done

# --- the disk ------------------------------------------------------------------------------------------------------

on_full_disk() {	# OPTIONS...: /mnt/t is small
	workload switches 100000 >/dev/null & more=$!
	ftop-trace record --no-browse -o /mnt/t/t.dat -b 1M -e sched -O stacktrace --duration 300 "$@" >log 2>&1
	status=$?
	kill $more $(children $more)
	wait $more 2>/dev/null
	[ $status = 1 ] || bad "status $status"
	grep -q 'No space left\|File too large' log || bad "no reason"
	[ ! -e /mnt/t/t.dat ] || readable /mnt/t/t.dat
	[ -e /mnt/t/t.dat ] || [ -e /mnt/t/t.dat.part ] || bad "nothing is left"
	lines=0
	# where each CPU has a file of its own, nothing is in this one yet
	[ ! -s /mnt/t/t.dat.part ] || [ -e /mnt/t/t.dat.part.cpu0 ] || readable /mnt/t/t.dat.part
	had=$lines
	if [ -e /mnt/t/t.dat.part.cpu0 ]; then
		! ftop-trace recover /mnt/t/t.dat.part >recovered 2>&1 || bad "recover succeeds on a full disk"
		grep -q 'free [1-9][0-9]* KiB, then run ftop-trace recover' recovered || bad "recover: $(head -n 1 recovered)"
		rm /mnt/t/room
	fi
	if [ -e /mnt/t/t.dat.part ]; then
		ftop-trace recover /mnt/t/t.dat.part >recovered 2>&1 || bad "recover: $(head -n 1 recovered)"
		[ ! -e /mnt/t/t.dat ] || readable /mnt/t/t.dat
		[ "$lines" -ge "$had" ] || bad "recover lost events"
	fi
	[ "$(ls /mnt/t | grep -v lost+found)" = t.dat ] || bad "left: $(ls /mnt/t)"
	same full "afterwards"
}
if wants full-tmpfs; then
	symbols $told_symbols
	mount -t tmpfs -o size=8m tmpfs /mnt/t && on_full_disk
	umount /mnt/t
	symbols 2
	told
fi
if wants full-at-many-sizes; then
	for part in $(draw $moments 1000 7); do
		size=$(awk -v part=$part 'BEGIN { printf "%d", 1500 + part * 6000 }')
		mount -t tmpfs -o size=${size}k tmpfs /mnt/t && on_full_disk
		umount /mnt/t
		[ -z "$problem" ] || { bad "a disk of $size KiB"; break; }
	done
	told
fi
if wants full-tmpfs-zstd; then
	mount -t tmpfs -o size=4m tmpfs /mnt/t && on_full_disk --compression zstd
	umount /mnt/t
	told
fi
for fs in ext4 vfat; do
	if wants full-$fs || wants plain-$fs || wants killed-$fs; then
		dd if=/dev/zero of=/tmp/$fs.img bs=1M count=0 seek=6 2>/dev/null
		if [ $fs = ext4 ]; then /usr/local/bin/mke2fs -q -t ext4 -O ^has_journal -F /tmp/$fs.img; else mkdosfs /tmp/$fs.img >/dev/null; fi
		mount -o loop -t $fs /tmp/$fs.img /mnt/t 2>log || { echo "skip - $fs: $(cat log)"; continue; }
		if wants plain-$fs; then
			ftop-trace record --no-browse -o /mnt/t/p.dat -e sched --duration 1 >log 2>&1 || bad "status $?"
			readable /mnt/t/p.dat
			[ "$(ls /mnt/t | grep -v lost)" = p.dat ] || bad "left: $(ls /mnt/t)"
			same full "afterwards"
			told
			rm -f /mnt/t/p.dat
		fi
		if wants killed-$fs; then
			ftop-trace record --no-browse -o /mnt/t/k.dat -e sched >log 2>&1 &
			pid=$!
			waited record 1
			[ $fs = vfat ] && waited test -s /mnt/t/k.dat.part.cpu0 || waited written /mnt/t/k.dat.part
			kill -9 $pid
			wait $pid
			waited unwatched
			ftop-trace recover /mnt/t/k.dat.part >recovered 2>&1 || bad "recover: $(cat recovered)"
			[ -n "$problem" ] || readable /mnt/t/k.dat
			[ "$(ls /mnt/t | grep -v lost)" = k.dat ] || bad "left: $(ls /mnt/t)"
			ftop-trace doctor --fix >/dev/null 2>&1
			same full "afterwards"
			told
			rm -f /mnt/t/k.dat*
		fi
		if wants full-$fs; then
			[ $fs != vfat ] || dd if=/dev/zero of=/mnt/t/room bs=1M count=2 2>/dev/null
					on_full_disk
					told
		fi
		umount /mnt/t
	fi
done
if wants read-only-folder; then
	mount -t tmpfs -o ro tmpfs /mnt/t
	ftop-trace record --no-browse -o /mnt/t/t.dat -e sched true >log 2>&1
	status=$?
	[ $status = 1 ] || bad "status $status"
	grep -q 'cannot create the file: Read-only file system' log || bad "no reason"
	umount /mnt/t
	same full "afterwards"
	told
fi

if wants folder-removed; then
	mkdir sub
	ftop-trace record --no-browse -o sub/t.dat -e sched >log 2>&1 &
	pid=$!
	waited record 1
	waited written sub/t.dat.part
	rm -r sub
	kill -INT $pid
	wait $pid
	status=$?
	[ $status = 1 ] || bad "status $status"
	grep -q 'sub/t.dat' log || bad "no reason: $(head -n 3 log)"
	same full "afterwards"
	told
fi

# --- limits --------------------------------------------------------------------------------------------------------

# What ulimit allows is too little at some point: a message, or a recording.
if wants limits; then
	for limit in "-n 8" "-n 16" "-n 24" "-n 32" "-v 20000" "-v 40000" "-v 80000" "-v 160000" "-f 1" "-f 1000" "-f 12000"; do
		clean
		(ulimit $limit && exec ftop-trace record --no-browse -o t.dat -e sched --duration 1) >log 2>&1
		status=$?
		waited unwatched
		case $status in
		0)	readable t.dat may-be-empty ;;
		*)	grep -q 'ftop-trace: ' log || bad "ulimit $limit: status $status without a message" ;;
		esac
		[ ! -e t.dat.part ] || after_end $status "ulimit $limit"
		same quick "ulimit $limit"
	done
	same full "afterwards"
	told
	clean
fi

# --- others ----------------------------------------------------------------------------------------------------------

if wants tracefs-unmounted; then
	ftop-trace record --no-browse -o t.dat -e sched -O stacktrace >log 2>&1 &
	pid=$!
	waited record 1
	waited written t.dat.part
	! umount $T 2>/dev/null || bad "it could be unmounted"
	umount -l $T || bad "umount -l fails"
	sleep 1	# it goes on
	kill -INT $pid
	wait $pid
	status=$?
	mount -t tracefs nodev $T
	[ $status = 0 ] || bad "status $status"
	readable t.dat
	same full "afterwards"
	told
	clean
fi
if wants two-at-once; then
	ftop-trace record --no-browse -o t.dat -e sched >log 2>&1 & one=$!
	ftop-trace record --no-browse -o u.dat -e sched >log2 2>&1 & two=$!
	waited record 2
	ftop-trace record --no-browse -o t.dat -e sched true >log3 2>&1 && bad "two wrote one file"
	grep -q 't.dat.part exists: another recorder' log3 || bad "no reason"
	waited written t.dat.part
	waited written u.dat.part
	kill -INT $one $two
	wait $one || bad "the first: status $?"
	wait $two || bad "the second: status $?"
	readable t.dat
	readable u.dat
	same full "afterwards"
	told
	clean
fi
if wants two-in-the-top-one; then
	ftop-trace record --no-browse -o t.dat -p blk >log 2>&1 & one=$!
	waited tracer_is blk
	ftop-trace record --no-browse -o u.dat -p blk --duration 1 >log2 2>&1
	status=$?
	[ $status = 1 ] || bad "the second: status $status"
	grep -q 'the top instance is in use' log2 || bad "no reason: $(cat log2)"
	kill -INT $one
	wait $one || bad "the first: status $?"
	same full "afterwards"
	told
	clean
fi
if wants killed-in-the-top-one; then
	ftop-trace record --no-browse -o t.dat -p blk >log 2>&1 & one=$!
	waited tracer_is blk
	kill -9 $one
	wait $one
	waited unwatched
	grep -q 'without restoring tracefs: restored now' log || bad "not told: $(head -n 3 log)"
	same full "afterwards"
	told
	clean
fi
if wants container; then
	# a recorder in a pid namespace and a /run of its own: nothing here proves that it lives, and nobody disturbs it
	ftop-trace record --no-browse -q -o u.dat -e sched_switch true >log 2>&1
	unshare -p -f -m sh -c 'mount -t proc proc /proc; mount -t tmpfs tmpfs /run; mkdir -p /run;
		exec ftop-trace record --no-browse -o t.dat -e sched' >log 2>&1 &
	far=$!
	waited record 1
	waited written t.dat.part
	ftop-trace doctor --fix >log2 2>&1
	ftop-trace record --no-browse -q -o u2.dat -e sched_switch true >log3 2>&1 || bad "the second: $(cat log3)"
	record 1 || bad "the first was stopped"
	kill -INT $(children $far)
	wait $far || bad "the first: status $?"
	readable t.dat
	# it saw the others come and go, and itself told to stop
	grep -q 'sched_process_exit.*comm=ftop-trace' report || bad "no events of the second's end"
	same full "afterwards"
	told
	clean
fi
if wants cpu-offline && [ -e /sys/devices/system/cpu/cpu1/online ]; then
	ticks & more=$!	# work for CPU 1: of one that idles nothing may have reached the file when its recorder is killed
	for signal in INT KILL; do
		taskset -p 2 $more >/dev/null
		ftop-trace record --no-browse -o t.dat -e sched >log 2>&1 & pid=$!
		waited record 1
		waited written_by_cpu1 t.dat.part
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 1	# it goes on
		kill -$signal $pid
		wait $pid
		waited unwatched
		[ $signal = INT ] || ftop-trace recover t.dat.part >log 2>&1 || bad "recover: $(cat log)"
		readable t.dat
		grep -q '\[001\]' report || bad "$signal: nothing of CPU 1"
		rm -f t.dat
		# begun without it
		ftop-trace record --no-browse -o t.dat -e sched --duration 1 >log 2>&1 || bad "$signal, CPU 1 off: status $?"
		readable t.dat
		echo 1 >/sys/devices/system/cpu/cpu1/online
		clean
	done
	kill $more
	ftop-trace doctor --fix >/dev/null 2>&1
	same full "afterwards"
	told
fi
kill $load
echo "# done"
