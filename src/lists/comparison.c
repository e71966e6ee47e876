/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/lists/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/paths.h"
#include "src/functions/function_table.h"
#include "src/latency/latency.h"
#include "src/lists/sources.h"
#include "src/model/list_run.h"
#include "src/sched/event_counts.h"
#include "src/trace/groupings.h"

_Static_assert(DIFF_BINS == LATENCY_BINS, "histograms of latency are copied");

static struct trace_part part_of(const struct event_sweep_options *what)
{
	return (struct trace_part){ what->range, what->only, what->nr_only };
}

/* The tracer function gives counts alone. */
static unsigned int lacks_of(const struct call_total *total)
{
	return (total->entries && !total->calls ? DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS : 0) |
	       (call_total_has_self(total) ? 0 : DIFF_HAS_SELF);
}

static int collect_functions(struct diff *diff, unsigned int side, struct trace *trace,
			     const struct comparison_scope *scope, struct ft_error *err)
{
	const struct event_sweep_options *what = &scope->what;
	bool all = !what->range.set && !what->only && !what->nr_filters;
	struct graph_scope calls = { .has_from = what->range.set,
				     .has_to = what->range.set,
				     .from = what->range.from,
				     .to = what->range.to,
				     .cpus = what->only,
				     .nr_cpus = what->nr_only,
				     .nr_filters = what->nr_filters };
	struct function_table *table;

	(void)err;
	for (unsigned int i = 0; i < what->nr_filters; i++)
		calls.filters[i] = what->filters[i];
	table = function_table_new(trace, 0, all ? NULL : &calls, false, NULL);
	diff->has_net[side] = table->has_away;
	for (unsigned int i = 0; i < table->nr; i++) {
		struct call_total *total = table->rows[i].total;
		struct diff_side *of = diff_side(diff, table->rows[i].name, side);

		of->lacks = of->count ? of->lacks & lacks_of(total) : lacks_of(total);
		of->count += total->calls + total->entries;
		of->total += total->total;
		of->self += total->self;
		of->net += total->net;
		duration_set_merge(&of->durations, &total->durations);
	}
	function_table_free(table);
	return 0;
}

/* --- latencies -------------------------------------------------------------------------------- */

struct latencies {
	struct diff	*diff;
	unsigned int	side;
	struct latency_kinds kinds;
	struct latency_options options;
	struct latency_result result;
	struct text	name;
};

static void add_kinds(const struct latencies *l)
{
	for (unsigned int i = 0; i < l->result.nr; i++) {
		const struct latency_sums *sums = &l->result.kinds[i].sums;
		struct diff_side *of;

		if (!sums->n)
			continue;
		of = diff_side(l->diff, l->kinds.names[i], l->side);
		of->count = sums->n;
		of->total = sums->total;
		of->p50 = sums->p50;
		of->p99 = sums->p99;
		of->max = sums->max;
		of->histogram = arena_copy(&l->diff->arena, sums->histogram,
					   sizeof(sums->histogram));
	}
}

/*
 * Add an instance of the kind that is compared, unless another rule replaces its own.  The row of a
 * task's state has the task's name, that of another instance what it is.
 */
static bool add_instance(void *arg, struct latency *latency, unsigned int kind,
			 const struct latency_instance *i)
{
	struct latencies *l = arg;
	struct diff_side *of;

	if (!latency_counts(i) || (kind >= LATENCY_OWN_KINDS && l->result.replaced[i->rule]))
		return true;
	text_clear(&l->name);
	if (kind != LATENCY_CALL && kind < LATENCY_OWN_KINDS)
		task_kind_name(latency_comm(latency, i->pid, i->start), &l->name);
	else
		latency_what(latency, kind, i, false, &l->name);
	of = diff_side(l->diff, text_str(&l->name), l->side);
	of->count++;
	of->total += latency_duration(i);
	duration_set_add(&of->durations, latency_duration(i));
	return true;
}

static int measure(struct latencies *l, struct trace *trace, struct ft_error *err)
{
	struct latency *latency = latency_run(trace, &l->options, &l->result, err);
	int ret = latency ? 0 : -1;

	latency_free(latency);
	return ret;
}

/*
 * One pass adds up each kind and finds the rules that are replaced.  With --kind, a second pass
 * adds the instances of that kind.
 */
static int collect_latency(struct diff *diff, unsigned int side, struct trace *trace,
			   const struct comparison_scope *scope, struct ft_error *err)
{
	struct latencies l = { diff, side,
			       .options = { .what = scope->what,
					    .kinds = &l.kinds,
					    .only = -1,
					    .wants = scope->wants,
					    .wants_arg = scope->wants_arg } };
	char path[4096];
	int ret;

	l.options.what.nr_filters = scope->nr_for_states;
	latency_kinds_init(&l.kinds);
	latency_kinds_hooks(&l.kinds, trace, 0);
	latency_kinds_read(&l.kinds, paths_config("pairs", path, sizeof(path)), &l.name, err);
	text_clear(&l.name);
	if (diff->kind)
		l.options.only = latency_kinds_find(&l.kinds, diff->kind, err);
	ret = diff->kind && l.options.only < 0 ? -1 : measure(&l, trace, err);
	if (!ret && diff->kind) {
		l.options.each = add_instance;
		l.options.each_arg = &l;
		ret = measure(&l, trace, err);
	} else if (!ret) {
		add_kinds(&l);
	}
	latency_result_fini(&l.result);
	latency_kinds_fini(&l.kinds);
	text_fini(&l.name);
	return ret;
}

static int collect_events(struct diff *diff, unsigned int side, struct trace *trace,
			  const struct comparison_scope *scope, struct ft_error *err)
{
	const struct event_counts_options options = { .range = scope->what.range,
						      .only = scope->what.only,
						      .nr_only = scope->what.nr_only,
						      .filters = scope->what.filters,
						      .nr_filters = scope->what.nr_filters };
	struct trace_type_count *types = NULL;
	unsigned int nr = event_counts_types(trace, &options, &types);
	struct text name = { 0 };

	(void)err;
	for (unsigned int i = 0; i < nr; i++) {
		text_clear(&name);
		if (types[i].type)
			text_printf(&name, "%s/%s", types[i].type->system, types[i].type->name);
		else
			text_printf(&name, "unknown, id %d", types[i].id);
		diff_side(diff, text_str(&name), side)->count += types[i].events;
	}
	text_fini(&name);
	free(types);
	return 0;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* @words: what is read of it, see list_scope; @given: NULL: --task is about events */
static int collect_list(const struct list_source *source, const char *words,
			const struct filter_given *given, struct diff *diff, unsigned int side,
			struct trace *trace, const struct comparison_scope *part,
			struct ft_error *err)
{
	struct list_scope scope = { .trace = trace, .what = part->what, .words = words,
				    .given = given, .compared = true };
	struct list_run run = { 0 };
	int ret;

	if (!source->compare)
		return ft_error_set(err, FT_E_USAGE, -1, "%s cannot be compared", source->title);
	if (given)
		scope.what.nr_filters = part->nr_for_states;
	else
		source->find(trace, &scope.what.file, &scope.variant, false);
	ret = list_run_all(&run, source, &scope, err);
	if (!ret)
		source->compare(run.model, LIST_ANY, diff, side);
	list_run_end(&run);
	return ret;
}

/* --- all ------------------------------------------------------------------------------------- */

/* What the others compare: word, what a row is, figures. */
static const struct {
	const char	*word, *what;
	unsigned int	has;
	int		(*collect)(struct diff *diff, unsigned int side, struct trace *trace,
				   const struct comparison_scope *scope, struct ft_error *err);
	/* instead: what a list has that is read with these words */
	const struct list_source *source;
	const char	*words;
} own[] = {
	{ "functions",
	  "A function of A or B; z is null if one of them has fewer\n"
	  "than 8 calls; what only one of them can have is null in the other.",
	  DIFF_HAS_TOTAL | DIFF_HAS_SELF | DIFF_HAS_DURATIONS, collect_functions },
	{ "tasks", "The tasks with a name; total is the time they ran.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, NULL,
	  &tasks_list_source, "name" },
	{ "latency", "A kind; the same keys with --by=scheduler, whose rows lack some.",
	  DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, collect_latency },
	{ "events", "An event type.", 0, collect_events },
	{ "scheduler", NULL, DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, NULL,
	  &tasks_list_source, "" },
	{ "process", "The tasks of processes with a name; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, NULL,
	  &tasks_list_source, "process" },
	{ "cgroup", "The tasks in a cgroup; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, NULL,
	  &tasks_list_source, "cgroup" },
	{ "user", "The tasks of a user; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, NULL,
	  &tasks_list_source, "user" },
};
#define NR_OWN	(sizeof(own) / sizeof(own[0]))

_Static_assert(NR_OWN == COMPARISON_NR_OWN, "each has a line");

#define BY_WORD(name, word, ...) word,
static const char *const list_words[] = { LIST_SOURCES_WITH_COMMAND(BY_WORD) };

const char *comparison_word(unsigned int by)
{
	return by < NR_OWN ? own[by].word : list_words[by - NR_OWN];
}

const char *comparison_what(unsigned int by)
{
	return by < NR_OWN ? own[by].what : list_sources[by - NR_OWN]->compared;
}

unsigned int comparison_figures(unsigned int by)
{
	return by < NR_OWN ? own[by].has : list_sources[by - NR_OWN]->compares;
}

unsigned int comparison_default(struct trace *trace)
{
	if (trace_has_event(trace, 0, "funcgraph_exit") || trace_has_event(trace, 0, "function"))
		return COMPARE_FUNCTIONS;
	return trace_has_switches(trace, 0) ? COMPARE_TASKS : COMPARE_EVENTS;
}

int comparison_collect(struct diff *diff, unsigned int by, unsigned int side, struct trace *trace,
		       const struct comparison_scope *scope, struct ft_error *err)
{
	const struct trace_part part = part_of(&scope->what);

	diff->cpu_time[side] = trace_covered(trace, 0, -1, &part, &diff->nr_cpus[side]);
	if (by >= NR_OWN)
		return collect_list(list_sources[by - NR_OWN], "", NULL, diff, side, trace, scope,
				    err);
	if (own[by].source)
		return collect_list(own[by].source, own[by].words, scope->given, diff, side, trace,
				    scope, err);
	return own[by].collect(diff, side, trace, scope, err);
}
