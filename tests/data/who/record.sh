#!/bin/sh
# Records trace.dat: as root in a virtual machine, with shop.c built as /shop, /shop-web, /till and /report.
grep -E ' (_stext|_etext|ksys_write|vfs_write|do_exit|do_syscall_64)$' /proc/kallsyms > /tmp/symbols
mount --bind /tmp/symbols /proc/kallsyms
mount -t cgroup2 none /sys/fs/cgroup
cd /sys/fs/cgroup || exit
echo +cpu > cgroup.subtree_control
mkdir -p shop/web batch
echo "30000 100000" > batch/cpu.max
cd / || exit
exec /ftop-trace record --no-browse -q --linger=200ms --compression=zstd -o /out/trace.dat \
	-e sched_switch -e sched_waking -p function_graph -l ksys_write -l vfs_write -l do_exit /shop
