#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What offcpu.py runs in the virtual machine, with busybox: offcputime counts from before the recording until after it.

. /vm/guard.sh || exit 2

offcputime --stack-storage-size 8192 200 >/out/bcc.txt 2>/out/bcc.log &
counter=$!
# It does not say when it counts: once its programs are in the kernel.
until ls -l /proc/$counter/fd 2>/dev/null | grep -qE 'bpf[_-]link|raw-tracepoint|perf_event'; do
	grep -q '^State:[[:space:]]*[SDRT]' /proc/$counter/status 2>/dev/null || { cat /out/bcc.log; exit 77; }	# a kernel without BTF
	sleep 1
done
sleep 1

# Tasks that are born and die meanwhile.  They wait for long: offcputime's own work counts as waiting, some 50 us each time here.
cat >/tmp/load <<'EOT'
i=0
while [ $i -lt 6 ]; do
	(j=0; while [ $j -lt 20 ]; do usleep 40000; j=$((j + 1)); done) &
	i=$((i + 1))
done
wait
EOT
ftop-trace record -q --setup waits -o /out/trace.dat sh /tmp/load >/out/record.log 2>&1 || cat /out/record.log
sleep 1
kill -INT $counter
wait $counter
