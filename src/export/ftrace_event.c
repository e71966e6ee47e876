/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_event - records as messages of Perfetto's FtraceEventBundle.  Events that Perfetto knows
 * have numbers of their own; all others are described in the file.
 */
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/perfetto_private.h"
#include "src/export/proto.h"

#define MOST_FIELDS	31u		/* fields of a described event that trace_processor reads */

enum step_kind {
	STEP_NUMBER,
	STEP_FUNCTION,			/* an address; the file has the name's number */
	STEP_NUMBERS,			/* elements of an array */
	STEP_STRING,
	STEP_TEXT,			/* as text: bytes, sets of numbers */
};

struct ftrace_step {
	const struct event_field *field;
	enum step_kind	 kind;
	unsigned int	 number;	/* in its event's message */
};

/* --- what Perfetto knows ---------------------------------------------------------------------- */

/*
 * Events that Perfetto makes slices, states and counters of, and the numbers of their fields:
 * perfetto/trace/ftrace/ftrace_event.proto and the files that it includes.
 */
static const struct ftrace_known {
	const char	*name;
	unsigned int	 number;	/* in FtraceEvent */
	const char	*fields;	/* names separated by blanks, numbered from 1; -: not ours;
					 * marked with $: text; with &: address of a function, as
					 * in kKernelFunctionFields of trace_processor's
					 * ftrace_parser.cc; all others are numbers */
} list[] = {
	{ "sched_switch", 4,
	  "$prev_comm prev_pid prev_prio prev_state $next_comm next_pid next_prio" },
	{ "sched_waking", 20, "$comm pid prio success target_cpu" },
	{ "sched_wakeup", 17, "$comm pid prio success target_cpu" },
	{ "sched_wakeup_new", 114, "$comm pid prio success target_cpu" },
	{ "sched_blocked_reason", 18, "pid &caller io_wait" },
	{ "sched_process_exec", 237, "$filename pid old_pid" },
	{ "sched_process_exit", 238, "$comm pid tgid prio" },
	{ "sched_process_fork", 239, "$parent_comm parent_pid $child_comm child_pid" },
	{ "sched_process_free", 240, "$comm pid prio" },
	{ "sched_process_hang", 241, "$comm pid" },
	{ "sched_process_wait", 242, "$comm pid prio" },
	{ "sched_pi_setprio", 353, "$comm newprio oldprio pid" },
	{ "sched_migrate_task", 491, "$comm pid prio orig_cpu dest_cpu running" },
	{ "task_newtask", 235, "pid $comm clone_flags oom_score_adj" },
	{ "task_rename", 236, "pid $oldcomm $newcomm oom_score_adj" },
	{ "irq_handler_entry", 36, "irq $name" },
	{ "irq_handler_exit", 37, "irq ret" },
	{ "softirq_entry", 24, "vec" },
	{ "softirq_exit", 25, "vec" },
	{ "softirq_raise", 26, "vec" },
	{ "local_timer_entry", 559, "vector" },
	{ "local_timer_exit", 560, "vector" },
	{ "sys_enter", 329, "id args" },
	{ "sys_exit", 330, "id ret" },
	{ "print", 3, "- $buf" },
	{ "workqueue_activate_work", 56, "work &function" },
	{ "workqueue_execute_end", 57, "work &function" },
	{ "workqueue_execute_start", 58, "work &function" },
	{ "workqueue_queue_work", 59, "work &function - req_cpu cpu $workqueue" },
	{ "hrtimer_expire_entry", 553, "hrtimer now function" },
	{ "hrtimer_expire_exit", 554, "hrtimer" },
	{ "cpu_frequency", 11, "state cpu_id" },
	{ "cpu_frequency_limits", 12, "min_freq max_freq cpu_id" },
	{ "cpu_idle", 13, "state cpu_id" },
	{ "clock_set_rate", 16, "$name state cpu_id" },
	{ "clock_enable", 14, "$name state cpu_id" },
	{ "clock_disable", 15, "$name state cpu_id" },
	{ "wakeup_source_activate", 404, "$name state" },
	{ "wakeup_source_deactivate", 405, "$name state" },
	{ "device_pm_callback_start", 504, "$device $driver $parent $pm_ops event" },
	{ "device_pm_callback_end", 505, "$device $driver error" },
	{ "rpm_status", 489, "$name status" },
	{ "devfreq_frequency", 541, "$dev_name freq prev_freq busy_time total_time" },
	{ "cpuhp_enter", 345, "cpu fun idx target" },
	{ "cpuhp_multi_enter", 344, "cpu fun idx target" },
	{ "cpuhp_exit", 343, "cpu idx ret state" },
	{ "signal_generate", 325, "code $comm group pid result sig" },
	{ "signal_deliver", 324, "code sa_flags sig" },
	{ "oom_score_adj_update", 326, "$comm oom_score_adj pid" },
	{ "mark_victim", 334, "pid" },
	{ "rss_stat", 313, "member size curr mm_id" },
	{ "mm_vmscan_direct_reclaim_begin", 46, "order may_writepage gfp_flags" },
	{ "mm_vmscan_direct_reclaim_end", 47, "nr_reclaimed" },
	{ "block_io_start", 546, "dev sector nr_sector bytes ioprio $rwbs $comm $cmd" },
	{ "block_io_done", 547, "dev sector nr_sector - ioprio $rwbs $comm $cmd" },
	{ "netif_receive_skb", 360, "len $name skbaddr" },
	{ "net_dev_xmit", 361, "len $name rc skbaddr" },
	{ "napi_gro_receive_exit", 366, "ret" },
	{ "i2c_read", 27, "adapter_nr msg_nr addr flags len" },
	{ "i2c_result", 29, "adapter_nr nr_msgs ret" },
	{ "thermal_temperature", 341, "id temp temp_prev $thermal_zone" },
	{ "cdev_update", 342, "target $type" },
	{ "gpu_mem_total", 340, "gpu_id pid size" },
};

static const struct ftrace_known *find_known(const char *name)
{
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

/* The number of a field, and its mark, or NUL; 0: it has none. */
static unsigned int number_of(const struct ftrace_known *known, const char *name, char *mark)
{
	unsigned int number = 1;
	size_t len;

	for (const char *s = known->fields; *s; s += len, s += *s == ' ', number++) {
		*mark = *s == '&' || *s == '$' ? *s++ : '\0';
		len = strcspn(s, " ");
		if (len == strlen(name) && !memcmp(s, name, len))
			return number;
	}
	return 0;
}

/* --- plans ------------------------------------------------------------------------------------ */

static enum step_kind kind_of(const struct event_field *f, bool is_function)
{
	bool is_array = f->kind == FIELD_ARRAY || f->kind == FIELD_DYNAMIC_ARRAY;

	if (event_field_is_number(f))
		return is_function ? STEP_FUNCTION : STEP_NUMBER;
	if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
		return STEP_STRING;
	return is_array && field_is_number(f->element_size) && f->element_size > 1 ? STEP_NUMBERS :
										     STEP_TEXT;
}

static void add_step(struct ftrace_plan *plan, const struct event_field *field, unsigned int number,
		     enum step_kind kind)
{
	plan->steps[plan->nr++] = (struct ftrace_step){ field, kind, number };
}

/* A field of a known event, as Perfetto expects it. */
static void plan_known(struct ftrace_plan *plan, const struct ftrace_known *known,
		       const struct event_field *f)
{
	char mark = '\0';
	unsigned int number = number_of(known, f->name, &mark);
	enum step_kind kind = kind_of(f, mark == '&');

	if (number && (mark == '$') == (kind == STEP_STRING) && kind != STEP_TEXT)
		add_step(plan, f, number, kind);
}

/*
 * Events of a system call become those of all: its number, and arguments or what it returned.
 * Events that are not known are described with all their fields.
 */
static void plan_fields(struct ftrace_plan *plan, const struct ftrace_known *known, bool is_syscall)
{
	for (unsigned int i = plan->type->nr_common; i < plan->type->nr_fields; i++) {
		const struct event_field *f = &plan->type->fields[i];

		if (known && !is_syscall)
			plan_known(plan, known, f);
		else if (is_syscall && event_field_is_number(f))
			add_step(plan, f, i == plan->type->nr_common ? 1 : 2, STEP_NUMBER);
		else if (!is_syscall && plan->nr < MOST_FIELDS)
			add_step(plan, f, plan->nr + 1, kind_of(f, false));
	}
}

void ftrace_plan_init(struct perfetto *p, struct ftrace_plan *plan, const struct event_type *type,
		      unsigned int number)
{
	bool is_enter = !strncmp(type->name, "sys_enter_", 10);
	bool is_syscall = !p->raw_syscalls && !strcmp(type->system, "syscalls") &&
			  (is_enter || !strncmp(type->name, "sys_exit_", 9));
	const struct ftrace_known *known = find_known(!is_syscall ? type->name :
						      is_enter    ? "sys_enter" :
								    "sys_exit");

	*plan = (struct ftrace_plan){ .type = type, .is_described = known };
	plan->number = known ? known->number : number;
	plan->steps = mem_array(type->nr_fields + 1ul, sizeof(*plan->steps));
	plan_fields(plan, known, is_syscall);
}

/* --- descriptions ----------------------------------------------------------------------------- */

static void describe(const struct ftrace_plan *plan, struct text *out)
{
	size_t outer = proto_begin(out, BUNDLE_DESCRIPTORS), message, field;

	proto_number(out, DESCRIPTOR_NUMBER, plan->number);
	proto_string(out, DESCRIPTOR_GROUP, plan->type->system);
	message = proto_begin(out, DESCRIPTOR_EVENT);
	proto_string(out, MESSAGE_NAME, plan->type->name);
	for (unsigned int i = 0; i < plan->nr; i++) {
		const struct ftrace_step *step = &plan->steps[i];
		field = proto_begin(out, MESSAGE_FIELD);
		proto_string(out, FIELD_NAME, step->field->name);
		proto_number(out, FIELD_NUMBER, step->number);
		proto_number(out, FIELD_LABEL,
			     step->kind == STEP_NUMBERS ? LABEL_REPEATED : LABEL_OPTIONAL);
		proto_number(out, FIELD_TYPE,
			     step->kind >= STEP_STRING ? TYPE_STRING :
			     step->field->is_signed    ? TYPE_INT64 :
							 TYPE_UINT64);
		proto_end(out, field);
	}
	proto_end(out, message);
	proto_end(out, outer);
}

/* --- events ----------------------------------------------------------------------------------- */

static void add_field(struct perfetto *p, const struct ftrace_step *step,
		      const struct trace_event *event)
{
	struct text *out = &p->bundle;
	const struct event_field *f = step->field;
	struct field_span span;
	size_t start;

	switch (step->kind) {
	case STEP_NUMBER:
		proto_number(out, step->number,
			     field_u64(f, event->data, event->size, event->swap));
		break;
	case STEP_FUNCTION:
		proto_number(out, step->number,
			     packet_symbol(p, field_u64(f, event->data, event->size, event->swap)));
		break;
	case STEP_NUMBERS:
		span = field_bytes(f, event->data, event->size, event->swap);
		for (uint32_t i = 0; i < span.len / f->element_size; i++)
			proto_number(out, step->number, field_element(f, span, i, event->swap));
		break;
	case STEP_STRING:
		span = field_bytes(f, event->data, event->size, event->swap);
		proto_bytes(out, step->number, span.data, span.len);
		break;
	case STEP_TEXT:
		start = proto_begin(out, step->number);
		field_text(f, event->data, event->size, event->swap, out);
		proto_end(out, start);
		break;
	}
}

void ftrace_plan_event(struct perfetto *p, struct ftrace_plan *plan,
		       const struct trace_event *event)
{
	struct text *out = &p->bundle;
	size_t start = proto_begin(out, BUNDLE_EVENT), message;

	/* trace_processor takes any other field for an event, also common_flags */
	proto_number(out, EVENT_TIMESTAMP, (uint64_t)event->ts);
	proto_number(out, EVENT_PID, (uint32_t)event->pid);
	message = proto_begin(out, plan->number);
	for (unsigned int i = 0; i < plan->nr; i++)
		add_field(p, &plan->steps[i], event);
	proto_end(out, message);
	proto_end(out, start);
	if (!plan->is_described)
		describe(plan, &p->descriptions);
	plan->is_described = true;
}
