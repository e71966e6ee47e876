#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What record.py runs in the virtual machine, with busybox: the mishap, recorded some times.

. /vm/guard.sh || exit 2

options="-p function_graph --graph-notrace=copy_from_user_nofault -O function-fork -b 8M --compression=zstd"
for name in read write pread64 pwrite64 futex ftruncate; do
	options="$options -g __x64_sys_$name"
done
for event in switch waking wakeup wakeup_new migrate_task process_fork process_exit process_exec; do
	options="$options -e sched:sched_$event"
done
options="$options -e irq -e syscalls -e block"

for phase in 2600 2800 3000 3200 3400 3600; do
	taskset 8 ftop-trace record -q $options -o /out/$phase.dat mishap /dev/vda $phase
done
