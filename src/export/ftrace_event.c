/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_event - records as messages of Perfetto's FtraceEventBundle.  Events that Perfetto knows
 * have numbers of their own; all others are described in the file.
 */
#include <string.h>

#include "parsers/source/record_bound.h"
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
 * Events that Perfetto makes slices, states and counters of: they are written as its own, by the
 * numbers that parsers/perfetto/ftrace.events has.
 */
static const char *const own[] = {
	"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
	"sched_blocked_reason", "sched_process_exec", "sched_process_exit", "sched_process_fork",
	"sched_process_free", "sched_process_hang", "sched_process_wait", "sched_pi_setprio",
	"sched_migrate_task", "task_newtask", "task_rename", "irq_handler_entry",
	"irq_handler_exit", "softirq_entry", "softirq_exit", "softirq_raise",
	"local_timer_entry", "local_timer_exit", "sys_enter", "sys_exit", "print",
	"workqueue_activate_work", "workqueue_execute_end", "workqueue_execute_start",
	"workqueue_queue_work", "hrtimer_expire_entry", "hrtimer_expire_exit", "cpu_frequency",
	"cpu_frequency_limits", "cpu_idle", "clock_set_rate", "clock_enable", "clock_disable",
	"wakeup_source_activate", "wakeup_source_deactivate", "device_pm_callback_start",
	"device_pm_callback_end", "rpm_status", "devfreq_frequency", "cpuhp_enter",
	"cpuhp_multi_enter", "cpuhp_exit", "signal_generate", "signal_deliver",
	"oom_score_adj_update", "mark_victim", "rss_stat", "mm_vmscan_direct_reclaim_begin",
	"mm_vmscan_direct_reclaim_end", "block_io_start", "block_io_done", "netif_receive_skb",
	"net_dev_xmit", "napi_gro_receive_exit", "i2c_read", "i2c_result", "thermal_temperature",
	"cdev_update", "gpu_mem_total",
};

/*
 * An event may lack fields that the kernel's event of this name has: a custom one does.  Perfetto
 * would show 0 for these, so it gets a generic event instead.
 */
static const struct perfetto_type *find_known(const struct perfetto *p, const char *name,
					      const struct event_type *type)
{
	const struct perfetto_type *known = NULL;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && !known; i++)
		if (!strcmp(own[i], name))
			known = perfetto_types_named(&p->known, name);
	if (!known || !strcmp(type->system, "syscalls"))
		return known;
	/* the kernel's has all that its version has */
	for (unsigned int i = 0; i < (strcmp(type->system, known->system) ? known->nr_fields : 1);
	     i++)
		if (!event_type_field(type, known->fields[i].name))
			return NULL;
	return known;
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
static void plan_known(struct ftrace_plan *plan, const struct perfetto_type *known,
		       const struct event_field *f)
{
	const struct perfetto_field *field = perfetto_type_field(known, f->name);
	enum step_kind kind = kind_of(f, field && field->kind == PERFETTO_FUNCTION);

	if (field && perfetto_field_is_text(field) == (kind == STEP_STRING) && kind != STEP_TEXT)
		add_step(plan, f, field->number, kind);
}

/*
 * Events of a system call become those of all: its number, and arguments or what it returned.
 * Events that are not known are described with all their fields.
 */
static void plan_fields(struct ftrace_plan *plan, const struct perfetto_type *known,
			bool is_syscall)
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
	const struct perfetto_type *known = find_known(p,
						       !is_syscall ? type->name :
						       is_enter    ? "sys_enter" :
								     "sys_exit",
						       type);

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
	for (unsigned int i = 0; i < plan->nr && out->len - message < RECORD_TEXT_BYTES; i++)
		add_field(p, &plan->steps[i], event);
	proto_end(out, message);
	proto_end(out, start);
	if (!plan->is_described)
		describe(plan, &p->descriptions);
	plan->is_described = true;
}
