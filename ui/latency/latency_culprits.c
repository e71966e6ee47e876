/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_culprits - what CPUs did while tasks waited for them, summed over a list of instances; in
 * slices of the main loop.
 */
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

#define MOST_INSTANCES	(1u << 20)	/* 64 MB; as ftop-trace latency --culprits */

struct sched_progress latency_sched(struct view *v)
{
	if (!v->sched)
		v->sched = shared_take_sched(v->shared, v->file);
	return sched_progress(v->sched);
}

/* --- the pass ------------------------------------------------------------------------------- */

static void forget_all(struct latency_culprits *c)
{
	latency_free(c->all);
	latency_result_fini(&c->of_all);
	c->all = NULL;
}

void latency_culprits_forget(struct view *v)
{
	struct latency_culprits *c = &v->culprits;

	forget_all(c);
	culprits_fini(&c->sums);
	free(c->has);
	c->has = NULL;
	c->running = false;
}

void latency_culprits_begin(struct view *v)
{
	struct latency_culprits *c = &v->culprits;
	const struct latency_kind *kind = latency_kind_shown(v);

	if (v->in_group && kind) {
		free(c->has);
		c->has = mem_array(kind->nr_worst + 1, sizeof(*c->has));
	} else {
		latency_culprits_forget(v);
		c->instances = 0;
		c->stopped = c->some = v->in_group = false;
	}
	c->next = 0;
	c->inside = false;
	c->running = c->redraw = true;
	host_work(v->host);
}

/* The list that the pass is over; NULL: it is not measured yet. */
static const struct latency_kind *listed(struct view *v)
{
	struct latency_culprits *c = &v->culprits;
	const struct latency_kind *kind = latency_kind_shown(v);

	if (!kind || !v->result.done || kind->all || v->in_group)
		return v->result.done ? kind : NULL;
	if (!c->of_all.nr) {
		latency_begin(v, &c->all, false, v->kind, MOST_INSTANCES);
		if (!c->all || !latency_is_done(c->all))
			return NULL;
		latency_take(c->all, &c->of_all);
	}
	return &c->of_all.kinds[v->kind];
}

/* Doubtful instances are in no sum. */
static bool is_wanted(const struct latency_culprits *c, const struct latency_instance *i)
{
	return !(i->flags & LATENCY_DOUBTFUL) &&
	       (!c->within || latency_group_key(i, c->from) == c->group);
}

/* The next instance, or of one the next part.  False: there are no more. */
static bool step(struct view *v, const struct latency_kind *kind)
{
	struct latency_culprits *c = &v->culprits;
	const struct latency_instance *i;
	struct cpu_part part;

	if (c->inside) {
		c->inside = cpu_parts_next(&c->parts, &part);
		if (c->inside && !v->in_group)
			culprits_add(&c->sums, &part);
		else if (c->inside && culprits_same(&part, &c->of))
			c->inside = !(c->has[c->next - 1] = true);
		return true;
	}
	if (c->next == kind->nr_worst)
		return false;
	i = &kind->worst[c->next++];
	c->inside = is_wanted(c, i) &&
		    cpu_parts_begin_at(&c->parts, v->sched, i->to, i->start, i->end);
	c->instances += c->inside && !v->in_group;
	return true;
}

bool latency_culprits_work(struct view *v, int64_t ns)
{
	struct latency_culprits *c = &v->culprits;
	const struct latency_kind *kind = c->running && latency_sched(v).done ? listed(v) : NULL;
	int64_t until = workers_now_ns() + ns;

	if (!kind)
		return false;
	while (c->running && workers_now_ns() < until)
		c->running = step(v, kind);
	c->permille = kind->nr_worst ? (unsigned int)(1000ull * c->next / kind->nr_worst) : 0;
	if (!c->running && !v->in_group) {
		c->some = !kind->all;
		culprits_sort(&c->sums);
		forget_all(c);
	}
	c->redraw = c->running;
	if (!c->running)
		latency_update(v);
	return c->running;
}

bool latency_culprits_stop(struct view *v)
{
	struct latency_culprits *c = &v->culprits;

	if (!c->running || v->by != LATENCY_BY_CULPRIT || v->in_group)
		return false;
	forget_all(c);
	c->running = false;
	c->stopped = true;
	return true;
}

/* --- words ---------------------------------------------------------------------------------- */

void latency_culprits_progress(struct view *v, struct text *out)
{
	if (v->culprits.running && !v->in_group)
		text_printf(out, "Esc stops; %u %% known: what the CPUs did meanwhile",
			    v->culprits.permille / 10);
}

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
	if (c->all && !c->of_all.nr) {
		text_add(out, "Measuring all instances …");
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
	text_printf(out, "%s%s: what the CPUs did meanwhile%s", c->some ? ", the worst ones" : "",
		    c->stopped ? ", stopped there" : "",
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

static const struct culprit *culprit(const void *owner, uint32_t row)
{
	return &((const struct view *)owner)->culprits.sums.list[row];
}

static uint32_t nr_rows(const void *owner)
{
	return ((const struct view *)owner)->culprits.sums.nr;
}

static uint64_t key(const void *owner, uint32_t row)
{
	const struct cpu_part *part = &culprit(owner, row)->part;

	return (uint64_t)part->kind << 32 | part->arg;
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	latency_culprit_name(owner, &culprit(owner, row)->part, out);
}

static const void *row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct culprit_row *out = (struct culprit_row *)made->room;

	*out = (struct culprit_row){ culprit(v, row), v->sched, v->culprits.sums.total,
				     shared_clock(v->shared) };
	return out;
}

static enum role name_role(const void *owner, uint32_t row, bool *is_task)
{
	struct text name = { 0 };
	enum role role;

	*is_task = culprit(owner, row)->part.kind == CPU_PART_TASK;
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
