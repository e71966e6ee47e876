#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# recorder - stands in for `ftop-trace doctor|list|record|recover` where the record
# screen is tested: kernels that can be recorded from, and cannot, on any machine.
#
# Lists and mistakes are the real program's, over a folder that looks like tracefs.
# FTOP_FAKE says what happens:
#   (nothing)  records until it is told to stop
#   command    ends by itself, as with a command
#   lost       loses events
#   dies       is killed while it records
#   full       cannot complete the file: the disk is full
#   fails      finds out that it cannot, at the start; a check of irq_handler_entry ends behind that
#   no-calls   the kernel lets nobody set tracers of functions
#   lockdown, rights, read-only   the doctor's answers of such kernels, users and mounts
set -u
command=$1
shift
tracefs=$PWD/../fake-tracefs

format() {	# system name "field..." "print format"
	mkdir -p "$tracefs/events/$1/$2"
	{
		printf 'name: %s\nID: 1\nformat:\n' "$2"
		printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
		printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
		for field in $3; do
			printf '\tfield:%s;\toffset:8;\tsize:8;\tsigned:0;\n' "$(echo "$field" | tr '=' ' ')"
		done
		printf '\nprint fmt: "%s", REC->x\n' "$4"
	} >"$tracefs/events/$1/$2/format"
	echo none >"$tracefs/events/$1/$2/filter"
	echo "$1:$2" >>"$tracefs/available_events"
}

make_tracefs() {
	[ -e "$tracefs/ready" ] && return
	mkdir -p "$tracefs/options" "$tracefs/instances"
	: >"$tracefs/available_events"
	: >"$tracefs/set_event"
	: >"$tracefs/options/stacktrace"
	echo 'function_graph wakeup_rt function nop' >"$tracefs/available_tracers"
	echo nop >"$tracefs/current_tracer"
	echo '[local] global mono boot' >"$tracefs/trace_clock"
	printf 'schedule\nschedule_timeout\nvfs_read\nvfs_write\next4_map_blocks [ext4]\n' >"$tracefs/available_filter_functions"
	format irq irq_handler_entry 'int=irq __data_loc=char[]=name' 'irq=%d name=%s'
	format irq irq_handler_exit 'int=irq int=ret' 'irq=%d ret=%s'
	format irq softirq_entry 'unsigned=int=vec' 'vec=%u [action=%s]'
	format sched sched_switch 'char=prev_comm[16] pid_t=prev_pid int=prev_prio long=prev_state char=next_comm[16] pid_t=next_pid int=next_prio' \
		'prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d'
	format sched sched_wakeup 'char=comm[16] pid_t=pid int=prio int=target_cpu' 'comm=%s pid=%d prio=%d target_cpu=%03d'
	format sched sched_wakeup_new 'char=comm[16] pid_t=pid int=prio int=target_cpu' 'comm=%s pid=%d prio=%d target_cpu=%03d'
	format sched sched_waking 'char=comm[16] pid_t=pid int=prio int=target_cpu' 'comm=%s pid=%d prio=%d target_cpu=%03d'
	format syscalls sys_enter_openat 'int=__syscall_nr int=dfd' 'dfd: 0x%08lx, filename: 0x%08lx'
	: >"$tracefs/ready"
}

check() {	# name state text remedy
	printf '{"check":"%s","state":"%s","file":null,"errno":null,"cause":null,"text":"%s","remedy":"%s","kernel":"6.1.0"}\n' "$@"
}

doctor() {
	case ${FTOP_FAKE-} in
	lockdown)
		check lockdown no 'kernel lockdown is at confidentiality, which forbids tracing; set by lockdown= at boot' ''
		check tracefs ok /sys/kernel/tracing ''
		check instance no 'instances: EINVAL: kernel lockdown is at confidentiality' ''
		check events untried 'no instance could be made' ''
		exit 1 ;;
	rights)
		check lockdown ok none ''
		check tracefs ok /sys/kernel/tracing ''
		check rights no 'instances: EACCES: /sys/kernel/tracing is readable by root only' 'sudo ftop-trace doctor'
		check events untried 'needs root' ''
		exit 1 ;;
	read-only)
		check tracefs ok /sys/kernel/tracing ''
		check rights no 'instances: EROFS: /sys/kernel/tracing is mounted read-only' \
			'mount -o remount,rw /sys/kernel/tracing' | sed 's/"cause":null/"cause":"read_only"/'
		check events untried 'needs root' ''
		exit 1 ;;
	esac
	check tracefs ok /sys/kernel/tracing ''
	check rights ok 'root may create instances' ''
	check events ok 'separate instance, 8 events' ''
	check function no 'not in this kernel (CONFIG_FUNCTION_TRACER is not set)' ''
	[ "${FTOP_FAKE-}" != no-calls ] || check function_graph no 'current_tracer: EPERM' ''
}

list() {
	case ${FTOP_FAKE-} in
	lockdown | rights)
		echo 'ftop-trace: available_events: refused' >&2
		exit 1 ;;
	esac
	make_tracefs
	exec "$FTOP_PROGRAM" list --tracefs "$tracefs" "$@"
}

tell() {	# a line of the status stream
	printf '%s\n' "$1" >&"$status"
}

counters() {	# seconds
	lost=0 needs=0 fill=97
	[ "${FTOP_FAKE-}" = lost ] && lost=12044 needs=32768
	tell "{\"type\":\"status\",\"time_ns\":$1000000000,\"bytes\":$1840000,\"events\":$1412000,\"events_per_s\":412000,\"lost\":$lost,\"needs_kb\":$needs,\"per_cpu\":[{\"cpu\":0,\"fill_percent\":$fill,\"events\":5,\"lost\":$lost},{\"cpu\":1,\"fill_percent\":12,\"events\":5,\"lost\":0},{\"cpu\":2,\"fill_percent\":0,\"events\":5,\"lost\":0},{\"cpu\":3,\"fill_percent\":31,\"events\":5,\"lost\":0}]}"
}

finish() {	# why
	tell "{\"type\":\"stopped\",\"by\":\"$1\"}"
	cp "$FTOP_DATADIR/tests/data/good/cpu4/trace.dat" "$file"
	rm -f "$file.part"
	tell "{\"type\":\"end\",\"ok\":true,\"written\":true,\"partial\":$partial,\"file\":\"$file\",\"time_ns\":12500000000,\"bytes\":840000,\"events\":15823,\"lost\":$lost,\"needs_kb\":$needs,\"stopped_by\":\"$1\",\"command_status\":0,\"error\":\"\"}"
	exit 0
}

record() {
	file=trace.dat status= control= checks= partial=false
	for word; do
		case ${last-} in
		-o) file=$word ;;
		--status-fd) status=$word ;;
		--control-fd) control=$word ;;
		-m) partial=true ;;
		esac
		[ "$word" = --check ] && checks=yes
		last=$word
	done
	if [ "$checks" ]; then
		make_tracefs
		if [ "${FTOP_FAKE-}" = fails ] && [ "${*#*irq_handler_entry}" != "$*" ]; then
			echo yes >checking
			tries=0
			while [ ! -e asked ] && [ $tries -lt 600 ]; do
				sleep 0.1
				tries=$((tries + 1))
			done
			sleep 0.3
		fi
		"$FTOP_PROGRAM" record --tracefs "$tracefs" "$@"
		status=$?
		[ -e checking ] && echo yes >checked
		exit $status
	fi
	printf '%s\n' "$*" >>asked
	if [ "${FTOP_FAKE-}" = fails ]; then
		tell '{"type":"note","text":"current_tracer: EBUSY: trace-cmd uses it"}'
		tell "{\"type\":\"end\",\"ok\":false,\"written\":false,\"file\":\"$file\",\"error\":\"nothing was recorded or changed\"}"
		exit 1
	fi
	: >"$file.part"
	tell "{\"type\":\"begin\",\"file\":\"$file\",\"part\":\"$file.part\",\"pid\":77,\"cpus\":4,\"buffers\":[]}"
	counters 12
	echo 'cc -c main.c'
	[ "${FTOP_FAKE-}" = dies ] && kill -9 $$
	if [ "${FTOP_FAKE-}" = full ]; then
		tell '{"type":"note","text":"trace.dat.part: kernel symbols not stored"}'
		error='cannot write what CPU 0 recorded: No space left'
		tell "{\"type\":\"end\",\"ok\":false,\"bytes\":840000,\"error\":\"$error\"}"
		exit 1
	fi
	[ "${FTOP_FAKE-}" = command ] && finish ''
	while read -r word <&"${control:-$status}"; do
		[ "$word" = stop ] && finish 'its reader'
		[ "$word" = keep ] && kept=yes
	done
	# nobody listens any more
	printf 'left %s\n' "${kept-alone}" >ended
}

recover() {	# -o FILE PART
	cp "$FTOP_DATADIR/tests/data/good/cpu4/trace.dat" "$2"
	rm -f "$3"
}

"$command" "$@"
