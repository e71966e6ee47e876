/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_latency - what src/latency measures, one by one: latency, irq_slice, softirq_slice, and
 * slices of system calls and of markers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/export/tables_private.h"
#include "src/latency/latency.h"

#define LABELS	16384u			/* that are remembered */

struct label {				/* what instances with the same number are */
	uint64_t	label;
	uint32_t	rule;		/* and kind << 8 */
	char		*text;		/* owned */
};

struct latency_table {
	struct tables	*t;
	struct latency_kinds kinds;
	struct latency	*latency;	/* borrowed, of the second pass */
	struct latency_result sums;	/* of a first pass: rules that do not count; zeroed: none */
	struct label	*labels;	/* owned, [LABELS] by a hash: the last one with it */
};

/* --- what an instance is -------------------------------------------------------------------- */

/* Has each instance a text of its own, which its records tell? */
static bool has_own_text(const struct latency_table *r, unsigned int kind,
			 const struct latency_instance *i)
{
	const struct latency_rule *rule = &r->kinds.rules[i->rule];

	if (kind < LATENCY_OWN_KINDS)
		return kind == LATENCY_WAKEUP || kind == LATENCY_PREEMPTED;
	return rule->late[0] || (!rule->label && rule->what && strchr(rule->what, '{') &&
				 !strstr(rule->what, "{*}"));
}

static void make_text(struct latency_table *r, unsigned int kind, const struct latency_instance *i)
{
	struct text *out = &r->t->text;
	uint32_t pid = (uint32_t)i->label;
	struct trace_event event;

	text_clear(out);
	if (kind == LATENCY_WAKEUP || (kind == LATENCY_PREEMPTED && !latency_limit(i)))
		text_printf(out, "%s-%" PRIu32, tables_comm(r->t, pid, i->start), pid);
	else if (kind != LATENCY_BLOCKED && kind != LATENCY_SLEEP)
		latency_what(r->latency, kind, i, false, out);
	else if (trace_event_at(r->t->trace, i->from, &event))
		trace_event_task_state(r->t->trace, &event, i->label, out);
}

/* Valid until the next call. */
static const char *text_of(struct latency_table *r, unsigned int kind,
			   const struct latency_instance *i)
{
	uint32_t rule = i->rule | kind << 8;
	struct label *l = &r->labels[index_map_hash_pair(i->label, rule) % LABELS];

	if (has_own_text(r, kind, i)) {
		make_text(r, kind, i);
		return text_str(&r->t->text);
	}
	if (!l->text || l->label != i->label || l->rule != rule) {
		make_text(r, kind, i);
		free(l->text);
		*l = (struct label){ i->label, rule, mem_strdup(text_str(&r->t->text)) };
	}
	return l->text;
}

/* --- rows ----------------------------------------------------------------------------------- */

static struct cell duration_of(const struct latency_instance *i)
{
	return cell_int_if(!(i->flags & LATENCY_OPEN), (int64_t)latency_duration(i));
}

static struct cell cpu_of(const struct latency_instance *i)
{
	return cell_int_if(i->cpu != UINT16_MAX, i->cpu);
}

static void add_irq(struct latency_table *r, enum tables_table table,
		    const struct latency_instance *i, const char *name)
{
	bool is_irq = table == IRQ_SLICE;
	struct trace_event event = { 0 };

	trace_event_at(r->t->trace, i->from, &event);
	tables_row(r->t, table, i->start, duration_of(i), cpu_of(i),
		   tables_number(&event, is_irq ? "irq" : "vec"),
		   cell_string(is_irq ? name + strlen("irq ") : name),
		   cell_int(!!(i->flags & LATENCY_DOUBTFUL)));
}

static void add(struct latency_table *r, unsigned int kind, const struct latency_instance *i)
{
	const char *name = text_of(r, kind, i), *kind_name = r->kinds.names[kind];
	bool is_call = !strcmp(kind_name, "syscall");

	if (!strcmp(kind_name, "irq"))
		add_irq(r, IRQ_SLICE, i, name);
	else if (!strcmp(kind_name, "softirq") && !strcmp(r->kinds.rules[i->rule].label, "vec"))
		add_irq(r, SOFTIRQ_SLICE, i, name);
	else if (is_call || !strcmp(kind_name, "marker"))
		tables_row(r->t, SLICE, i->start, duration_of(i), cpu_of(i), cell_int(i->pid),
			   cell_name(kind_name), cell_string(name), cell_int_if(is_call, 0),
			   cell_null());
	tables_row(r->t, LATENCY, i->start, duration_of(i), cell_name(kind_name), cell_string(name),
		   cpu_of(i), cell_int(i->pid), cell_name(tables_comm(r->t, i->pid, i->start)),
		   cell_int_if(i->flags & LATENCY_HAS_VALUE, i->value),
		   cell_int(!!(i->flags & LATENCY_DOUBTFUL)));
}

static bool see(void *arg, struct latency *latency, unsigned int kind,
		const struct latency_instance *i)
{
	struct latency_table *r = arg;

	r->latency = latency;
	add(r, kind, i);
	return false;
}

/* Are there events of a rule that may count instead of others (`or`)? */
static bool has_choice(struct trace *trace, const struct latency_kinds *kinds)
{
	struct text name = { 0 };
	bool has = false;

	for (unsigned int i = 0; i < kinds->nr_rules && !has; i++) {
		const struct latency_event *start = &kinds->rules[i].ends[0];

		if (!kinds->rules[i].otherwise)
			continue;
		text_clear(&name);
		text_printf(&name, "%s%s%s", start->system ? start->system : "",
			    start->system ? ":" : "", start->name);
		has = strchr(start->name, '*') || trace_has_event(trace, 0, text_str(&name));
	}
	text_fini(&name);
	return has;
}

int tables_latency(struct tables *t, struct ft_error *err)
{
	struct latency_table r = { .t = t, .labels = mem_array(LABELS, sizeof(*r.labels)) };
	struct latency_options options = { .kinds = &r.kinds, .only = -1 };
	struct sched_rows *states = tables_sched(t);
	struct latency *latency;
	int ret = 0;

	latency_kinds_init(&r.kinds);
	latency_kinds_hooks(&r.kinds, t->trace, 0);
	if (has_choice(t->trace, &r.kinds)) {
		latency = latency_run(t->trace, &options, &r.sums, err);
		ret = latency ? 0 : -1;
		latency_free(latency);
	}
	options.each = see;
	options.each_arg = &r;
	options.without = r.sums.replaced;
	options.also = tables_sched_pass(states);
	latency = ret ? NULL : latency_run(t->trace, &options, &r.sums, err);
	ret = tables_sched_end(states, latency ? latency_pass(latency) : NULL, err);
	latency_free(latency);
	latency_result_fini(&r.sums);
	for (unsigned int i = 0; i < LABELS; i++)
		free(r.labels[i].text);
	free(r.labels);
	latency_kinds_fini(&r.kinds);
	return ret;
}
