/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_measured - what the Latency view measures: a file, in the range, as far as filters keep
 * it.  A worker measures; figures so far are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "src/latency/latency_ends.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/call_scope.h"
#include "ui/rows/matching.h"

/* --- measuring --------------------------------------------------------------------------- */

static void drop_side(struct latency_side *side)
{
	latency_free(side->latency);
	latency_result_fini(&side->result);
	free(side->groups);
	*side = (struct latency_side){ 0 };
}

void latency_drop_culprits(struct view *v)
{
	drop_side(&v->whole);
	culprits_fini(&v->culprits);
	v->nr_summed = 0;
}

static void drop(struct view *v)
{
	drop_side(&v->rest);
	latency_drop_culprits(v);
	drop_side(&v->now);
	call_scope_drop(&v->scope);
}

static void make_kinds(const struct view *v, struct latency_kinds *kinds)
{
	latency_kinds_init(kinds);
	latency_ends_hooks(v->shared->trace, v->file, kinds);
	latency_kinds_read_text(kinds, text_str(&v->shared->pairs), "", NULL);
}

static void begin(struct view *v, struct latency_side *side)
{
	const struct range *range = &v->shared->places.range;
	bool is_rest = side == &v->rest, is_whole = side == &v->whole;
	int other = is_rest ? shared_other(v->shared, v->file) : -1;
	struct latency_options options = {
		.what = { .file = v->file, .range = { range->set, range->from, range->to },
			  .filters = v->scope.filters, .nr_filters = v->scope.nr_filters },
		.outside = is_rest && other < 0, .kinds = &v->kinds,
		.only = is_whole ? v->kind : -1, .keep = LATENCY_KEEP,
		.each = is_whole ? latency_add_culprits : NULL, .each_arg = v,
		.like = side == &v->now ? NULL : v->now.latency,
	};
	struct ft_error err = { 0 };

	if (other >= 0) {
		options.what.file = (unsigned int)other;
		options.what.range.set = shared_other_has_range(v->shared, options.what.file);
	}
	side->latency = latency_new(v->shared->trace, &options, &err);
	if (!side->latency)
		host_error(v->host, "%s", err.message);
}

/* True: there are new figures. */
static bool take(struct view *v, struct latency_side *side)
{
	if (!side->latency && matching_is_ready(&v->scope, v->shared->trace))
		begin(v, side);
	return side->latency && latency_take(side->latency, &side->result);
}

static void set_comparing(struct view *v, bool on)
{
	v->comparing = on;
	if (!on)
		drop_side(&v->rest);
}

struct sched_progress latency_sched(struct view *v)
{
	if (!v->sched)
		v->sched = shared_take_sched(v->shared, v->file);
	return sched_progress(v->sched);
}

void latency_measure(struct view *v)
{
	bool begins = !v->kinds.nr, changed;

	if (!v->shared->trace)
		return;
	if (begins) {
		make_kinds(v, &v->kinds);
		v->kind = v->kind < (int)v->kinds.nr ? v->kind : -1;
	}
	changed = call_scope_changed(v->shared, &v->key) || begins;
	if (changed) {
		drop(v);
		call_scope_take(&v->scope, v->shared, true);
	}
	if (v->comparing && !shared_can_compare(v->shared))
		set_comparing(v, false);
	changed |= take(v, &v->now);
	if (v->comparing)
		changed |= take(v, &v->rest);
	if (v->by == LATENCY_BY_CULPRIT && v->now.latency && latency_sched(v).done)
		changed |= take(v, &v->whole);
	if (changed)
		latency_update(v);
}

void latency_compare(struct view *v)
{
	if (!v->table.lists[1])
		host_message(v->host, "kinds and groups of instances compare: o a, or +");
	else if (table_compare(&v->table))
		set_comparing(v, v->table.comparing);
	latency_measure(v);
	latency_update(v);
}

void latency_show(struct view *v, int kind, enum latency_by by, unsigned int nr_levels)
{
	if (!v->whole.result.done)
		latency_drop_culprits(v);	/* its worker reads the levels */
	while (v->nr_levels > nr_levels)
		text_fini(&v->levels[--v->nr_levels].name);
	v->kind = kind;
	v->by = by;
	table_home(&v->table);
}

void latency_forget(struct view *v)
{
	drop(v);
	shared_give_sched(v->shared, v->sched);
	v->sched = NULL;
	latency_kinds_fini(&v->kinds);
	text_clear(&v->key);
	table_fini(&v->table);
}

int latency_pair(struct view *v, const char *pair, struct ft_error *err)
{
	struct latency_options options = { .what.file = v->file };
	struct latency *latency = NULL;
	struct latency_kinds kinds;

	make_kinds(v, &kinds);
	options.kinds = &kinds;
	options.only = (int)kinds.nr;
	if (!latency_kinds_add(&kinds, pair, true, err))
		latency = latency_new(v->shared->trace, &options, err);
	latency_free(latency);
	latency_kinds_fini(&kinds);
	if (!latency)
		return -1;
	text_printf(&v->shared->pairs, "pair %s\n", pair);
	latency_forget(v);
	latency_show(v, -1, LATENCY_INSTANCES, 0);
	v->table.here = (uint64_t)options.only;
	v->table.has_here = true;
	latency_measure(v);
	return 0;
}

void latency_show_file(struct view *v, unsigned int file)
{
	latency_forget(v);
	latency_show(v, -1, LATENCY_INSTANCES, 0);
	v->file = file;
	latency_measure(v);
}
