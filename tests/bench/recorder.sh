#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# recorder - ftop-trace record beside trace-cmd record and a bare splice loop, on the same load, in turn.
#
# usage: recorder.sh FTOP-TRACE RECORD_PROBE FOLDER [ROUNDS [LOOPS]]
#
# Runs wherever one may record, in a VM's busybox too.  FOLDER lies on a disk of its own, where bytes are to be counted.
# Prints "FIGURE OURS THEIRS" of each round, times in seconds; "skip FIGURE REASON" for what cannot be measured.
# The load is perf bench sched messaging with LOOPS loops, recorded with all sched events, equal buffers and the same
# clock: which clock is asked for costs each event something, whoever records.
set -u
ours=$1 probe=$2 folder=$3 rounds=${4:-3} loops=${5:-100}
T=/sys/kernel/tracing
kb=1408
I=$T/instances/bench-splice
now() { $probe now; }
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f", (b - a) / 1e9 }'; }
load() { perf bench -f simple sched messaging -l $loops 2>/dev/null | tail -n 1; }
# Nanoseconds that these processes' threads have run so far.
ran() { for p; do cat /proc/$p/task/*/schedstat; done | awk '{ ns += $1 } END { printf "%.0f", ns }'; }
# Seconds per GB: a loop that loses events has less to do.
per_gb() { awk -v ns="$1" -v bytes="$2" 'BEGIN { printf "%.4f", bytes ? ns / bytes : 0 }'; }
# Bytes written to the folder's disk.
device=$(stat -c %d "$folder")
sectors=/sys/dev/block/$((device >> 8 & 4095)):$((device & 255 | device >> 12 & 1048320))/stat
flush() { sync -f "$folder" 2>/dev/null || sync; }
written() { flush; awk '{ printf "%.0f", $7 * 512 }' $sectors; }
family() { echo $1 $(grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d/ -f3); }

# trace-cmd writes to files of the function tracer that it has no need of here.  Some kernels refuse that, and
# it ends: there it sees files that take anything in their place, it alone.
enabled=/proc/sys/kernel/ftrace_enabled
refused=
if [ -e $enabled ] && ! (cat $enabled >$enabled) 2>/dev/null; then
	refused=$enabled
	for mounted in $(awk '$3 == "tracefs" { print $2 }' /proc/mounts | sort -u); do
		for file in filter notrace pid notrace_pid; do refused="$refused $mounted/set_ftrace_$file"; done
	done
fi
peer() {
	[ -n "$refused" ] || exec trace-cmd "$@"
	echo 1 >"$folder/any"
	exec unshare -m sh -c 'any=$1 refused=$2; shift 2
		for f in $refused; do [ ! -e $f ] || mount --bind "$any" $f || exit 1; done
		exec trace-cmd "$@"' sh "$folder/any" "$refused" "$@"
}
begin() {	# ours|trace-cmd
	rm -f "$folder"/b.dat*
	case $1 in
	ours)		$ours record -q --status-fd 3 --compression none -C local -e sched -b $kb -o "$folder/b.dat" 3>"$folder/told" >/dev/null 2>&1 & ;;
	trace-cmd)	peer record --compression none -C local -e sched -b $kb -o "$folder/b.dat" >/dev/null 2>&1 & ;;
	esac
	pid=$!
	sleep 3	# until it records, and has done what it does at the beginning
}
# $1: ours|trace-cmd; sets took, cpu, ended
record() {
	begin $1
	all=$(family $pid)
	start=$(ran $all)
	took=$(for n in 1 2 3; do load; done | awk '{ sum += $1 } END { print sum / NR }')
	cpu=$(($(ran $all) - start))
	stop=$(now)
	kill -INT $pid
	# ours has its name once it is whole, and puts tracefs back then; trace-cmd's has it from the start
	if [ $1 = ours ]; then until [ -e "$folder/b.dat" ]; do sleep 0.002; done; fi
	[ $1 = ours ] || wait $pid
	ended=$(seconds $stop $(now))
	wait $pid
	prompt=$(seconds $stop $(now))
	[ $1 = trace-cmd ] || cpu=$(per_gb $cpu $(sed -n 's/.*"type":"end".*"bytes":\([0-9]*\),.*/\1/p' "$folder/told"))
	rm -f "$folder"/b.dat* "$folder/told"
}
# The same for a while that is long enough for the system to write out what programs wrote: sets bytes.  Files
# that are gone before that cost no disk, but then nobody records for long.
disk() {
	before=$(written)
	begin $1
	while sleep 0.5; do flush; done & flusher=$!
	for i in 1 2 3 4 5 6; do load >/dev/null; done
	kill $flusher
	wait $flusher 2>/dev/null
	kill -INT $pid
	wait $pid
	bytes=$(($(written) - before))
	rm -f "$folder"/b.dat* "$folder/told"
}
splice_loop() {
	mkdir $I || exit 1
	echo 0 >$I/tracing_on
	echo $kb >$I/buffer_size_kb
	[ ! -e $I/buffer_percent ] || echo 25 >$I/buffer_percent
	echo local >$I/trace_clock
	echo 1 >$I/events/sched/enable
	$probe splice $I "$folder" & pid=$!
	echo 1 >$I/tracing_on
	sleep 1
	start=$(ran $pid)
	load >/dev/null
	cpu=$(($(ran $pid) - start))
	kill -INT $pid
	wait $pid
	echo 0 >$I/tracing_on
	echo 0 >$I/events/enable
	cpu=$(per_gb $cpu $(cat "$folder"/cpu* | wc -c))
	rm -f "$folder"/cpu*
	sleep 0.2
	rmdir $I
}
# From the start of the program to the first instruction of the command, with the same set-up: each file of the buffer
# that is written waits for the kernel.
first() {
	begin=$(now)
	case $1 in
	ours)		at=$($ours record -q --no-browse -C local -b $kb -e sched -o "$folder/b.dat" $probe now 2>/dev/null) ;;
	trace-cmd)	at=$(peer record --compression none -q -b $kb -e sched -o "$folder/b.dat" $probe now 2>/dev/null | grep '^[0-9]*$') ;;
	esac
	rm -f "$folder"/b.dat*
	seconds $begin $at
}

for i in $(seq $rounds); do
	echo "idle $(load) 0"
	# who goes first alternates: a machine that grows slower meanwhile is nobody's fault
	case $((i % 2)) in
	1) in_turn="ours trace-cmd" ;;
	0) in_turn="trace-cmd ours" ;;
	esac
	for who in $in_turn; do
		record $who
		case $who in
		ours)		o_took=$took o_cpu=$cpu o_ended=$ended o_prompt=$prompt ;;
		trace-cmd)	t_took=$took t_ended=$ended t_prompt=$prompt ;;
		esac
	done
	echo "slowdown $o_took $t_took"
	echo "stop-to-file $o_ended $t_ended"
	echo "stop-to-prompt $o_prompt $t_prompt"
	splice_loop
	echo "cpu $o_cpu $cpu"
	echo "start-to-tracing $(first ours) $(first trace-cmd)"
done
if [ -e $sectors ]; then
	disk ours
	o_bytes=$bytes
	disk trace-cmd
	echo "bytes $o_bytes $bytes"
else
	echo "skip bytes $folder lies on no disk"
fi
for i in 1 2 3 4 5; do
	$ours record --status-fd 3 --compression none -e sched -e irq -e syscalls -e timer -b $kb -o "$folder/b.dat" \
		perf bench sched messaging -l $loops 3>&1 >/dev/null 2>&1 |
		sed -n 's/.*"type":"end".*"events":\([0-9]*\),"lost":\([0-9]*\).*/lost \2 \1/p'
	rm -f "$folder"/b.dat*
done
