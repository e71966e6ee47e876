/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_names.h"

#include <string.h>

#include "parsers/types/field.h"
#include "src/calls/call_facts.h"
#include "src/sched/sched_values.h"
#include "src/trace/trace_private.h"
#include "src/filter/value_sets.h"

static bool is_exit(const struct event_type *type)
{
	return !strcmp(type->name, "funcgraph_exit") && !strcmp(type->system, "ftrace");
}

static bool is_call(const struct event_type *type)
{
	return is_exit(type) || (!strcmp(type->system, "ftrace") && (!strcmp(type->name, "funcgraph_entry") ||
								     !strcmp(type->name, "fgraph_retaddr_entry")));
}

static bool is_stack(const struct event_type *type)
{
	return !strcmp(type->system, "ftrace") && (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "user_stack"));
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
	return sched_values_full(trace, file) ? "there are more changes of priority than memory has room for: later ones are not known" : NULL;
}

static const void *want_prio(struct trace *trace, unsigned int file, const struct filter_set *functions)
{
	(void)functions;
	sched_values_want_prio(trace, file);
	return NULL;
}

static void *want_wait_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return sched_values_want_among(trace, file, SCHED_VALUE_WAIT, numbers, negate);
}

static void *want_wakelat_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return sched_values_want_among(trace, file, SCHED_VALUE_WAKELAT, numbers, negate);
}

static void *want_ran_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return sched_values_want_among(trace, file, SCHED_VALUE_RAN, numbers, negate);
}

static void *want_state_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return sched_values_want_among(trace, file, SCHED_VALUE_STATE, numbers, negate);
}

static void *want_sched_computed(struct trace *trace, unsigned int file, struct filter *asks)
{
	return sched_values_want_computed(trace, file, asks);
}

static bool is_sched_among(const struct filter_record *rec, const void *model)
{
	return value_set_has(model, rec->ref, rec->seen);
}

static void drop_set(void *model)
{
	value_set_drop(model);
}

static bool is_set_made(const void *model)
{
	return value_set_done(model);
}

static uint64_t set_bytes(const void *model)
{
	return value_set_bytes(model);
}

static struct match_item *set_item(const void *model, unsigned int stream, uint64_t page, uint32_t nr_pages)
{
	return value_set_item(model, stream, page, nr_pages);
}

#define OF_SET .item = set_item, .made = is_set_made, .bytes = set_bytes, .drop = drop_set
#define OF_SCHED \
	.kind = FILTER_NAME_VALUE, .begin = sched_values_begin, .wait = sched_values_wait
#define SCHED_VALUE \
	OF_SCHED, .ready = sched_values_ready, .want_computed = want_sched_computed, .is_among = is_sched_among, OF_SET

static const struct filter_name_word states[] = {
	{ "preempted", SCHED_PREEMPTED }, { "sleep", SCHED_SLEEPS }, { "blocked", SCHED_BLOCKED }, { "gone", SCHED_GONE },
	{ "R", SCHED_PREEMPTED }, { "S", SCHED_SLEEPS }, { "D", SCHED_BLOCKED }, { "X", SCHED_GONE }, { NULL, 0 },
};

/* --- what all calls tell (call_facts.h) --------------------------------------------------- */

static void calls_begin(struct trace *trace, unsigned int file)
{
	call_facts_start(call_facts_of(trace, file));
}

static bool calls_ready(struct trace *trace, unsigned int file)
{
	return call_facts_ready(call_facts_of(trace, file));
}

static void calls_wait(struct trace *trace, unsigned int file)
{
	call_facts_wait(call_facts_of(trace, file));
}

#define OF_CALLS .begin = calls_begin, .ready = calls_ready, .wait = calls_wait

static void *want_self_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return call_facts_want_among(call_facts_keep(trace, file), CALL_SELF, numbers, negate);
}

static void *want_net_among(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate)
{
	return call_facts_want_among(call_facts_keep(trace, file), CALL_NET, numbers, negate);
}

static void *want_figures_computed(struct trace *trace, unsigned int file, struct filter *asks)
{
	return call_facts_want_computed(call_facts_keep(trace, file), asks);
}

static bool is_figure_among(const struct filter_record *rec, const void *model)
{
	int64_t duration;

	return call_took(rec, &duration) && value_set_has_beside(model, rec->ref, duration, rec->seen);
}

static const void *want_under(struct trace *trace, unsigned int file, const struct filter_set *functions)
{
	return call_facts_want_under(call_facts_keep(trace, file), functions);
}

static void *want_under_beside(struct trace *trace, unsigned int file, const struct filter_set *functions, struct filter *asks)
{
	return call_facts_want_under_beside(call_facts_keep(trace, file), functions, asks);
}

static bool is_under(const struct filter_record *rec, const void *model)
{
	return value_set_has(model, rec->ref, rec->seen);
}

/* --- return values ------------------------------------------------------------------------- */

static bool tells_return(const struct event_type *type)
{
	return is_exit(type) && event_type_field(type, "retval");
}

/* The field of that name, of system calls mostly, is asked for by the same word. */
static bool has_return(const struct event_type *type)
{
	return tells_return(type) || event_type_field(type, "ret");
}

/* As the kernel prints it (print_graph_retval): 32 bits that are an error as a long, or as an int, are one. */
static bool call_returned(const struct filter_record *rec, int64_t *value)
{
	const struct event_field *field = event_type_field(rec->type, "retval");
	uint64_t v;

	if (!field || field->offset + field->size > rec->size)
		return false;
	v = field_u64(field, rec->data, rec->size, rec->swap);
	*value = (int64_t)v;
	if (field->size == 4 || (v <= UINT32_MAX && (int32_t)(uint32_t)v < 0 && (int32_t)(uint32_t)v >= -4095))
		*value = (int32_t)(uint32_t)v;
	return true;
}

#define CALLS "calls (function_graph)"

const struct filter_name filter_names[] = {
	{ .name = "comm", .kind = FILTER_NAME_COMM, .help = "name of the task at that time" },
	{ .name = "pid", .kind = FILTER_NAME_PID, .help = "the task that ran" },
	{ .name = "tgid", .kind = FILTER_NAME_TGID, .help = "the process of the task that ran, where the trace tells it" },
	{ .name = "cpu", .kind = FILTER_NAME_CPU, .help = "CPU of the event" },
	{ .name = "file", .kind = FILTER_NAME_FILE, .help = "of several files, the one that the event is of: file == cpu4" },
	{ .name = "instance", .kind = FILTER_NAME_INSTANCE, .help = "the instance that recorded the event; top is that without a name" },
	{ .name = "time", .kind = FILTER_NAME_TIME, .help = "time stamp: 7.554, 7554ms, +1ms from the trace's begin on" },
	{ .name = "func", .kind = FILTER_NAME_FUNC, .help = "function that is called, or left" },
	{ .name = "dur", .kind = FILTER_NAME_VALUE, .help = "how long a call took, at its end: dur > 100us", .is_duration = true,
	  .applies = is_exit, .needs = CALLS, .value = call_took },
	{ .name = "self", .kind = FILTER_NAME_VALUE, .is_duration = true,
	  .help = "the same, without the calls below it and its time off the CPU", .applies = is_exit, .needs = CALLS,
	  .told = CALL_SELF, .want_computed = want_figures_computed, .want_among = want_self_among,
	  .is_among = is_figure_among, OF_SET, OF_CALLS },
	{ .name = "net", .kind = FILTER_NAME_VALUE, .is_duration = true,
	  .help = "the same, without interrupts and all time off the CPU", .applies = is_exit, .needs = CALLS,
	  .told = CALL_NET, .want_computed = want_figures_computed, .want_among = want_net_among,
	  .is_among = is_figure_among, OF_SET, OF_CALLS },
	{ .name = "ret", .kind = FILTER_NAME_VALUE, .help = "what a call returned, at its end (kernels from 6.5 on)",
	  .applies = tells_return, .told_by = has_return,
	  .needs = "returned values: neither system calls nor calls with funcgraph-retval", .value = call_returned },
	{ .name = "under", .kind = FILTER_NAME_WORD, .help = "under FUNCTION: within a call of it, in the same task",
	  .told_by = is_call, .needs = CALLS, .holds = is_under, .want = want_under, .want_beside = want_under_beside, OF_SET, OF_CALLS },
	{ .name = "wait", SCHED_VALUE, .help = "at a switch: how long the task that comes could have run, but did not: wait > 1ms",
	  .is_duration = true, .of_other = true, .applies = sched_values_is_switch, .told = SCHED_VALUE_WAIT,
	  .want_among = want_wait_among },
	{ .name = "wakelat", SCHED_VALUE, .help = "at a wake-up, and the switch that answers it: from the one to the other",
	  .is_duration = true, .of_other = true, .applies = sched_values_is_change, .told = SCHED_VALUE_WAKELAT,
	  .want_among = want_wakelat_among },
	{ .name = "ran", SCHED_VALUE, .help = "at a switch: how long the task that leaves ran", .is_duration = true,
	  .of_leaving = true, .applies = sched_values_is_switch, .told = SCHED_VALUE_RAN, .want_among = want_ran_among },
	{ .name = "state", SCHED_VALUE, .help = "at a switch: preempted, sleep, blocked or gone, the task that leaves; at a wake-up: it was",
	  .of_leaving = true, .applies = sched_values_is_change, .told = SCHED_VALUE_STATE, .want_among = want_state_among,
	  .words = states },
	{ .name = "prio", OF_SCHED, .ready = sched_values_prio_ready, .want = want_prio, .trouble = sched_trouble, .help = "priority of the task, of a switch that of the one that comes: prio < 100",
	  .value = sched_values_prio },
	{ .name = "irq", .kind = FILTER_NAME_FLAG, .bits = 0x08, .help = "in a hard interrupt" },
	{ .name = "softirq", .kind = FILTER_NAME_FLAG, .bits = 0x10, .help = "in a soft interrupt" },
	{ .name = "nmi", .kind = FILTER_NAME_FLAG, .bits = 0x40, .help = "in a non-maskable interrupt" },
	{ .name = "irqs_off", .kind = FILTER_NAME_FLAG, .bits = 0x01, .help = "interrupts were off" },
	{ .name = "need_resched", .kind = FILTER_NAME_FLAG, .bits = 0x04, .help = "another task was to run" },
	{ .name = "preempt_count", .kind = FILTER_NAME_PREEMPT, .help = "how often preemption was switched off" },
	{ .name = "lost", .kind = FILTER_NAME_LOST, .help = "lost events, and damage" },
	{ .name = "stack", .kind = FILTER_NAME_STACK, .help = "stack contains FUNCTION: stacks with it", .told_by = is_stack,
	  .needs = "stacks: record -T records them" },
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
