#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What perf.py runs in the virtual machine, with busybox: perf records within the time that ftop-trace does, by the same clock.

. /vm/guard.sh || exit 2

ours= perfs=
for event in switch waking wakeup wakeup_new; do
	ours="$ours -e sched:sched_$event"
	perfs="$perfs -e sched:sched_$event"
done

# Tasks that are born and die meanwhile, sleep, wait for one another and are preempted.
cat >/tmp/load <<'EOF'
i=0
while [ $i -lt 10 ]; do
	(j=0; while [ $j -lt 12 ]; do ls /sys/kernel >/dev/null; usleep 2000; j=$((j + 1)); done) &
	i=$((i + 1))
done
wait
EOF

touch /tmp/go
ftop-trace record -q -C perf $ours -o /out/trace.dat sh -c 'while [ -e /tmp/go ]; do sleep 1; done' >/out/record.log 2>&1 &
while ! grep -q 1 /sys/kernel/tracing/instances/*/tracing_on 2>/dev/null; do sleep 1; done
perf record -a -m 1024 $perfs -o /out/perf.data -- sh /tmp/load 2>/out/perf.log || cat /out/perf.log
rm /tmp/go
wait

# Two tasks that share a CPU, and one that has the other half of its time for itself; what live and pidstat tell of the same seconds.
half() { while :; do i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; usleep 10000; done; }
for cpu in 0 0 1; do
	half &
	taskset -p -c $cpu $! >/dev/null
	echo $!
done >/out/halves
ftop-trace live --text --by=tasks --format=json --interval=2s --count=3 -C perf $ours >/out/now.json 2>/out/live.log &
sleep 2
S_TIME_FORMAT=ISO LC_ALL=C pidstat -u -p ALL 2 3 >/out/pidstat
kill $(cat /out/halves)
wait
