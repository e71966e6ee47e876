#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What extract.py runs in the virtual machine, with busybox: fills buffers as other programs do, then
# extracts them.  /out/NAME keeps the kernel's text before and after that, beside the trace.dat.

# Never on a machine that somebody uses.
. /vm/guard.sh || exit 2

T=/sys/kernel/tracing
MODE=$(cat /vm/mode)
echo "begin $MODE"
uname -r >/out/.release
mkdir -p /run/cases

work() { for i in 1 2 3 4 5 6 7 8; do workload load; done >/dev/null 2>&1; }

# Without --consume first; where it is refused, with it.
take() {	# NAME FOLDER TEXT WORDS...: TEXT is the kernel's file
	name=$1 folder=$2 text=$3
	shift 3
	echo "case $name"
	mkdir -p "/out/$name"
	cd "/out/$name" || exit 1
	cat "$folder/$text" >before
	cat "$folder/events/sched/sched_process_fork/hist" >hist
	ftop-trace extract "$@" -o t.dat >log 2>&1
	echo $? >status
	cat "$folder/$text" >after
	if [ "$(cat status)" != 0 ]; then
		ftop-trace extract "$@" --consume -o t.dat >log-consume 2>&1
		echo $? >status-consume
		cat "$folder/$text" >emptied
	fi
	cat "$folder/last_boot_info" >last_boot_info 2>/dev/null
	cd / && sh /vm/keep
}

printed() {	# NAME WORDS...: what record --boot prints
	mkdir -p /out/printed
	name=$1
	shift
	ftop-trace record --boot "$@" >"/out/printed/$name" 2>"/out/printed/$name.log"
	echo $? >"/out/printed/$name.status"
}

plain() {
	echo 8192 >$T/saved_cmdlines_size
	printed parameters -e sched -v -e sched_stat_runtime -v -b 2M -C mono -l 'vfs_*' -p function -o b.dat
	printed instances -B one -e sched_switch -f 'prev_comm == "workload"' -e sched_waking -b 512 -C mono \
		--probe 'p:t_open do_sys_openat2 dfd=$arg1' --synth 't_lat u64 lat; pid_t pid'
	printed persistent --persistent -e irq -e sched -f 'prev_comm != "sh"' -o crash.dat -b 1M -C mono
	printed persistent-functions --persistent -p function -l 'vfs_*' --func-stack -b 1M
	printed wrong -e sched_swich
	sh /vm/keep

	trace-cmd start -e sched -e irq >/dev/null 2>&1
	echo 'hist:keys=child_pid if parent_comm == "workload"' >$T/events/sched/sched_process_fork/trigger
	work
	trace-cmd stop
	take trace-cmd $T trace --top
	echo '!hist:keys=child_pid if parent_comm == "workload"' >$T/events/sched/sched_process_fork/trigger
	trace-cmd reset

	trace-cmd start -p function_graph -l 'vfs_*' -l ksys_read >/dev/null 2>&1
	work
	trace-cmd stop
	take graph $T trace
	trace-cmd reset
	echo 0 >$T/tracing_on
	echo >$T/trace

	# a return probe with room for one call, and four tasks that are inside at a time
	I=$T/instances/missed
	mkdir $I
	echo 'r1:t_miss hrtimer_nanosleep' >>$T/kprobe_events
	echo 1 >$I/events/kprobes/t_miss/enable
	for i in 1 2 3 4; do sleep 1 & done
	wait
	echo 0 >$I/tracing_on
	mkdir -p /out/missed
	grep t_miss $T/kprobe_profile >/out/missed/profile
	take missed $I trace -B missed
	echo 0 >$I/events/kprobes/t_miss/enable
	rmdir $I
	echo '-:t_miss' >>$T/kprobe_events

	# as rtla does: an instance with a tracer that stops itself, and the events of it
	I=$T/instances/osnoise_trace
	mkdir $I
	if grep -qw timerlat $T/available_tracers; then
		echo 1 >$T/osnoise/stop_tracing_us
		echo 1 >$I/events/osnoise/enable
		echo 1 >$I/events/sched/enable
		workload load >/dev/null 2>&1
		echo timerlat >$I/current_tracer
	else
		echo 1 >$I/options/stacktrace
		echo 1 >$I/events/timer/enable
		echo 'traceoff if comm == "workload"' >$I/events/sched/sched_process_exit/trigger
	fi
	until [ "$(cat $I/tracing_on)" = 0 ]; do workload load >/dev/null 2>&1; done
	take instance $I trace -B osnoise_trace
	echo nop >$I/current_tracer
	rmdir $I

	# a buffer that kernels do not map, because it may be exchanged at any time
	I=$T/instances/triggered
	mkdir $I
	if [ -e $I/snapshot ]; then
		echo 'snapshot if comm == "nobody"' >$I/events/sched/sched_process_exit/trigger
		echo 1 >$I/events/sched/enable
		work
		echo 0 >$I/tracing_on
		take triggered $I trace -B triggered
		echo '!snapshot if comm == "nobody"' >$I/events/sched/sched_process_exit/trigger
	fi
	rmdir $I

	# a CPU that is off line keeps what it recorded
	online=/sys/devices/system/cpu/cpu1/online
	if [ -e $online ]; then
		trace-cmd start -e sched >/dev/null 2>&1
		work
		echo 0 >$online
		work
		trace-cmd stop
		take offline $T trace --top
		echo 1 >$online
		trace-cmd reset
		echo 0 >$T/tracing_on
		echo >$T/trace
	fi

	if grep -qw wakeup_rt $T/available_tracers; then
		echo wakeup_rt >$T/current_tracer
		echo 1 >$T/tracing_on
		work
		echo 0 >$T/tracing_on
		take latency $T trace --top
		echo nop >$T/current_tracer
	fi

	# the live buffer goes on
	if [ -e $T/snapshot ]; then
		echo 1 >$T/events/sched/enable
		echo 1 >$T/tracing_on
		work
		echo 1 >$T/snapshot
		work
		take snapshot $T snapshot --snapshot --top
	fi
	return 0
}

# The kernel's command line made it record.
booted() {
	for folder in $T $T/instances/*; do
		[ ! -e "$folder/tracing_on" ] || echo 0 >"$folder/tracing_on"
	done
	if [ -d $T/instances/one ]; then
		mkdir -p /out/booted-one
		grep ' t_open: .* dfd=' $T/trace | tail -n 1 >/out/booted-one/probe
		grep t_lat $T/synthetic_events >/out/booted-one/synthetic
		take booted-one $T/instances/one trace -B one
	else
		take booted $T trace
	fi
}

# What the first of two starts leaves at the end of the disk, and the second one finds.
leave() { tar -cf - "$@" 2>/dev/null | dd of=/dev/vda bs=1M seek=3900 conv=notrunc 2>/dev/null; }
find_left() { dd if=/dev/vda bs=1M skip=3900 count=120 2>/dev/null | tar -C / -xf - 2>/dev/null; }

# Two starts: the first one crashes.  What it recorded is in memory still.  The numbers of two probes are exchanged then.
last() {
	I=$T/instances/boot_map
	if [ ! -d $I ]; then
		echo "no instance boot_map"
		return 3
	fi
	sed -n 's/^#   //p' /vm/commands | grep -v '^ftop-trace extract' >/run/commands
	if grep -q '^entries: [1-9]' $I/per_cpu/cpu*/stats; then
		{ echo 'p:t_second ksys_write'; echo 'p:t_first vfs_read at=$arg4:x64'; } >>$T/kprobe_events
		mkdir -p /out/last-boot
		ftop-trace extract --last-boot -B boot_map -o /out/last-boot/unsaved.dat >/out/last-boot/unsaved 2>&1
		find_left
		mv /run/then /out/last-boot/then
		take last-boot $I trace --last-boot -B boot_map
		mkdir -p /out/last-boot
		if [ -d $T/instances/copy ]; then
			ftop-trace extract --last-boot -B copy --consume -o /out/last-boot/copy.dat >/out/last-boot/copy 2>&1
			# the kernel removes it a little later
			for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
				[ ! -d $T/instances/copy ] || sleep 1
			done
			[ ! -d $T/instances/copy ] || echo >/out/last-boot/copy-left
		fi
		ftop-trace extract --last-boot --consume -o /out/last-boot/again.dat >/out/last-boot/again 2>&1
		cat $I/last_boot_info >/out/last-boot/current
		grep -m 1 ' _text$' /proc/kallsyms >/out/last-boot/text
		# and on with this one
		sh -e /run/commands || return 3
		workload load >/dev/null 2>&1
		echo 0 >$I/tracing_on
		take this-boot $I trace -B boot_map
		return 0
	fi
	# what record --boot --persistent printed for each boot, but nothing is there to be extracted yet
	{ echo 'p:t_first vfs_read at=$arg4:x64'; echo 'p:t_second ksys_write'; } >>$T/kprobe_events
	grep -v '1 > .*tracing_on' /run/commands >/run/commands.probes
	echo "echo kprobes:t_first >>$I/set_event; echo kprobes:t_second >>$I/set_event; echo 1 >$I/tracing_on" >>/run/commands.probes
	sh -e /run/commands.probes || return 3
	workload load >/dev/null 2>&1
	echo 0 >$I/tracing_on
	cat $I/trace >/run/then
	leave /run/then /var/lib/ftop-trace
	echo "crash"
	sync
	echo c >/proc/sysrq-trigger
	sleep 1000
}

case $MODE in
plain)	plain ;;
boot)	booted ;;
last)	last ;;
esac
