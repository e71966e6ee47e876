#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What locks.py runs in the virtual machine, with busybox: the planted program, recorded; or what that costs.

. /vm/guard.sh || exit 2

cd /tmp || exit 1
uname -r >/out/release
RECORD="ftop-trace record -q --no-browse --no-who -C mono -b 16M"

if [ -e /vm/rounds ]; then
	for round in $(seq "$(cat /vm/rounds)"); do
		echo "plain $(locks rate 1000)"
		for what in events locks; do
			options=--setup=locks
			[ $what = locks ] || options="-e sched_switch -e sched_waking"
			$RECORD $options -o /out/rate.dat sh -c 'locks rate 1000 >rate' || exit
			echo "$what $(cat rate) $(ftop-trace info /out/rate.dat | grep -E '^(events|lost)' | tr -s '\n ' ' ')"
		done
	done
	exit 0
fi

modes="list pid-namespace pid-shifted"
if [ ! -e /proc/sys/kernel/ns_last_pid ] || [ ! -e /proc/self/ns/pid ]; then
	modes=list
elif [ ! -e /proc/128 ]; then
	# A word of a process-shared barrier of glibc, which looks like an owner, is 128: somebody has that number.
	echo 127 >/proc/sys/kernel/ns_last_pid
	sleep 100000 &
fi
RECORD="ftop-trace record -q --no-browse -C mono -b 16M --setup=locks"
for mode in $modes; do
	words=$mode
	[ $mode != list ] || words=
	$RECORD -o /out/$mode.dat sh -c "locks $words >/out/$mode.log" || exit
done
[ -e /sys/kernel/btf/vmlinux ] || exit 0

# Who gives up a lock of the kernel, and when: from the call to its return.
for call in mutex_unlock up_write up_read downgrade_write; do
	probes="$probes --probe p:unlock/$call|$call|lock=\$arg1:x64 --probe r:unlock/${call}_end|$call"
done
set --
for word in $probes; do set -- "$@" "$(echo "$word" | tr '|' ' ')"; done
$RECORD --duration 1 -O stacktrace -o /out/stacks.dat locks kernel >/dev/null || exit
killall locks

$RECORD -o /out/kernel.dat "$@" sh -c 'locks kernel >/out/kernel.log' || exit
exit 0
