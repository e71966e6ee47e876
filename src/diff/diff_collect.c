/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_collect - the rows of one trace for a diff, from its models. */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/paths.h"
#include "src/diff/diff.h"
#include "src/functions/function_table.h"
#include "src/latency/latency.h"
#include "src/latency/latency_ends.h"
#include "src/sched/task_columns.h"
#include "src/stacks/event_stacks.h"
#include "src/stacks/wait_stacks.h"

_Static_assert(DIFF_BINS == LATENCY_BINS, "histograms of latency are copied");

static void collect_functions(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct function_table *table = function_table_new(trace, 0, NULL, false, NULL);

	for (unsigned int i = 0; i < table->nr; i++) {
		struct call_total *total = table->rows[i].total;
		struct diff_side *of = &diff_row(diff, table->rows[i].name)->of[side];

		of->count += total->calls + total->entries;
		of->total += total->total;
		of->self += total->self;
		of->net += total->net;
		duration_set_merge(&of->durations, &total->durations);
	}
	diff->any[side] = table->nr;
	function_table_free(table);
}

/* --- latencies -------------------------------------------------------------------------------- */

struct latencies {
	struct latency_kinds kinds;
	struct latency_options options;
	struct latency_result result;
	/* Of options.only: */
	struct group {			/* instances with an equal label, by the same rule */
		uint64_t	label, rule;
		char		*name;	/* owned */
		struct diff_side figures;
	}		*groups;	/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map;
};

static void add_kinds(const struct latencies *l, struct diff *diff, unsigned int side)
{
	for (unsigned int i = 0; i < l->result.nr; i++) {
		const struct latency_sums *sums = &l->result.kinds[i].sums;
		struct diff_side *of;

		if (!sums->n)
			continue;
		of = &diff_row(diff, l->kinds.names[i])->of[side];
		of->count = sums->n;
		of->total = sums->total;
		of->p50 = sums->p50;
		of->p99 = sums->p99;
		of->max = sums->max;
		of->histogram = arena_copy(&diff->arena, sums->histogram, sizeof(sums->histogram));
		diff->any[side] = true;
	}
}

/* States of tasks are grouped by the task's name, others by what they are. */
static struct group *group_of(struct latencies *l, struct latency *latency, unsigned int kind,
			      const struct latency_instance *i)
{
	bool by_task = kind != LATENCY_CALL && kind < LATENCY_OWN_KINDS;
	uint64_t label = by_task ? i->comm : i->label;
	uint32_t hash = index_map_hash_pair(label, i->rule);
	struct text name = { 0 };

	index_map_each (&l->map, hash, k)
		if (l->groups[k].label == label && l->groups[k].rule == i->rule)
			return &l->groups[k];
	if (by_task)
		task_kind_name(latency_comm(latency, i->comm), &name);
	else
		latency_what(latency, kind, i, false, &name);
	index_map_add(&l->map, hash, l->nr);
	mem_grow(&l->groups, l->nr, &l->cap);
	l->groups[l->nr] = (struct group){ .label = label, .rule = i->rule,
					   .name = mem_strdup(text_str(&name)) };
	text_fini(&name);
	return &l->groups[l->nr++];
}

static bool see(void *arg, struct latency *latency, unsigned int kind,
		const struct latency_instance *i)
{
	bool is_sure = !(i->flags & LATENCY_DOUBTFUL) || i->flags & LATENCY_EXACT;
	struct diff_side *figures;

	if (is_sure && !(i->flags & LATENCY_OPEN)) {
		figures = &group_of(arg, latency, kind, i)->figures;
		figures->count++;
		figures->total += latency_duration(i);
		duration_set_add(&figures->durations, latency_duration(i));
	}
	return true;
}

/* Not those of a rule that another one replaces. */
static void add_groups(struct latencies *l, struct diff *diff, unsigned int side)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		struct group *g = &l->groups[i];
		struct diff_side *of;

		if (l->options.only < LATENCY_OWN_KINDS || !l->result.replaced[g->rule]) {
			of = &diff_row(diff, g->name)->of[side];
			of->count += g->figures.count;
			of->total += g->figures.total;
			duration_set_merge(&of->durations, &g->figures.durations);
			diff->any[side] = true;
		}
		duration_set_fini(&g->figures.durations);
		free(g->name);
	}
}

static int collect_latency(struct diff *diff, unsigned int side, struct trace *trace,
			   struct ft_error *err)
{
	struct latencies l = { .options = { .kinds = &l.kinds, .only = -1 } };
	struct latency *latency = NULL;
	char path[4096];

	latency_kinds_init(&l.kinds);
	latency_ends_hooks(trace, 0, &l.kinds);
	latency_kinds_read(&l.kinds, paths_config("pairs", path, sizeof(path)), err);
	if (diff->kind) {
		l.options.only = latency_kinds_find(&l.kinds, diff->kind, err);
		l.options.each = see;
		l.options.each_arg = &l;
	}
	if (!diff->kind || l.options.only >= 0)
		latency = latency_run(trace, &l.options, &l.result, err);
	if (latency && !diff->kind)
		add_kinds(&l, diff, side);
	add_groups(&l, diff, side);
	latency_result_fini(&l.result);
	latency_free(latency);
	latency_kinds_fini(&l.kinds);
	index_map_fini(&l.map);
	free(l.groups);
	return latency ? 0 : -1;
}

static void collect_events(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct trace_type_count *types = NULL;
	unsigned int nr = trace_type_counts(trace, &types);
	struct text name = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		text_clear(&name);
		if (types[i].type)
			text_printf(&name, "%s/%s", types[i].type->system, types[i].type->name);
		else
			text_printf(&name, "unknown, id %d", types[i].id);
		diff_row(diff, text_str(&name))->of[side].count += types[i].events;
		diff->any[side] = true;
	}
	text_fini(&name);
	free(types);
}

/* --- stacks ----------------------------------------------------------------------------------- */

struct paths {
	struct trace	*trace;
	const struct call_paths *paths;
	const struct stack_table *table;	/* names frames; NULL: they are functions */
	bool		by_task;		/* the outermost frame is a task's name */
	bool		timed;
};

static void add_frame(const void *arg, const struct call_path *path, struct text *out)
{
	const struct paths *p = arg;
	struct text frame = { 0 };

	if (p->table)
		stack_table_frame(p->table, p->trace, 0, path->address, &frame);
	else
		trace_function_name(p->trace, 0, path->address, &frame);
	if (p->by_task && path->parent == CALL_PATH_ROOT)
		task_kind_name(text_str(&frame), out);
	else
		text_add(out, text_str(&frame));
	text_fini(&frame);
}

/* Rows are stacks: "nginx-*;do_syscall_64;schedule". */
static void add_paths(struct diff *diff, unsigned int side, const struct paths *p)
{
	struct text name = { 0 };

	for (uint32_t i = 1; i < call_paths_nr(p->paths); i++) {
		const struct call_path *path = call_paths_at(p->paths, i);
		struct diff_side *of;

		if (!path->calls)
			continue;
		text_clear(&name);
		call_paths_folded(p->paths, i, add_frame, p, &name);
		of = &diff_row(diff, text_str(&name))->of[side];
		of->count += path->calls;
		of->total += p->timed ? path->self : 0;
		diff->any[side] = true;
	}
	text_fini(&name);
}

static void collect_waits(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct wait_stacks *waits = wait_stacks_new(trace, &(struct wait_stacks_options){ 0 });
	const struct wait_stacks_result *result;
	const struct stack_table *table;

	wait_stacks_wait(waits);
	result = wait_stacks_result(waits);
	if (result && result->off_stacks) {
		table = result->tables[WAIT_STACKS_OFF_CPU];
		add_paths(diff, side,
			  &(struct paths){ trace, stack_table_paths(table), table, true, true });
	}
	wait_stacks_free(waits);
}

static void collect_event_stacks(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct event_stacks *stacks = event_stacks_new(trace, &(struct event_sweep_options){ 0 });
	const struct stack_table *table;

	event_sweep_wait(event_stacks_sweep(stacks));
	table = event_stacks_table(stacks);
	add_paths(diff, side, &(struct paths){ trace, stack_table_paths(table), .table = table });
	event_stacks_free(stacks);
}

static void collect_call_stacks(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct function_table *table = function_table_new(trace, 0, NULL, true, NULL);

	if (table->paths)
		add_paths(diff, side,
			  &(struct paths){ trace, table->paths, .timed = !table->inferred });
	function_table_free(table);
}

/* Those that A has: of waits, else of calls, else of events. */
static void collect_stacks(struct diff *diff, unsigned int side, struct trace *trace)
{
	static void (*const collect[])(struct diff *diff, unsigned int side,
				       struct trace *trace) = {
		collect_waits, collect_call_stacks, collect_event_stacks
	};
	const int nr = sizeof(collect) / sizeof(collect[0]);

	if (side)
		collect[diff->stacks](diff, side, trace);
	for (int i = 0; !side && i < nr && !diff->any[0]; i++) {
		collect[i](diff, side, trace);
		diff->stacks = i;
	}
}

/* --- all ------------------------------------------------------------------------------------- */

enum diff_by diff_default(struct trace *trace)
{
	if (trace_has_event(trace, 0, "funcgraph_exit") || trace_has_event(trace, 0, "function"))
		return DIFF_FUNCTIONS;
	return trace_has_event(trace, 0, "sched_switch") ? DIFF_TASKS : DIFF_EVENTS;
}

int diff_collect(struct diff *diff, enum diff_by by, unsigned int side, struct trace *trace,
		 struct ft_error *err)
{
	diff->cpu_time[side] = trace_covered(trace, 0, -1, &diff->nr_cpus[side]);
	if (by == DIFF_TASKS || by == DIFF_SCHEDULER)
		return diff_collect_sched(diff, by, side, trace, err);
	if (by == DIFF_LATENCY)
		return collect_latency(diff, side, trace, err);
	if (by == DIFF_FUNCTIONS)
		collect_functions(diff, side, trace);
	else if (by == DIFF_STACKS)
		collect_stacks(diff, side, trace);
	else
		collect_events(diff, side, trace);
	return 0;
}
