/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter_names.h"

#include <string.h>

#include "parsers/field.h"
#include "src/sched_values.h"

static bool is_exit(const struct event_type *type)
{
	return !strcmp(type->name, "funcgraph_exit") && !strcmp(type->system, "ftrace");
}

/* What the record of a call's end says it took. */
static bool call_took(const struct filter_record *rec, int64_t *value)
{
	const struct event_field *call = event_type_field(rec->type, "calltime"), *ret = event_type_field(rec->type, "rettime");
	uint64_t from, to;

	if (!call || !ret)
		return false;
	from = field_u64(call, rec->data, rec->size, rec->swap);
	to = field_u64(ret, rec->data, rec->size, rec->swap);
	if (to < from || to - from > INT64_MAX)
		return false;
	*value = (int64_t)(to - from);
	return true;
}

static const char *sched_trouble(struct trace *trace, unsigned int file)
{
	return sched_values_full(trace, file) ? "there are more switches than memory has room for: later ones have no wait, state …" : NULL;
}

#define SCHED_VALUE \
	.kind = FILTER_NAME_VALUE, .begin = sched_values_begin, .ready = sched_values_ready, .wait = sched_values_wait, \
	.trouble = sched_trouble

static const struct filter_name_word states[] = {
	{ "preempted", SCHED_PREEMPTED }, { "sleep", SCHED_SLEEPS }, { "blocked", SCHED_BLOCKED }, { "gone", SCHED_GONE },
	{ "R", SCHED_PREEMPTED }, { "S", SCHED_SLEEPS }, { "D", SCHED_BLOCKED }, { "X", SCHED_GONE }, { NULL, 0 },
};

const struct filter_name filter_names[] = {
	{ .name = "comm", .kind = FILTER_NAME_COMM, .help = "name of the task at that time" },
	{ .name = "pid", .kind = FILTER_NAME_PID, .help = "the task that ran" },
	{ .name = "tgid", .kind = FILTER_NAME_TGID, .help = "the process of the task that ran, where the trace tells it" },
	{ .name = "cpu", .kind = FILTER_NAME_CPU, .help = "CPU of the event" },
	{ .name = "time", .kind = FILTER_NAME_TIME, .help = "time stamp: 7.554, 7554ms, +1ms from the trace's begin on" },
	{ .name = "func", .kind = FILTER_NAME_FUNC, .help = "function that is called, or left" },
	{ .name = "dur", .kind = FILTER_NAME_VALUE, .help = "how long a call took, at its end: dur > 100us", .is_duration = true,
	  .applies = is_exit, .value = call_took },
	{ .name = "wait", SCHED_VALUE, .help = "at a switch: how long the task that comes could have run, but did not: wait > 1ms",
	  .is_duration = true, .applies = sched_values_is_switch, .value = sched_values_wait_of },
	{ .name = "wakelat", SCHED_VALUE, .help = "at a wake-up, and the switch that answers it: from the one to the other",
	  .is_duration = true, .applies = sched_values_is_change, .value = sched_values_wakelat },
	{ .name = "ran", SCHED_VALUE, .help = "at a switch: how long the task that leaves ran", .is_duration = true,
	  .applies = sched_values_is_switch, .value = sched_values_ran },
	{ .name = "state", SCHED_VALUE, .help = "at a switch: preempted, sleep, blocked or gone, the task that leaves; at a wake-up: it was",
	  .applies = sched_values_is_change, .value = sched_values_state, .words = states },
	{ .name = "prio", SCHED_VALUE, .help = "priority of the task, of a switch that of the one that comes: prio < 100",
	  .value = sched_values_prio },
	{ .name = "irq", .kind = FILTER_NAME_FLAG, .bits = 0x08, .help = "in a hard interrupt" },
	{ .name = "softirq", .kind = FILTER_NAME_FLAG, .bits = 0x10, .help = "in a soft interrupt" },
	{ .name = "nmi", .kind = FILTER_NAME_FLAG, .bits = 0x40, .help = "in a non-maskable interrupt" },
	{ .name = "irqs_off", .kind = FILTER_NAME_FLAG, .bits = 0x01, .help = "interrupts were off" },
	{ .name = "need_resched", .kind = FILTER_NAME_FLAG, .bits = 0x04, .help = "another task was to run" },
	{ .name = "preempt_count", .kind = FILTER_NAME_PREEMPT, .help = "how often preemption was switched off" },
	{ .name = "lost", .kind = FILTER_NAME_LOST, .help = "lost events, and damage" },
	{ .name = "stack", .kind = FILTER_NAME_STACK, .help = "stack contains FUNCTION: stacks with it" },
	{ .name = "COMM", .kind = FILTER_NAME_SAVED_COMM, .help = "name of the task as trace-cmd has it: the saved one" },
	{ .name = "CPU", .kind = FILTER_NAME_CPU, .help = "CPU of the event" },
	{ .name = NULL },
};

const struct filter_name *filter_name_find(const char *name, const struct filter_name *more)
{
	for (const struct filter_name *n = filter_names; n->name; n++)
		if (!strcmp(n->name, name))
			return n;
	for (const struct filter_name *n = more; n && n->name; n++)
		if (!strcmp(n->name, name))
			return n;
	return NULL;
}
