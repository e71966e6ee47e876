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

static void drop(struct view *v)
{
	latency_free(v->latency);
	v->latency = NULL;
	latency_result_fini(&v->result);
	call_scope_drop(&v->scope);
	free(v->groups);
	v->groups = NULL;
	v->nr_groups = 0;
}

static void make_kinds(const struct view *v, struct latency_kinds *kinds)
{
	latency_kinds_init(kinds);
	latency_ends_hooks(v->shared->trace, v->file, kinds);
	latency_kinds_read_text(kinds, text_str(&v->shared->pairs), "", NULL);
}

static void find_kinds(struct view *v)
{
	if (v->has_kinds)
		return;
	make_kinds(v, &v->kinds);
	v->has_kinds = true;
	if (v->kind >= (int)v->kinds.nr)
		v->kind = -1;
}

/* True: filters or range have changed. */
static bool begin_scope(struct view *v)
{
	if (!call_scope_changed(v->shared, &v->key) && v->begun)
		return false;
	drop(v);
	call_scope_take(&v->scope, v->shared, true);
	v->begun = true;
	return true;
}

static void begin(struct view *v)
{
	const struct range *range = &v->shared->places.range;
	struct latency_options options = {
		.file = v->file, .kinds = &v->kinds, .only = -1,
		.range = { range->set, range->from, range->to },
		.filters = v->scope.filters, .nr_filters = v->scope.nr_filters,
		.keep = LATENCY_KEEP,
	};
	struct ft_error err = { 0 };

	if (v->latency || !matching_is_ready(&v->scope, v->shared->trace))
		return;
	v->latency = latency_new(v->shared->trace, &options, &err);
	if (!v->latency)
		host_error(v->host, "%s", err.message);
}

void latency_measure(struct view *v)
{
	bool changed;

	if (!v->shared->trace || trace_is_text(v->shared->trace))
		return;
	find_kinds(v);
	changed = begin_scope(v);
	begin(v);
	changed |= v->latency && latency_take(v->latency, &v->result);
	if (changed)
		latency_update(v);
}

void latency_forget(struct view *v)
{
	drop(v);
	if (v->has_kinds)
		latency_kinds_fini(&v->kinds);
	v->has_kinds = v->begun = false;
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
	struct latency_options options = { .file = v->file };
	struct latency *latency = NULL;
	struct latency_kinds kinds;

	if (trace_is_text(v->shared->trace))
		return ft_error_set(err, FT_E_USAGE, -1, "this trace has no events to measure");
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

	for (unsigned int i = 0; i < v->result.nr && i <= LATENCY_WAKEUP; i++)
		if (latency_has_any(&v->result.kinds[i].sums)) {
			table_select_key(table, i);
			table->has_here = false;
			return;
		}
}

void latency_update(struct view *v)
{
	struct table *table = latency_table(v);

	if (latency_shown(v) == LATENCY_TABLE_GROUPS)
		latency_groups_make(v);
	table_update(table);
	if (v->kind < 0 && !table->has_here && !table->order->inverted)
		select_first(v);
}
