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
	free(side->groups.list);
	*side = (struct latency_side){ 0 };
}

static void drop(struct view *v)
{
	drop_side(&v->rest);
	latency_culprits_forget(v);
	drop_side(&v->now);
	call_scope_drop(&v->scope);
}

static void make_kinds(const struct view *v, struct latency_kinds *kinds)
{
	latency_kinds_init(kinds);
	latency_ends_hooks(v->shared->trace, v->file, kinds);
	latency_kinds_read_text(kinds, text_str(&v->shared->pairs), "", NULL);
}

void latency_begin(struct view *v, struct latency **latency)
{
	const struct range *range = &v->shared->places.range;
	bool culprits = latency == &v->culprits.latency, outside = latency == &v->rest.latency;
	struct latency_options options = {
		.what = { .file = v->file, .range = { range->set, range->from, range->to },
			  .filters = v->scope.filters, .nr_filters = v->scope.nr_filters },
		.outside = outside, .kinds = &v->kinds, .only = culprits ? v->kind : -1,
		.keep = LATENCY_KEEP, .like = latency == &v->now.latency ? NULL : v->now.latency,
		.each = culprits ? latency_culprits_see : NULL, .each_arg = v,
	};
	int other = outside ? shared_other(v->shared, v->file) : -1;
	struct ft_error err = { 0 };

	if (other >= 0) {
		options.what.file = (unsigned int)other;
		options.outside = false;
		options.what.range.set = shared_other_has_range(v->shared, options.what.file);
	}
	if (*latency || !matching_is_ready(&v->scope, v->shared->trace))
		return;
	*latency = latency_new(v->shared->trace, &options, &err);
	if (!*latency)
		host_error(v->host, "%s", err.message);
}

static void set_comparing(struct view *v, bool on)
{
	v->tables[LATENCY_TABLE_KINDS].comparing = v->tables[LATENCY_TABLE_GROUPS].comparing = on;
	if (!on)
		drop_side(&v->rest);
}

void latency_measure(struct view *v)
{
	struct table *kinds = &v->tables[LATENCY_TABLE_KINDS];
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
	if (changed && v->by == LATENCY_BY_CULPRIT) {
		v->in_group = false;
		latency_culprits_begin(v);
	}
	if (kinds->comparing && !shared_can_compare(v->shared))
		set_comparing(v, false);
	latency_begin(v, &v->now.latency);
	changed |= v->now.latency && latency_take(v->now.latency, &v->now.result);
	changed |= v->now.latency && latency_culprits_measure(v);
	if (kinds->comparing) {
		latency_begin(v, &v->rest.latency);
		changed |= v->rest.latency && latency_take(v->rest.latency, &v->rest.result);
	}
	if (changed)
		latency_update(v);
}

void latency_compare(struct view *v)
{
	struct table *table = latency_table(v);

	if (!table->lists[1])
		host_message(v->host, "kinds and groups of instances compare: o a, or +");
	else if (table_compare(table))
		set_comparing(v, table->comparing);
	latency_measure(v);
	latency_update(v);
}

void latency_forget(struct view *v)
{
	drop(v);
	shared_give_sched(v->shared, v->sched);
	v->sched = NULL;
	latency_kinds_fini(&v->kinds);
	text_clear(&v->key);
	for (unsigned int i = 0; i < LATENCY_TABLES; i++) {
		table_fini(&v->tables[i]);
		table_home(&v->tables[i]);
	}
	v->kind = -1;
	v->by = LATENCY_INSTANCES;
	v->in_group = v->entered = false;
}

int latency_pair(struct view *v, const char *pair, struct ft_error *err)
{
	struct table *table = &v->tables[LATENCY_TABLE_KINDS];
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
	table->here = (uint64_t)options.only;
	table->has_here = true;
	latency_measure(v);
	return 0;
}

void latency_show_file(struct view *v, unsigned int file)
{
	latency_forget(v);
	v->file = file;
	latency_measure(v);
}

/* --- rows --------------------------------------------------------------------------------- */

/* The cursor begins on calls, else on wake-ups, else on the first row. */
static void select_first(struct view *v)
{
	struct table *table = &v->tables[LATENCY_TABLE_KINDS];

	for (unsigned int i = 0; i < v->now.result.nr && i <= LATENCY_WAKEUP; i++)
		if (latency_has_any(&v->now.result.kinds[i].sums)) {
			table_select_key(table, i);
			table->has_here = false;
			return;
		}
}

void latency_update(struct view *v)
{
	struct table *table = latency_table(v);

	shared_spans(v->shared, v->file, table->span);
	if (latency_shown(v) == LATENCY_TABLE_GROUPS) {
		latency_groups_make(&v->now.groups, latency_kind_shown(v), v->by);
		latency_groups_make(&v->rest.groups,
				    v->rest.result.nr && v->rest.result.kinds[v->kind].all ?
					    &v->rest.result.kinds[v->kind] :
					    NULL,
				    v->by);
	}
	table->lacks = (v->kind == LATENCY_WAKEUP ? 0 : LATENCY_OF_WAKEUPS) |
		       (v->kind == LATENCY_CALL ? 0 : LATENCY_OF_CALLS);
	table_update(table);
	if (v->kind < 0 && !table->has_here && !table->order->inverted)
		select_first(v);
}
