/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_text - what an instance is, in words: the templates of rules, filled in from its
 * records.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/events/template.h"
#include "src/latency/latency_private.h"
#include "parsers/source/source.h"
#include "src/sched/sched_cause.h"
#include "src/sched/limits/sched_limits.h"
#include "src/trace/syscall_names.h"

/* "caller=" or "caller ", and what follows up to a blank or a bracket, in the text of a record. */
static void find_in_text(const char *text, const char *name, size_t len, struct text *out)
{
	for (const char *at = text; (at = strpbrk(at, "= ")); at++) {
		size_t before = (size_t)(at - text);

		if (before < len || memcmp(at - len, name, len) ||
		    (before > len && !strchr(" [(,", at[-(ptrdiff_t)len - 1])))
			continue;
		at += 1 + (*at == ' ' ? strspn(at + 1, " ") : 0);
		text_bytes(out, at, strcspn(at, " ],\n"));
		return;
	}
}

/* A field of a record as its event prints it; ? if there is no such record. */
static void add_field(struct latency *l, trace_ref ref, const struct template_part *part,
		      const char *name, struct text *out)
{
	size_t len = part->name_len - (size_t)(name - part->name);
	struct trace_field_value *fields;
	const struct text *printed;
	struct text text = { 0 };
	struct trace_event event;
	unsigned int nr, i = 0;
	uint64_t device;

	if (ref == TRACE_REF_NONE || !trace_event_at(l->trace, ref, &event) || !event.type) {
		text_char(out, '?');
		return;
	}
	nr = trace_event_fields(l->trace, &event, &fields);
	while (i < nr && (strncmp(fields[i].name, name, len) != 0 || fields[i].name[len]))
		i++;
	if (i < nr && latency_rule_hides(name, len, strtoull(text_str(&fields[i].raw), NULL, 0))) {
		text_char(out, '?');
	} else if (i < nr && !strcmp(fields[i].type, "dev_t")) {
		device = strtoull(text_str(&fields[i].raw), NULL, 10);
		text_printf(out, "%" PRIu64 ",%" PRIu64, device >> 20, device & 0xfffff);
	} else if (i < nr) {
		printed = fields[i].printed.len ? &fields[i].printed : &fields[i].raw;
		if (printed == &fields[i].raw && template_how_is(part, "call"))
			text_add(out, "NR ");
		text_bytes(out, text_str(printed), printed->len);
	} else if (part->how_len && !template_how_is(part, "call")) {
		text_bytes(out, part->how, part->how_len);
	} else {
		trace_event_text(l->trace, &event, NULL, TRACE_TEXT_KERNEL, &text);
		find_in_text(text_str(&text), name, len, out);
	}
	trace_fields_free(fields, nr);
	text_fini(&text);
}

/* What a system call returned: an error by its name, an address in hex. */
static void add_value(const struct latency_instance *i, struct text *out)
{
	const char *error = text_error_name(i->value);

	if (error)
		text_add(out, error);
	else if (i->value > INT32_MAX || i->value < INT32_MIN)
		text_printf(out, "0x%" PRIx64, (uint64_t)i->value);
	else
		text_printf(out, "%" PRId64, i->value);
}

/* The call of a 32-bit program, by its number: known while it is surely that. */
static void add_call_of_32(struct latency *l, const struct task_of_32 *task,
			   const struct latency_instance *i, struct text *out)
{
	const char *uname = source_info(trace_file_of(l->trace, l->options.what.file))->uname;
	bool sure = i->start >= atomic_load(&task->first) && i->start <= atomic_load(&task->last);
	char *name = sure ? syscall_names_name_of_32(uname, (int)i->label) : NULL;

	if (name)
		text_add(out, name);
	else
		text_printf(out, "NR %" PRIu64, i->label);
	free(name);
}

static void fill_in(struct latency *l, const char *template, const struct latency_instance *i,
		    struct text *out)
{
	bool has_label = l->options.kinds->rules[i->rule].label;
	const struct task_of_32 *of_32 = l->rules[i->rule].is_numbered ?
						 latency_task_of_32(l, i->pid) :
						 NULL;
	struct template_part part;

	while (template && template_next(&template, &part)) {
		bool of_end = part.name && *part.name == '>';

		text_bytes(out, part.text, part.text_len);
		if (template_name_is(&part, "*"))	/* see sched_pair_end.label */
			text_add(out,
				 name_table_text(l->names, (uint32_t)(has_label ? i->label >> 32 :
										  i->label)));
		else if (template_name_is(&part, ">ret") && (i->flags & LATENCY_HAS_VALUE))
			add_value(i, out);
		else if (of_32 && part.name && template_how_is(&part, "call"))
			add_call_of_32(l, of_32, i, out);
		else if (part.name)
			add_field(l, of_end ? i->to : i->from, &part, part.name + of_end, out);
	}
}

void latency_state(struct latency *l, const struct latency_instance *i, struct text *out)
{
	struct trace_event event;

	if (trace_event_at(l->trace, i->from, &event))
		trace_event_task_state(l->trace, &event, i->label, out);
}

/* The letters of a state, and the function that the task was in, where records tell it. */
static void add_state(struct latency *l, const struct latency_instance *i, struct text *out)
{
	struct text function = { 0 };

	latency_state(l, i, out);
	if (!atomic_load(&l->ends->has_calls) && !atomic_load(&l->ends->has_stacks))
		return;
	if (sched_cause_slept_in(l->trace, i->from, (int)i->pid, atomic_load(&l->ends->has_calls),
				 &function))
		text_printf(out, " in %s", text_str(&function));
	text_fini(&function);
}

void latency_context(struct latency *l, const struct latency_instance *i, struct text *out)
{
	if (i->context)
		sched_interrupts_text(l->trace, l->options.what.file, l->passes[0], l->names,
				      i->context, out);
}

/* The task and the interrupt that woke it, or the task that preempted it. */
static void add_waker(struct latency *l, const struct latency_instance *i, struct text *out)
{
	struct text context = { 0 };

	latency_context(l, i, &context);
	sched_interrupts_add_waker(i->context ? text_str(&context) : NULL,
				   i->label > INT32_MAX ?
					   NULL :
					   latency_comm(l, (uint32_t)i->label, i->start),
				   (uint32_t)i->label, out);
	text_fini(&context);
}

bool latency_lock(const struct latency *l, const struct latency_instance *i, struct lock_wait *wait)
{
	return l->options.kinds->rules[i->rule].locks && lock_reader_read(l->locks, i->from, wait);
}

/* "mutex prog+0x4060 of server-812"; @more: where it was taken, and how the wait failed */
static void add_lock(struct latency *l, const struct latency_instance *i, bool more,
		     struct text *out)
{
	const char *error = i->flags & LATENCY_HAS_VALUE ? text_error_name(i->value) : NULL;
	struct text function = { 0 };
	struct text name = { 0 };
	struct lock_wait wait;

	if (!lock_reader_name(l->locks, i->from, &wait, &name))
		text_char(out, '?');
	else
		text_printf(out, "%s %s", lock_wait_type(&wait), text_str(&name));
	if (more && name.len &&
	    sched_cause_called_in(l->trace, i->from, (int)i->pid, wait.type <= LOCK_PI, &function))
		text_printf(out, " in %s", text_str(&function));
	if (more && error)
		text_printf(out, " = %s", error);
	text_fini(&function);
	text_fini(&name);
}

/* When groups were throttled may be inferred. */
static void add_limit(const struct sched_limits *limits, uint32_t limit, struct text *out)
{
	if (limit >= SCHED_LIMIT_GROUP && !sched_limits_are_exact(limits))
		text_char(out, '~');
	sched_limits_text(limits, limit, out);
}

/* " (8.999 ms off the CPU left out)" */
static void add_gap_cut(const struct latency_instance *i, struct text *out)
{
	struct text cell = { 0 };

	text_duration(&cell, i->gap_cut);
	text_add(out, " (");
	text_trimmed(out, &cell);
	text_add(out, " off the CPU left out)");
	text_fini(&cell);
}

void latency_what(struct latency *l, unsigned int kind, const struct latency_instance *i, bool more,
		  struct text *out)
{
	const struct latency_rule *rule = &l->options.kinds->rules[i->rule];
	/* a listener may ask before the pass has ended */
	const struct sched_pass *states = l->has_sched ? l->sched : l->pass;

	if (kind == LATENCY_CALL) {
		trace_function_name(l->trace, l->options.what.file, i->label, out);
		if (more && i->gap_cut)
			add_gap_cut(i, out);
	} else if (kind == LATENCY_PREEMPTED && latency_limit(i)) {
		add_limit(sched_pass_limits(states), latency_limit(i) - 1, out);
	} else if (kind == LATENCY_WAKEUP || kind == LATENCY_PREEMPTED) {
		if (more || i->label > INT32_MAX)
			add_waker(l, i, out);
		else
			text_printf(out, "%s-%" PRIu64,
				    latency_comm(l, (uint32_t)i->label, i->start), i->label);
	} else if (kind < LATENCY_OWN_KINDS) {
		add_state(l, i, out);
	} else if (i->flags & LATENCY_BY_HOST) {
		host_stay_text(l->vcpus, i->cpu, (enum sched_state)(i->label & 0xff),
			       (uint32_t)(i->label >> 8), i->start, out);
	} else {
		if (rule->locks)
			add_lock(l, i, more, out);
		else if (!rule->what)
			text_add(out, l->options.kinds->names[kind]);
		fill_in(l, rule->what, i, out);
		if (more && !(i->flags & LATENCY_OPEN))
			fill_in(l, rule->more, i, out);
		if (more && i->flags & LATENCY_AGAIN)
			text_printf(out, ", %s", rule->again_word);
	}
}
