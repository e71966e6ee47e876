/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_culprits - what CPUs did while tasks waited for them, summed over all instances. */

#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

struct sched_progress latency_sched(struct view *v)
{
	if (!v->sched)
		v->sched = shared_take_sched(v->shared, v->file);
	return sched_progress(v->sched);
}

/* --- the pass ------------------------------------------------------------------------------- */

void latency_culprits_end(struct view *v)
{
	latency_free(v->culprits.latency);
	v->culprits.latency = NULL;
	v->culprits.running = false;
}

void latency_culprits_forget(struct view *v)
{
	latency_culprits_end(v);
	culprits_fini(&v->culprits.sums);
	latency_result_fini(&v->culprits.chosen);
}

void latency_culprits_begin(struct view *v)
{
	struct latency_culprits *c = &v->culprits;

	latency_culprits_end(v);
	latency_result_fini(&c->chosen);
	c->choosing = v->in_group;
	if (!c->choosing) {
		culprits_fini(&c->sums);
		c->instances = 0;
	}
	c->running = true;
}

/* Doubtful instances are in no sum. */
static bool is_wanted(const struct latency_culprits *c, const struct latency_instance *i)
{
	return !(i->flags & LATENCY_DOUBTFUL) &&
	       (!c->within || latency_group_key(i, c->from) == c->group);
}

bool latency_culprits_see(void *view, struct latency *latency, unsigned int kind,
			  const struct latency_instance *i)
{
	struct view *v = view;
	struct latency_culprits *c = &v->culprits;
	struct cpu_parts parts;
	struct cpu_part part;

	(void)latency;
	(void)kind;
	if (!is_wanted(c, i))
		return false;
	if (!c->choosing) {
		c->instances += culprits_add_all(&c->sums, v->sched, i->to, i->start, i->end);
		return false;
	}
	if (cpu_parts_begin_at(&parts, v->sched, i->to, i->start, i->end))
		while (cpu_parts_next(&parts, &part))
			if (part.kind == c->of.kind && part.arg == c->of.arg)
				return true;
	return false;
}

bool latency_culprits_measure(struct view *v)
{
	struct latency_culprits *c = &v->culprits;

	if (!c->running || !latency_sched(v).done)
		return false;
	latency_begin(v, &c->latency);
	if (!c->latency || !latency_take(c->latency, &c->chosen))
		return false;
	if (c->chosen.done) {
		latency_culprits_end(v);
		culprits_sort(&c->sums);
	}
	return true;
}

/* --- words ---------------------------------------------------------------------------------- */

/* "sh-78: 9 instances: what the CPUs did meanwhile" */
void latency_culprits_title(struct view *v, struct text *out)
{
	const struct latency_culprits *c = &v->culprits;
	const struct latency_kind *kind = latency_kind_shown(v);
	const struct sched_progress progress = latency_sched(v);
	uint32_t i = 0;

	if (!progress.done) {
		text_printf(out, "%u %% read: what the CPUs did", progress.permille / 10);
		return;
	}
	if (c->running) {
		text_add(out, "What the CPUs did meanwhile: summing up …");
		return;
	}
	while (c->within && i < kind->nr_worst && !is_wanted(c, &kind->worst[i]))
		i++;
	if (c->within && i < kind->nr_worst) {
		latency_group_name(v, &kind->worst[i], c->from, out);
		text_add(out, ": ");
	}
	text_count(out, c->instances);
	text_add(out, c->instances == 1 ? " instance" : " instances");
	text_printf(out, ": what the CPUs did meanwhile%s",
		    progress.full ? "; the end of the trace had no room" : "");
}

void latency_culprit_name(const struct view *v, const struct cpu_part *part, struct text *out)
{
	struct text name = { 0 };

	cpu_part_text(v->sched, part, &name);
	text_printable(out, text_str(&name), name.len);
	text_fini(&name);
}

/* --- the table ------------------------------------------------------------------------------ */

static const struct why_node *culprit(const void *owner, uint32_t row)
{
	return &((const struct view *)owner)->culprits.sums.list[row];
}

static uint32_t nr_rows(const void *owner)
{
	const struct latency_culprits *c = &((const struct view *)owner)->culprits;

	return c->running ? 0 : c->sums.nr;
}

static uint64_t key(const void *owner, uint32_t row)
{
	return (uint64_t)culprit(owner, row)->kind << 32 | culprit(owner, row)->arg;
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	struct cpu_part part = culprits_longest(culprit(owner, row));

	latency_culprit_name(owner, &part, out);
}

static const void *row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct culprit_row *out = (struct culprit_row *)made->room;

	*out = (struct culprit_row){ culprit(v, row), v->sched, v->culprits.sums.total };
	return out;
}

static enum role name_role(const void *owner, uint32_t row, bool *is_task)
{
	struct text name = { 0 };
	enum role role;

	*is_task = culprit(owner, row)->kind == CPU_PART_TASK;
	add_name(owner, row, &name);
	role = *is_task ? row_hash_role(text_str(&name)) : ROLE_TEXT;
	text_fini(&name);
	return role;
}

const struct table_ops latency_culprit_ops = {
	.nr_rows = nr_rows,
	.key = key,
	.name = add_name,
	.row = row,
	.name_role = name_role,
	.enter = latency_enter,
	.figure_word = "the time",
	.found_word = "culprit",
};
