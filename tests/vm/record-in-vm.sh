#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs as root in the VM, under busybox's sh.  A line "ok - NAME" or "not ok - NAME" for each test.
T=/sys/kernel/tracing
cd /tmp || exit 1
# Never on a machine that somebody uses.
if [ "${1-}" != in-the-vm ] || [ ! -d /out ] || [ "$(cat /proc/1/comm)" != init ]; then
	echo "record-in-vm.sh: for a virtual machine alone; start record.sh" >&2
	exit 2
fi
shift
wanted=$*
may_be_empty=

# All control files that hold what somebody may have set.
state() {	# few processes: each one costs much under emulation
	find $T -type f \( -name current_tracer -o -name tracing_on -o -name trace_clock -o -name buffer_size_kb \
		-o -name tracing_cpumask -o -name 'set_*' -o -name max_graph_depth -o -name tracing_thresh \
		-o -name saved_cmdlines_size -o -name dynamic_events -o -name buffer_percent -o -name buffer_subbuf_size_kb \
		-o -path '*/options/*' \) | sort | xargs grep '' /dev/null 2>/dev/null | sed 's/[0-9]* (expanded: \([0-9]*\))/\1/'
	find $T/events -name filter | sort | xargs grep -v '^none$' /dev/null 2>/dev/null
	find $T/events -name trigger | sort | xargs grep -v '^#' /dev/null 2>/dev/null
	grep '' $T/events/enable
	ls $T/instances
}

# Older kernels keep the top buffer small until its first use; an instance must not make that last.
name=first-use problem=
ftop-trace record --no-browse -o t.dat -e sched true >log 2>&1 || problem="it fails"
size=$(sed 's/.*expanded: \([0-9]*\).*/\1/' $T/buffer_size_kb)
[ "$size" -ge 1408 ] || problem="$problem; the top buffer has $size KiB"
echo 1408 >$T/buffer_size_kb
state >before
check() {	# NAME STATUS-WANTED ARGS...: records, and says whether all is as it should be
	name=$1 want=$2
	shift 2
	case " $wanted " in "  ") ;; *" $name "*) ;; *) return 1 ;; esac
	rm -f t.dat t.dat.part
	: >report
	ftop-trace record --no-browse -o t.dat "$@" >log 2>&1
	status=$?
	problem=
	[ $status = $want ] || problem="status $status, not $want"
	state >after
	cmp -s before after || problem="$problem; tracefs was changed: $(diff before after | grep '^[-+]/' | head -n 4 | tr '\n' ' ')"
	if [ $want = 0 ] && [ -z "$problem" ]; then
		trace-cmd report -i t.dat >report 2>report.err || problem="trace-cmd report fails: $(head -n 1 report.err)"
		lines=$(grep -vc '^cpus=\|EVENTS DROPPED' report)
		[ "$lines" -gt 0 ] || [ "$may_be_empty" ] || problem="$problem; the report is empty"
		! grep -q 'UNKNOWN EVENT' report || problem="$problem; unknown events"
	fi
	return 0
}
done_with() {	# tells about the last check; $1: a further problem
	[ -z "$1" ] || problem="$problem; $1"
	if [ -z "$problem" ]; then
		echo "ok - $name"
	else
		echo "# $problem"
		sed 's/^/# /' log | head -n 10
		echo "not ok - $name"
	fi
}
done_with "" >first
has() { grep -q "$1" report || echo "no '$1' in the report"; }
hasnt() { ! grep -q "$1" report || echo "'$1' in the report: $(grep -m1 "$1" report)"; }
tracer() { grep -qw "$1" $T/available_tracers; }
load() { for i in 1 2 3; do ls -lR /etc /proc/self >/dev/null; sleep 0.05; done; }
cat >load <<'END'
#!/bin/sh
for i in 1 2 3; do ls -lR /etc >/dev/null 2>&1; sleep 0.05; done
END
chmod +x load

cat first
check sched 0 -e sched ./load && done_with "$(has sched_switch; hasnt '<\.\.\.>')"
check all-events 0 -e all ./load && done_with ""
if tracer function; then
	check function 0 -p function -F ./load && done_with "$(has 'function:')"
	check function-filter 0 -p function -l 'vfs_*' -n vfs_write ./load && done_with "$(has vfs_; hasnt 'function: *vfs_write$')"
	check function-module-filter 0 -p function -l vfs_read -l vfs_open ./load && done_with "$(has vfs_open)"
	check function-stack 0 -p function -l vfs_open --func-stack ./load && done_with "$(has 'stack trace')"
	check function-pid-children 0 -p function -F -c -l 'vfs_*' ./load && done_with "$(has ' ls-')"
	check function-nearest 2 -p function -l vfs_opne true && done_with "$(grep -q 'did you mean vfs_open' log || echo no hint)"
	check function-and-events 0 -p function -l vfs_open -e sched ./load && done_with "$(has sched_switch; has vfs_open)"
fi
if tracer function_graph; then
	check function-graph 0 -p function_graph -F ./load && done_with "$(has 'funcgraph_entry'; has 'us ')"
	check graph-function 0 -p function_graph -g vfs_open ./load && done_with "$(has vfs_open)"
	check graph-notrace 0 -p function_graph -g vfs_open --graph-notrace do_dentry_open ./load && done_with "$(has vfs_open; hasnt do_dentry_open)"
	check graph-depth 0 -p function_graph --max-graph-depth 1 -g vfs_open ./load && done_with "$(has 'vfs_open()'; hasnt '{')"
	check graph-option 0 -p function_graph -O funcgraph-proc -O nofuncgraph-irqs -F ./load && done_with ""
	check graph-v6 0 -p function_graph -F --file-version 6 ./load && done_with "$(has funcgraph_entry)"
	check graph-zstd 0 -p function_graph -F --compression zstd ./load && done_with "$(has funcgraph_entry)"
fi
if tracer blk; then
	echo 1 >/sys/block/vda/trace/enable
	check blk 0 -p blk dd if=/dev/vda of=/dev/null bs=64k count=16 iflag=direct && done_with ""
	echo 0 >/sys/block/vda/trace/enable
fi
# nothing may happen while these run
may_be_empty=yes
tracer mmiotrace && check mmiotrace 0 -p mmiotrace --duration 1 && done_with ""
tracer hwlat && check hwlat 0 -p hwlat --duration 3 && done_with ""
may_be_empty=
tracer osnoise && check osnoise 0 -p osnoise --duration 4 && done_with "$(has osnoise)"
tracer timerlat && check timerlat 0 -p timerlat --duration 2 && done_with "$(has timerlat)"
tracer branch && check branch 0 -p branch --duration 1 && done_with ""
for latency in wakeup wakeup_rt wakeup_dl irqsoff preemptoff preemptirqsoff; do
	tracer $latency && check $latency 0 -p $latency ./load && done_with "$(has "tracer: $latency")"
done
tracer wakeup && check latency-v6 0 -p wakeup --file-version 6 ./load && done_with "$(has 'tracer: wakeup')"
check kprobe 0 --probe 'p:livetest_open do_sys_openat2 dfd=%di' ./load && done_with "$(has livetest_open; has 'dfd=')"
check kretprobe 0 --probe 'r:livetest_ret do_sys_openat2 ret=$retval' ./load && done_with "$(has livetest_ret)"
may_be_empty=yes
check uprobe 0 --probe 'p:livetest_u /bin/busybox:0x20000' true && done_with ""
may_be_empty=
check eprobe 0 --probe 'e:livetest_e sched.sched_switch next=$next_pid:s32' ./load && done_with "$(has livetest_e; has 'next=')"
check probe-kernel-error 1 --probe 'p:livetest_bad no_such_function_at_all' true && done_with "$(grep -q '\^' log || echo no caret)"
if [ -e $T/synthetic_events ]; then
	check synthetic 0 --synth 'livetest_lat u64 lat; pid_t pid' -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' \
		-e sched_switch -R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).livetest_lat($lat,next_pid)' \
		./load && done_with "$(has livetest_lat)"
fi
check trigger 0 -e sched_switch -R 'stacktrace:3' ./load && done_with "$(has 'stack trace')"
check buffers 0 -e sched_switch -B livetest -e sched_waking -p function -l vfs_open ./load && done_with "$(has 'livetest:.*vfs_open')"
if [ -e $T/stack_max_size ]; then
	cat /proc/sys/kernel/stack_tracer_enabled $T/stack_max_size >stack.before
	check stack-trace-max 0 --stack-trace-max ./load && {
		cat /proc/sys/kernel/stack_tracer_enabled $T/stack_max_size >stack.after
		done_with "$(has 'stack_trace: .*Depth.*Size.*Location'; has 'stack_trace: .* 0) '
			grep -q 'the deepest kernel stack' log || echo not told
			cmp stack.before stack.after)"
	}
	echo 1 >/proc/sys/kernel/stack_tracer_enabled
	check stack-trace-max-busy 2 --stack-trace-max true && done_with "$(grep -q 'somebody measures stacks already' log || echo no reason)"
	echo 0 >/proc/sys/kernel/stack_tracer_enabled
fi
check top-busy 0 -e sched_switch true && done_with ""

# A CPU goes away while it is recorded, and comes back.
if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	cat >offline <<'END'
#!/bin/sh
ls -lR /etc >/dev/null 2>&1
echo 0 >/sys/devices/system/cpu/cpu1/online
ls -lR /etc >/dev/null 2>&1
echo 1 >/sys/devices/system/cpu/cpu1/online
ls -lR /etc >/dev/null 2>&1
END
	chmod +x offline
	check cpu-offline 0 -e sched ./offline && done_with "$(has '\[001\]'; has '\[000\]')"
fi

# The exact count of writes to trace_marker and of forks.
cat >marks <<'END'
#!/bin/sh
for i in $(seq 1 500); do echo mark $i; done >/dev/null
i=0
while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done
END
chmod +x marks
check exact-forks 0 -e sched_process_fork -F -c ./marks &&
	done_with "$([ "$(grep -c 'comm=marks.*child' report)" = 201 ] || [ "$(grep -c sched_process_fork report)" -ge 200 ] || echo "$(grep -c sched_process_fork report) forks, not 200")"

# Somebody uses the top instance: what needs it says so, and leaves it alone.
if tracer function_graph; then
	echo function >$T/current_tracer
	echo vfs_open >$T/set_ftrace_filter
	state >busy
	if ! mkdir $T/instances/probe || grep -qw function_graph $T/instances/probe/available_tracers; then
		rmdir $T/instances/probe
	else
		rmdir $T/instances/probe
		ftop-trace record --no-browse -o b.dat -p function_graph true >log 2>&1
		status=$?
		state >after
		name=busy-top problem=
		[ $status = 1 ] || problem="status $status"
		cmp -s busy after || problem="$problem; changed"
		done_with "$(grep -q 'busy (current_tracer is function)' log || echo no reason)"
		ftop-trace record --no-browse --force -o b.dat -p function_graph -F true >log 2>&1
		status=$?
		state >after
		name=busy-top-forced problem=
		[ $status = 0 ] || problem="status $status"
		cmp -s busy after || problem="$problem; changed: $(diff busy after | grep '^[-+]/' | head -n 4)"
		done_with ""
		# killed while it uses the top instance: the next run puts it back
		ftop-trace record --no-browse --force -o c.dat -p function_graph >log 2>&1 &
		pid=$!
		sleep 3
		kill -9 $pid
		wait $pid
		ftop-trace record --no-browse -o d.dat -e sched_switch true >log 2>&1
		state >after
		name=killed-in-top problem=
		cmp -s busy after || problem="changed: $(diff busy after | grep '^[-+]/' | head -n 4)"
		done_with "$(grep -q 'without putting tracefs back: done now' log || echo not told)"
	fi
	echo nop >$T/current_tracer
	echo >$T/set_ftrace_filter
fi
echo "# done"
