/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfetto_packets - packets, tracks and names, each told once; what is said of the whole trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parsers/source/source.h"
#include "parsers/text/sched_text.h"
#include "src/base/memory.h"
#include "src/export/perfetto_private.h"
#include "src/export/proto.h"

#define SEQUENCE	1u

#define CALLER_IID	1u		/* number of the name of the value "caller" */
#define NO_NAME		"<...>"		/* trace_comm() of a task without one */

/* --- packets ---------------------------------------------------------------------------------- */

/* A message begins, in the one that is open. */
static void begin(struct perfetto *p, unsigned int field)
{
	p->open[p->nr_open++] = proto_begin(&p->out.block, field);
}

static void end(struct perfetto *p)
{
	proto_end(&p->out.block, p->open[--p->nr_open]);
}

/* @flags: of PACKET_FLAGS; 0: none */
static void packet_begin(struct perfetto *p, unsigned int flags)
{
	begin(p, TRACE_PACKET);
	proto_number(&p->out.block, PACKET_SEQUENCE, SEQUENCE);
	if (flags)
		proto_number(&p->out.block, PACKET_FLAGS, flags);
}

void packet_block(struct perfetto *p)
{
	if (!p->failed && output_more(&p->out, &p->err))
		p->failed = true;
	if (p->failed)
		text_clear(&p->out.block);
}

/* With all messages in it. */
static void packet_end(struct perfetto *p)
{
	while (p->nr_open)
		end(p);
	packet_block(p);
}

void packet_bundle(struct perfetto *p)
{
	struct text *out = &p->out.block;

	if (!p->bundle.len)
		return;
	packet_begin(p, FLAGS_NEEDS_STATE);
	begin(p, PACKET_FTRACE_EVENTS);
	proto_number(out, BUNDLE_CPU, (uint32_t)p->cpu);
	if (p->lost)
		proto_number(out, BUNDLE_LOST, 1);
	text_bytes(out, text_str(&p->bundle), p->bundle.len);
	text_bytes(out, text_str(&p->descriptions), p->descriptions.len);
	packet_end(p);
	text_clear(&p->bundle);
	text_clear(&p->descriptions);
	p->lost = false;
}

/* --- names ------------------------------------------------------------------------------------ */

static void tell_name(struct perfetto *p, unsigned int field, uint64_t iid, const char *name)
{
	packet_begin(p, FLAGS_NEEDS_STATE);
	begin(p, PACKET_INTERNED_DATA);
	begin(p, field);
	proto_number(&p->out.block, INTERNED_IID, iid);
	proto_string(&p->out.block, INTERNED_STRING, name);
	packet_end(p);
}

/* The iid of a function's name. */
static uint32_t name_of(struct perfetto *p, enum packet_names of, uint64_t address)
{
	static const unsigned int fields[] = { [NAMES_OF_EVENTS] = INTERNED_EVENT_NAMES,
					       [NAMES_OF_CALLERS] = INTERNED_VALUES,
					       [NAMES_OF_SYMBOLS] = INTERNED_SYMBOLS };
	bool is_new;
	uint32_t iid = 1 + number_set_add(&p->names[of], address, &is_new);

	if (!is_new)
		return iid;
	if (of == NAMES_OF_CALLERS && iid == 1)
		tell_name(p, INTERNED_VALUE_NAMES, CALLER_IID, "caller");
	text_clear(&p->name);
	trace_function_name(p->trace, p->what.file, address, &p->name);
	tell_name(p, fields[of], iid, text_str(&p->name));
	return iid;
}

uint64_t packet_symbol(struct perfetto *p, uint64_t address)
{
	return address ? name_of(p, NAMES_OF_SYMBOLS, address) : 0;
}

/* --- tracks ----------------------------------------------------------------------------------- */

enum track_kind { TRACK_OF_TASK, TRACK_OF_STREAM, TRACK_OF_BUFFER };

/* @what: below 2^40, that is a task's key */
static uint64_t track_of(struct perfetto *p, unsigned int kind, uint64_t what, bool *is_new)
{
	return 1 + number_set_add(&p->tracks, (uint64_t)kind << 40 | what, is_new);
}

int32_t packet_pid(const struct perfetto *p, uint64_t track)
{
	uint64_t number = p->tracks.numbers[track - 1];

	return number <= UINT32_MAX ? (int32_t)number : 0;
}

/* A task whose process is unknown is shown as one. */
int packet_process(const struct perfetto *p, int32_t pid)
{
	int tgid;

	return trace_tgid(p->trace, p->what.file, pid, INT64_MAX, &tgid) ? tgid : pid;
}

/* Not merged with what trace_processor makes of events, such as system calls. */
static void add_thread(struct perfetto *p, int32_t pid, const char *name)
{
	struct text *out = &p->out.block;

	begin(p, TRACK_THREAD);
	proto_number(out, TRACK_THREAD_PID, (uint64_t)packet_process(p, pid));
	proto_number(out, TRACK_THREAD_TID, (uint64_t)pid);
	if (strcmp(name, NO_NAME) != 0)
		proto_string(out, TRACK_THREAD_NAME, name);
	end(p);
	proto_number(out, TRACK_IS_OWN, 1);
}

/* @parent: a track, or 0 */
static void tell_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
	int32_t pid = packet_pid(p, uuid);

	if (p->chrome) {
		chrome_track(p, uuid, name);
		return;
	}
	packet_begin(p, 0);
	begin(p, PACKET_TRACK_DESCRIPTOR);
	proto_number(&p->out.block, TRACK_UUID, uuid);
	if (parent)
		proto_number(&p->out.block, TRACK_PARENT, parent);
	if (pid)
		add_thread(p, pid, name);
	else
		proto_string(&p->out.block, TRACK_NAME, name);
	packet_end(p);
}

uint64_t packet_thread(struct perfetto *p, int32_t pid, int cpu, unsigned int buffer)
{
	const struct source *file = trace_file_of(p->trace, p->what.file);
	uint64_t key = trace_task_key(pid, (unsigned int)cpu), uuid, parent;
	bool is_new;
	char name[32];

	parent = track_of(p, TRACK_OF_TASK, key, &is_new);
	if (is_new) {
		snprintf(name, sizeof(name), "swapper/%d", cpu);
		tell_track(p, parent, 0,
			   pid ? trace_comm(p->trace, p->what.file, pid, INT64_MAX) : name);
	}
	if (!buffer)
		return parent;
	uuid = track_of(p, TRACK_OF_BUFFER + buffer, key, &is_new);
	if (is_new)
		tell_track(p, uuid, parent, source_buffer(file, buffer)->name);
	return uuid;
}

uint64_t packet_stream(struct perfetto *p, unsigned int stream)
{
	struct trace_stream_info info = trace_stream_info(p->trace, stream);
	bool is_new;
	uint64_t uuid = track_of(p, TRACK_OF_STREAM, stream, &is_new);

	if (is_new) {
		text_clear(&p->name);
		text_printf(&p->name, "CPU %d: not recorded%s%s", info.cpu,
			    *info.buffer_name ? " of " : "", info.buffer_name);
		tell_track(p, uuid, 0, text_str(&p->name));
	}
	return uuid;
}

/* --- slices ----------------------------------------------------------------------------------- */

/* The packet of a slice or instant, up to what it is called. */
static void event_begin(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track)
{
	struct text *out = &p->out.block;

	packet_begin(p, type == SLICE_END ? 0 : FLAGS_NEEDS_STATE);
	proto_number(out, PACKET_TIMESTAMP, (uint64_t)ts);
	begin(p, PACKET_TRACK_EVENT);
	proto_number(out, SLICE_TYPE, type);
	proto_number(out, SLICE_TRACK, track);
}

void packet_slice(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  uint64_t function, uint64_t caller)
{
	uint32_t iid = 0, caller_iid = 0;

	if (p->chrome) {
		text_clear(&p->name);
		trace_function_name(p->trace, p->what.file, function, &p->name);
		chrome_event(p, type, ts, track, text_str(&p->name), p->name.len);
		return;
	}
	if (type != SLICE_END)		/* it has the name of its begin */
		iid = name_of(p, NAMES_OF_EVENTS, function);
	if (type == INSTANT)
		caller_iid = name_of(p, NAMES_OF_CALLERS, caller);
	event_begin(p, type, ts, track);
	if (iid)
		proto_number(&p->out.block, SLICE_NAME_IID, iid);
	if (type == INSTANT) {
		begin(p, SLICE_VALUE);
		proto_number(&p->out.block, VALUE_NAME_IID, CALLER_IID);
		proto_number(&p->out.block, VALUE_STRING_IID, caller_iid);
	}
	packet_end(p);
}

void packet_named(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  const char *name, size_t len)
{
	if (p->chrome) {
		chrome_event(p, type, ts, track, name, len);
		return;
	}
	event_begin(p, type, ts, track);
	proto_bytes(&p->out.block, SLICE_NAME, name, len);
	packet_end(p);
}

/* --- the whole trace -------------------------------------------------------------------------- */

static void add_clock(struct perfetto *p, unsigned int number, int64_t time)
{
	begin(p, SNAPSHOT_CLOCK);
	proto_number(&p->out.block, CLOCK_NUMBER, number);
	proto_number(&p->out.block, CLOCK_TIME, (uint64_t)time);
	end(p);
}

/* Times are said to be those since boot: of clocks that Perfetto does not know, too. */
static void tell_clocks(struct perfetto *p, int64_t first)
{
	const char *name = trace_clock(p->trace);
	bool known;
	int64_t wall = trace_wall_offset_ns(p->trace, &known);

	packet_begin(p, FLAGS_CLEARED);
	begin(p, PACKET_CLOCK_SNAPSHOT);
	add_clock(p, CLOCK_IS_BOOTTIME, first);
	if (!strcmp(name, "mono"))
		add_clock(p, CLOCK_IS_MONOTONIC, first);
	if (!strcmp(name, "mono_raw"))
		add_clock(p, CLOCK_IS_RAW, first);
	if (known)
		add_clock(p, CLOCK_IS_REALTIME, time_after(first, wall));
	proto_number(&p->out.block, SNAPSHOT_PRIMARY, CLOCK_IS_BOOTTIME);
	packet_end(p);
}

/*
 * trace_processor decides by the release which bit of prev_state means "preempted" (TaskState in
 * its types/task_state.cc; 4.4 if there is none).  If the trace has no release, as texts, whose
 * states are ours, the format of the event tells it.
 */
static const char *release_of(const struct perfetto *p)
{
	const struct event_type *type = event_types_by_name(trace_event_types(p->trace,
									      p->what.file),
							    "sched", "sched_switch");
	const char *release = trace_kernel(p->trace);
	struct sched_states states;

	if (*release || !type)
		return release;
	sched_states_parse(&states, type->print_fmt);
	return states.preempted == 0x100  ? "4.14.or.later" :
	       states.preempted == 0x1000 ? "4.8.or.later" :
					    release;
}

/*
 * Tells the kernel's release and machine, from "Linux host 6.1.0 x86_64".  System calls are named
 * by them, too.
 */
static void tell_kernel(struct perfetto *p)
{
	const char *uname = source_info(trace_file_of(p->trace, p->what.file))->uname;
	const char *release = release_of(p), *machine = strrchr(uname, ' ');
	struct text *out = &p->out.block;

	if (!*release)
		return;
	packet_begin(p, 0);
	begin(p, PACKET_SYSTEM_INFO);
	begin(p, SYSTEM_UTSNAME);
	proto_string(out, UTSNAME_SYSNAME, "Linux");
	proto_string(out, UTSNAME_RELEASE, release);
	if (machine)
		proto_string(out, UTSNAME_MACHINE, machine + 1);
	packet_end(p);
}

static void see_task(void *arg, int pid, const char *name)
{
	struct number_set *tasks = arg;
	bool is_new;

	(void)name;
	if (pid > 0)
		number_set_add(tasks, (uint64_t)pid, &is_new);
}

/* A process has no name of its own in a trace, but that of its first task. */
static void tell_process(struct perfetto *p, int pid)
{
	struct text *out = &p->out.block;

	begin(p, TREE_PROCESS);
	proto_number(out, PROCESS_PID, (uint64_t)pid);
	proto_string(out, PROCESS_COMMAND, trace_comm(p->trace, p->what.file, pid, INT64_MAX));
	proto_number(out, PROCESS_IS_COMM, 1);
	end(p);
}

/* Tells the name of each task.  If a task had several names, it gets the last one. */
static void tell_tasks(struct perfetto *p, int64_t first)
{
	struct text *out = &p->out.block;
	struct number_set tasks = { 0 };

	packet_begin(p, 0);
	proto_number(out, PACKET_TIMESTAMP, (uint64_t)first);
	begin(p, PACKET_PROCESS_TREE);
	trace_comms(p->trace, p->what.file, see_task, &tasks);
	for (uint32_t i = 0; i < tasks.nr; i++) {
		int pid = (int)tasks.numbers[i];

		if (packet_process(p, pid) == pid)
			tell_process(p, pid);
		begin(p, TREE_THREAD);
		proto_number(out, THREAD_TID, (uint64_t)pid);
		proto_number(out, THREAD_TGID, (uint64_t)packet_process(p, pid));
		proto_string(out, THREAD_NAME, trace_comm(p->trace, p->what.file, pid, INT64_MAX));
		end(p);
	}
	packet_end(p);
	number_set_fini(&tasks);
}

void packets_first(struct perfetto *p)
{
	int64_t first = 0;

	trace_file_span(p->trace, p->what.file, &first, &p->last);
	if (p->what.range.set && p->what.range.to < p->last)
		p->last = p->what.range.to;
	if (p->chrome)
		return;
	tell_clocks(p, first);
	tell_kernel(p);
	tell_tasks(p, first);
}

static uint64_t lost_of(const struct perfetto *p, unsigned int stream)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < p->nr_gaps; i++)
		lost += p->gaps[i].stream == stream ? p->gaps[i].lost : 0;
	return lost;
}

static void tell_lost(struct perfetto *p, unsigned int phase)
{
	struct text *out = &p->out.block;

	packet_begin(p, 0);
	begin(p, PACKET_FTRACE_STATS);
	proto_number(out, STATS_PHASE, phase);
	for (unsigned int i = 0; i < trace_nr_streams(p->trace); i++) {
		struct trace_stream_info info = trace_stream_info(p->trace, i);

		if (info.file != p->what.file)
			continue;
		begin(p, STATS_CPU);
		proto_number(out, CPU_STATS_CPU, (uint64_t)info.cpu);
		proto_number(out, CPU_STATS_OVERRUN, phase == STATS_IS_END ? lost_of(p, i) : 0);
		end(p);
	}
	packet_end(p);
}

void packets_last(struct perfetto *p)
{
	if (p->chrome) {
		chrome_last(p);
		return;
	}
	tell_lost(p, STATS_IS_START);
	tell_lost(p, STATS_IS_END);
}
