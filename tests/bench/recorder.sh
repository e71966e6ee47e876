#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# recorder - ftop-trace record beside trace-cmd record and a bare splice loop, on the same load, in turn.
#
# usage: recorder.sh FTOP-TRACE RECORD_PROBE FOLDER [ROUNDS [LOOPS]]
#
# Runs wherever one may record, in a VM's busybox too.  FOLDER lies on a disk of its own, where bytes are to be counted.
# Prints "FIGURE OURS THEIRS" of each round, times in seconds; "skip FIGURE REASON" for what cannot be measured.
# The load is perf bench sched messaging with LOOPS loops, recorded with all sched events and equal buffers.
set -u
ours=$1 probe=$2 folder=$3 rounds=${4:-3} loops=${5:-100}
T=/sys/kernel/tracing
kb=1408
I=$T/instances/bench-splice
now() { $probe now; }
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f", (b - a) / 1e9 }'; }
load() { perf bench -f simple sched messaging -l $loops 2>/dev/null | tail -n 1; }
# Ticks of these processes and their threads so far.
ticks() { t=0; for p; do set -- $(sed 's/.*) //' /proc/$p/stat); t=$((t + ${12} + ${13})); done; echo $t; }
# Sectors written to the folder's disk.
device=$(stat -c %d "$folder")
sectors=/sys/dev/block/$((device >> 8 & 4095)):$((device & 255 | device >> 12 & 1048320))/stat
written() { sync; awk '{ print $7 * 512 }' $sectors; }
family() { echo $1 $(grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d/ -f3); }

# $1: ours|trace-cmd; sets took, cpu, ended, bytes
record() {
	rm -f "$folder"/b.dat*
	[ ! -e $sectors ] || before=$(written)
	case $1 in
	ours)		$ours record -q --no-browse --compression none -e sched -b $kb -o "$folder/b.dat" >/dev/null 2>&1 & ;;
	trace-cmd)	trace-cmd record --compression none -e sched -b $kb -o "$folder/b.dat" >/dev/null 2>&1 & ;;
	esac
	pid=$!
	sleep 3	# until it records, and has done what it does at the beginning
	all=$(family $pid)
	start=$(ticks $all)
	took=$(load)
	cpu=$(awk -v t=$(($(ticks $all) - start)) 'BEGIN { printf "%.2f", t / 100 }')
	begin=$(now)
	kill -INT $pid
	wait $pid
	ended=$(seconds $begin $(now))
	bytes=
	[ ! -e $sectors ] || bytes=$(($(written) - before))
	rm -f "$folder"/b.dat*
}
splice_loop() {
	mkdir $I || exit 1
	echo 0 >$I/tracing_on
	echo $kb >$I/buffer_size_kb
	[ ! -e $I/buffer_percent ] || echo 25 >$I/buffer_percent
	echo 1 >$I/events/sched/enable
	$probe splice $I "$folder" & pid=$!
	echo 1 >$I/tracing_on
	sleep 1
	start=$(ticks $pid)
	load >/dev/null
	cpu=$(awk -v t=$(($(ticks $pid) - start)) 'BEGIN { printf "%.2f", t / 100 }')
	kill -INT $pid
	wait $pid
	echo 0 >$I/tracing_on
	echo 0 >$I/events/enable
	rm -f "$folder"/cpu*
	sleep 0.2
	rmdir $I
}
# From the start of the program to the first instruction of the command.
first() {
	begin=$(now)
	case $1 in
	ours)		at=$($ours record -q --no-browse -e sched -o "$folder/b.dat" $probe now 2>/dev/null) ;;
	trace-cmd)	at=$(trace-cmd record --compression none -q -e sched -o "$folder/b.dat" $probe now 2>/dev/null | grep '^[0-9]*$') ;;
	esac
	rm -f "$folder"/b.dat*
	seconds $begin $at
}

for i in $(seq $rounds); do
	echo "idle $(load) 0"
	record ours
	o_took=$took o_cpu=$cpu o_ended=$ended o_bytes=$bytes
	record trace-cmd
	echo "slowdown $o_took $took"
	echo "stop-to-file $o_ended $ended"
	if [ -n "$bytes" ]; then echo "bytes $o_bytes $bytes"; else echo "skip bytes $folder lies on no disk"; fi
	splice_loop
	echo "cpu $o_cpu $cpu"
	echo "start-to-tracing $(first ours) $(first trace-cmd)"
done
for i in 1 2 3 4 5; do
	$ours record --status-fd 3 --compression none -e sched -e irq -e syscalls -e timer -b $kb -o "$folder/b.dat" \
		perf bench sched messaging -l $loops 3>&1 >/dev/null 2>&1 |
		sed -n 's/.*"type":"end".*"events":\([0-9]*\),"lost":\([0-9]*\).*/lost \2 \1/p'
	rm -f "$folder"/b.dat*
done
