/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/function_table_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/functions/function_groups.h"

#define DURATION_BYTES	(80u << 20)	/* for all functions together */
#define MAX_PATHS	500000u		/* 32 MB */

/* --- counting ------------------------------------------------------------------------ */

static void see_task(void *arg, const struct call_task *task)
{
	const struct function_counter *c = arg;

	c->of_totals->task(c->of_totals->arg, task);
}

static void see_begin(void *arg, const uint32_t *funcs, unsigned int nr)
{
	const struct function_counter *c = arg;

	c->of_paths->begin(c->of_paths->arg, funcs, nr);
}

static void see_enter(void *arg, const struct call *call)
{
	const struct function_counter *c = arg;

	c->of_paths->enter(c->of_paths->arg, call);
}

static void see_leave(void *arg, const struct call *call, const struct call_figures *figures)
{
	const struct function_counter *c = arg;

	c->of_totals->leave(c->of_totals->arg, call, figures);
	c->of_paths->leave(c->of_paths->arg, call, figures);
}

static void see_late(void *arg, uint32_t func, uint64_t duration, uint64_t net)
{
	const struct function_counter *c = arg;

	c->of_totals->late_outer(c->of_totals->arg, func, duration, net);
}

void function_counter_init(struct function_counter *c, bool local_clock, bool paths,
			   struct function_groups *groups, unsigned int share)
{
	struct call_tree_options options = { .local_clock = local_clock,
					     .max_calls = FUNCTION_TREE_CALLS / share };

	c->totals = call_totals_new(DURATION_BYTES / share, groups);
	options.visitor = c->of_totals = call_totals_visitor(c->totals);
	c->paths = NULL;
	if (paths) {
		c->paths = call_paths_new(MAX_PATHS / share);
		c->of_paths = call_paths_visitor(c->paths);
		c->both = (struct call_visitor){ .task = see_task, .begin = see_begin,
						 .enter = see_enter, .leave = see_leave,
						 .late_outer = see_late, .arg = c };
		options.visitor = &c->both;
	}
	c->tree = call_tree_new(&options);
	call_totals_set_tree(c->totals, c->tree);
}

void function_counter_fini(struct function_counter *c, struct function_table *table)
{
	if (table) {
		call_totals_end(c->totals, c->tree);
		call_totals_merge(table->totals, c->totals);
		table->has_away |= call_tree_has_away(c->tree);
		table->has_irqs |= call_tree_has_irqs(c->tree);
	}
	if (table && c->paths) {
		call_paths_end(c->paths, c->tree);
		call_paths_merge(table->paths, c->paths);
	}
	call_totals_free(c->totals);
	call_paths_free(c->paths);
}

static bool count_buffer(struct trace *trace, unsigned int file, unsigned int buffer,
			 const struct graph_types *types, const struct graph_scope *scope,
			 const struct call_team_watch *watch, struct function_table *table)
{
	struct graph_reader_options options = { .scope = scope,
						.switches = graph_knows_away(trace, file, buffer) };
	struct graph_reader *reader = graph_reader_new(trace, types, file, buffer, &options);
	unsigned int nr = call_team_size(workers_cpus());
	struct call_tree *trees[CALL_TEAM_MAX];
	struct function_counter counters[CALL_TEAM_MAX];
	bool has_away = false, whole;

	for (unsigned int i = 0; i < nr; i++) {
		function_counter_init(&counters[i], options.switches, table->paths, table->groups,
				      nr);
		trees[i] = counters[i].tree;
	}
	whole = call_team_run(reader, trees, nr, watch);
	for (unsigned int i = 0; i < nr; i++)
		has_away |= call_tree_has_away(trees[i]);
	for (unsigned int i = 0; has_away && i < nr; i++)
		call_tree_set_away(trees[i]);
	for (unsigned int i = 0; i < nr; i++) {
		function_counter_fini(&counters[i], table);
		call_tree_free(trees[i]);
	}
	table->damaged += graph_reader_damaged(reader);
	graph_reader_free(reader);
	return whole;
}

/* --- rows --------------------------------------------------------------------------- */

/* Add to the bin of a duration; bins are half a decade wide. */
static void add_to_histogram(void *arg, uint64_t value, uint64_t count)
{
	static const uint64_t ends[FUNCTION_BINS - 1] = {
		3162, 10000, 31623, 100000, 316228, 1000000, 3162278, 10000000, 31622777, 100000000,
		316227766
	};
	struct function_row *row = arg;
	unsigned int bin = 0;

	while (bin < FUNCTION_BINS - 1 && value >= ends[bin])
		bin++;
	row->histogram[bin] += count;
}

static void fill_row(struct function_row *row, struct call_total *total)
{
	uint64_t ranks[3], values[3];

	row->total = total;
	if (!total->calls)
		return;
	ranks[0] = duration_set_rank(total->calls, 50);
	ranks[1] = duration_set_rank(total->calls, 95);
	ranks[2] = duration_set_rank(total->calls, 99);
	duration_set_ranks(&total->durations, ranks, values, 3);
	duration_set_each(&total->durations, add_to_histogram, row);
	row->p50 = values[0];
	row->p95 = values[1];
	row->p99 = values[2];
	row->average = total->sum / total->calls;
	row->deviation = (uint64_t)sqrt(
		fmax(0, total->squares / (double)total->calls -
				pow((double)total->sum / (double)total->calls, 2)));
}

static int by_total(const void *a, const void *b)
{
	const struct function_row *x = a, *y = b;
	int names;

	if (x->total->total != y->total->total)
		return x->total->total < y->total->total ? 1 : -1;
	if (x->total->entries != y->total->entries)
		return x->total->entries < y->total->entries ? 1 : -1;
	names = strcmp(x->name, y->name) ?: strcmp(x->group, y->group);
	if (names)
		return names;
	return x->total->address < y->total->address ? -1 : x->total->address > y->total->address;
}

void function_table_make_rows(struct function_table *table, struct trace *trace, unsigned int file)
{
	unsigned int nr;
	struct call_total *totals = call_totals_rows(table->totals, &nr);
	/* records of the tracer function in another buffer may be the same calls: not counted */
	bool timed = call_totals_are_timed(table->totals) ||
		     trace_has_event(trace, file, "ftrace:funcgraph_entry");
	struct text name = { 0 };

	table->rows = mem_array(nr + 1, sizeof(*table->rows));
	table->nr = 0;
	table->left_out = 0;
	for (unsigned int i = 0; i < nr; i++) {
		struct function_row *row = &table->rows[table->nr];

		if (timed) {
			table->left_out += totals[i].entries;
			totals[i].entries = 0;
			if (!totals[i].calls && !totals[i].unclosed)
				continue;
		}
		table->nr++;
		fill_row(row, &totals[i]);
		text_clear(&name);
		trace_function_name(trace, file, totals[i].address, &name);
		row->name = arena_strndup(&table->names, text_str(&name), name.len);
		row->group = table->groups ? function_groups_name(table->groups, totals[i].group) :
					     "";
	}
	table->inferred = table->nr && !timed;
	if (table->inferred && table->paths)
		call_paths_count_entries(table->paths);
	text_fini(&name);
	qsort(table->rows, table->nr, sizeof(*table->rows), by_total);
	table->exact = call_totals_are_exact(table->totals);
}

struct function_table *function_table_empty(bool paths)
{
	struct function_table *table = mem_alloc(sizeof(*table));

	table->totals = call_totals_new(DURATION_BYTES, NULL);
	table->paths = paths ? call_paths_new(MAX_PATHS) : NULL;
	table->whole = true;
	return table;
}

static void count_all(struct function_table *table, struct trace *trace, unsigned int file,
		      const struct graph_scope *scope, const struct call_team_watch *watch)
{
	struct graph_types *types = graph_types_new(trace, file);
	unsigned int nr_buffers = source_nr_buffers(trace_file_of(trace, file));

	for (unsigned int i = 0; types && i < nr_buffers && table->whole; i++)
		table->whole = count_buffer(trace, file, i, types, scope, watch, table);
	graph_types_free(types);
	function_table_make_rows(table, trace, file);
}

struct function_table *function_table_new(struct trace *trace, unsigned int file,
					  const struct graph_scope *scope, bool paths,
					  const struct call_team_watch *watch)
{
	struct function_table *table = function_table_empty(paths);

	count_all(table, trace, file, scope, watch);
	return table;
}

struct function_table *function_table_grouped(struct trace *trace, unsigned int file,
					      const struct graph_scope *scope, enum grouping by)
{
	struct function_table *table = function_table_empty(false);

	table->groups = function_groups_new(trace, file, by);
	count_all(table, trace, file, scope, NULL);
	return table;
}

const struct call_visitor *function_table_begin(struct function_table *table)
{
	table->buffer = call_totals_new(DURATION_BYTES, NULL);
	return call_totals_visitor(table->buffer);
}

void function_table_end(struct function_table *table, const struct call_tree *tree,
			const struct graph_reader *reader)
{
	call_totals_end(table->buffer, tree);
	call_totals_merge(table->totals, table->buffer);
	call_totals_free(table->buffer);
	table->buffer = NULL;
	table->has_away |= call_tree_has_away(tree);
	table->has_irqs |= call_tree_has_irqs(tree);
	table->damaged += graph_reader_damaged(reader);
}

void function_table_free(struct function_table *table)
{
	if (!table)
		return;
	call_totals_free(table->buffer);
	free(table->rows);
	arena_fini(&table->names);
	call_totals_free(table->totals);
	call_paths_free(table->paths);
	function_groups_free(table->groups);
	free(table);
}

/* --- comparing ------------------------------------------------------------------------------ */

/* The tracer function gives counts alone. */
static unsigned int lacks_of(const struct call_total *total)
{
	return (total->entries && !total->calls ? DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS : 0) |
	       (call_total_has_self(total) ? 0 : DIFF_HAS_SELF);
}

void function_add_to(struct diff_side *of, struct call_total *total)
{
	of->lacks = of->count ? of->lacks & lacks_of(total) : lacks_of(total);
	of->count += total->calls + total->entries;
	of->total += total->total;
	of->self += total->self;
	of->net += total->net;
	duration_set_merge(&of->durations, &total->durations);
}

/* --- other orders --------------------------------------------------------------------------- */

int function_by_address(const struct function_row *a, const struct function_row *b)
{
	return a->total->address < b->total->address ? -1 : a->total->address > b->total->address;
}

int function_by_name(const struct function_row *a, const struct function_row *b)
{
	return strcmp(a->name, b->name);
}

struct sorting {
	const struct function_row *rows;
	function_order	order;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;

	return s->order(&s->rows[*(const uint32_t *)a], &s->rows[*(const uint32_t *)b]);
}

uint32_t *function_table_sorted(const struct function_table *table, function_order order)
{
	uint32_t *sorted = mem_array(table->nr + 1, sizeof(*sorted));
	struct sorting sorting = { table->rows, order };

	for (uint32_t i = 0; i < table->nr; i++)
		sorted[i] = i;
	if (table->nr)
		qsort_r(sorted, table->nr, sizeof(*sorted), compare_rows, &sorting);
	return sorted;
}

bool function_table_has_gap_cut(const struct function_table *table, const struct trace *trace,
				unsigned int file)
{
	return call_totals_have_gap_cut(table->totals) && graph_clock_is_local(trace, file, 0);
}

bool function_longest(struct trace *trace, unsigned int file, const struct call_total *total,
		      struct trace_event *event, int64_t *start)
{
	uint64_t took = total->max;

	if (!trace_event_at(trace, total->worst, event))
		return false;
	if (graph_clock_is_local(trace, file, trace_stream_info(trace, event->stream).buffer))
		took = total->worst_took;
	*start = total->calls ? time_after(event->ts, -(int64_t)took) : event->ts;
	return true;
}
