#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What doctor.py runs in the virtual machine, with busybox: prints "ok - NAME" or "not ok - NAME".

# It unmounts tracefs, locks the kernel down for good, and more: never on a machine that somebody uses.
. /vm/guard.sh || exit 2

T=/sys/kernel/tracing
F=/usr/local/bin/ftop-trace
cd /tmp || exit 1

check() {	# NAME COMMAND...: the command's status decides
	name=$1
	shift
	if "$@"; then echo "ok - $name"; else echo "not ok - $name"; fi
}

# All control files that can be read, but those of what was recorded or counted; and lists and
# formats, which are long and change only with the kernel's code.
snapshot() {
	(cd $T && find . -type f ! -name trace ! -name 'trace_pipe*' ! -name free_buffer ! -name 'trace_marker*' \
		! -name stats ! -name saved_cmdlines ! -name saved_tgids ! -name 'snapshot*' ! -name touched_functions \
		! -name format ! -name id ! -name 'available_*' ! -name printk_formats \
		! -name inject ! -name '*probe_profile' ! -name 'user_events*' ! -path './trace_stat/*' |
		sort | xargs grep -H '' 2>&1) >"$1"
}
same() { cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 12; return 1; }; }

doctor() { $F doctor --format=csv "$@" >out.csv 2>err; echo $? >status; }
row() { grep "^$1," out.csv; }
is() {		# CHECK STATE
	case $(row "$1") in "$1,$2,"*) ;; *) row "$1"; return 1 ;; esac
}
says() { row "$1" | grep -qF "$2" || { row "$1"; return 1; }; }
status_is() { [ "$(cat status)" = "$1" ] || { cat status err; return 1; }; }

# --- before anybody traced ---
unused=$(cat $T/buffer_size_kb)
snapshot before
doctor
snapshot after
check "nothing changed by the first doctor" same before after
check "the top buffer is as unused as before ($unused)" [ "$(cat $T/buffer_size_kb)" = "$unused" ]
check "events can be recorded" status_is 0
check "events are ok" is events ok
check "raw pages are ok" is pages ok
check "lockdown is read without a mount" is lockdown ok
check "securityfs was not mounted for it" sh -c '! grep -q securityfs /proc/mounts'

# Kernels before 6.7 would size the top instance's buffer for good: there it is not tried.
mkdir $T/instances/t
shared=$(grep -c expanded $T/instances/t/buffer_size_kb)
rmdir $T/instances/t
if [ "$shared" = 1 ]; then
	check "a tracer is not tried, and it is said how" says function "ftop-trace doctor --expand"
else
	check "a tracer is tried" is function ok
fi

# --- as at the first use ---
doctor --expand
case $unused in *expanded*)
	full=${unused#*expanded: }
	size=$(cat $T/buffer_size_kb)
	# The kernel rounds up to whole pages.
	check "--expand gives the top buffer its full size" [ "${size%% *}" -ge "${full%)*}" ] ;;
esac
check "the function tracer is ok" is function ok
check "filtering by function is ok" is function_filter ok
check "buffers are ok" is buffers ok
snapshot before
doctor
snapshot after
check "nothing changed by the next doctor" same before after

# --- the same, tried by hand ---
mkdir $T/instances/t
(cd $T && find . -type f) >/out/files	# for the table of what ftrace has
echo 0 >$T/instances/t/tracing_on
if ! grep -qw function_graph $T/available_tracers; then
	check "function_graph, which is not listed" is function_graph no
elif (echo function_graph >$T/instances/t/current_tracer) 2>/dev/null; then
	check "function_graph, which an instance takes" is function_graph ok
else
	check "function_graph, which only the top instance takes" is function_graph partly
fi
echo nop >$T/instances/t/current_tracer
rmdir $T/instances/t
for tracer in wakeup hwlat osnoise timerlat irqsoff preemptoff branch blk mmiotrace; do
	if grep -qw $tracer $T/available_tracers; then
		check "lists $tracer" sh -c "grep ^other_tracers, out.csv | sed 's/not in this kernel.*//' | grep -qw $tracer"
	else
		check "misses $tracer" sh -c "grep ^other_tracers, out.csv | sed 's/.*not in this kernel//' | grep -qw $tracer"
	fi
done

# --- list ---
$F list -e >listed
sort $T/available_events >events
sort listed >sorted
check "all events are listed" same events sorted
$F list -f | sed 's/ .*//' >listed
sed 's/[ \t].*//' $T/available_filter_functions >functions
check "all functions are listed" same functions listed
check "a function by its whole name" [ "$($F list -f schedule)" = schedule ]
module=$(sed -n 's/.*\[\(.*\)\]$/\1/p' $T/available_filter_functions | head -n 1)
if [ -n "$module" ]; then
	$F list -f ":mod:$module" | sed 's/ .*//' >listed
	grep "\[$module\]" $T/available_filter_functions | sed 's/[ \t].*//' >functions
	check "the functions of the module $module" same functions listed
fi
$F list -f scheduel >listed 2>err
check "the nearest function" grep -q "scheduel: no such function; did you mean schedule?" err

# --- left over ---
mkdir $T/instances/ftop-1-5 $T/instances/foo
echo 1 >$T/instances/ftop-1-5/events/sched/sched_switch/enable
echo schedule >$T/set_ftrace_filter	# as a stand-in for all, which take seconds to switch
echo function >$T/current_tracer
doctor
check "a stale instance is seen" says left_by_us ftop-1-5
check "others' use is seen" says left_by_others "tracer function in the top instance; 1 instance: foo"
doctor --fix
check "a stale instance is removed" [ ! -d $T/instances/ftop-1-5 ]
check "what is not ours stays" [ -d $T/instances/foo ]
check "others' tracer stays" [ "$(cat $T/current_tracer)" = function ]
echo nop >$T/current_tracer
echo >$T/set_ftrace_filter
rmdir $T/instances/foo
cat $T/trace_pipe >/dev/null &
until ls -l /proc/$!/fd | grep -q trace_pipe; do usleep 100000; done
doctor
check "who holds files is seen" says left_by_others "cat[$!]"
kill $!

# --- in the way ---
old=$(cat /proc/sys/kernel/ftrace_enabled)
if (echo 0 >/proc/sys/kernel/ftrace_enabled) 2>/dev/null; then
	doctor
	check "ftrace_enabled=0 is the cause" says function "sysctl kernel.ftrace_enabled=1"
	echo "$old" >/proc/sys/kernel/ftrace_enabled
fi
echo 2 >/proc/sys/kernel/kptr_restrict
doctor
check "kptr_restrict=2 is the cause" says symbols "sysctl kernel.kptr_restrict=1"
echo 1 >/proc/sys/kernel/kptr_restrict
doctor
check "kptr_restrict=1 does not hide from root" is symbols ok

chmod 755 /usr /usr/local /usr/local/bin
chmod 777 /tmp
rm -f out.csv err
su -s /bin/sh nobody -c "$F doctor --format=csv >/tmp/out.csv 2>/tmp/err"
echo $? >status
check "another user is told of missing rights" says rights EACCES
check "and that they would help" says rights "sudo ftop-trace record"
check "and cannot record" status_is 1
check "symbols are hidden from another user" says symbols kptr_restrict=1
rm -f out.csv err

umount $T
umount /sys/kernel/debug
doctor
check "not mounted is told, and how to" says tracefs "mount -t tracefs nodev /sys/kernel/tracing"
check "not mounted: cannot record" status_is 1
mount -t tracefs trc $T

# Last in this machine, as it cannot be undone.
mount -t securityfs sec /sys/kernel/security
if (echo confidentiality >/sys/kernel/security/lockdown) 2>/dev/null; then
	doctor
	check "lockdown at confidentiality is seen" is lockdown no
	check "and is the cause" says instance "kernel lockdown is at confidentiality"
	check "and cannot record" status_is 1
	check "and nothing is left" [ -z "$(ls $T/instances)" ]
fi
exit 0
