# SPDX-License-Identifier: GPL-2.0-or-later
# live-payload - the live tests, on a kernel of their own; see live.py
. /vm/guard.sh

mkdir -p /run /var/tmp
export FTOP_BUILD=/project/build FTOP_LIVE_SLOW=8
# All functions, and loads that fill disks.  tests/vm/record and faults have these cases, for such machines.
export FTOP_LIVE_TOO_SLOW="function_is_refused function_graph_is_refused readable_while_recording disk_full_ext4 disk_full_tmpfs"
mount -t cgroup2 none /sys/fs/cgroup && echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
# At its first use the top instance's buffer gets its size for good.
echo 1 >/sys/kernel/tracing/events/sched/sched_switch/enable
echo 0 >/sys/kernel/tracing/events/sched/sched_switch/enable
for i in $(seq 1 300); do mkdir -p /etc/many/$i; done	# what load() of the tests lists
cases=$(cat /project/cases)
for tests in /project/tests/live/*.py; do
	[ "${tests##*/}" = screen.py ] && continue	# tests/vm/screen.py is its like here
	echo "== ${tests##*/}"
	FTOP_CPU_MOMENTS=$(cat /project/moments) python3 "$tests" $cases
done
exit 0
