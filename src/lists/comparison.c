/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/lists/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/lists/sources.h"
#include "src/model/list_run.h"
#include "src/sched/event_counts.h"
#include "src/trace/groupings.h"

#define OF_TASKS \
	(DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_THROTTLED | DIFF_HAS_DURATIONS)

static struct trace_part part_of(const struct event_sweep_options *what)
{
	return (struct trace_part){ what->range, what->only, what->nr_only };
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
	diff->of_events = true;
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

static int collect_list(const struct list_source *source, unsigned int list,
			struct list_scope *scope, struct diff *diff, unsigned int side,
			struct ft_error *err)
{
	struct list_run run = { 0 };
	int ret;

	if (!source->compare)
		return ft_error_set(err, FT_E_USAGE, -1, "%s cannot be compared", source->title);
	diff->is_whole[side] = list_has_file(source, scope->trace, scope->what.file);
	source->find(scope->trace, &scope->what.file, &scope->variant, false);
	ret = list_run_all(&run, source, scope, err);
	if (!ret)
		source->compare(run.model, list, diff, side);
	list_run_end(&run);
	return ret;
}

/* --- all ------------------------------------------------------------------------------------- */

/*
 * Those of sources with a view of their own: word, what a row is, figures; the source, and what is
 * read of it (list_scope.words; NULL: --kind), or a function.
 */
static const struct {
	const char	*word, *what;
	unsigned int	has;
	const struct list_source *source;
	const char	*words;
	int		(*collect)(struct diff *diff, unsigned int side, struct trace *trace,
				   const struct comparison_scope *scope, struct ft_error *err);
} own[] = {
	{ "functions",
	  "A function of A or B; z is null if one of them has fewer\n"
	  "than 8 calls; what only one of them can have is null in the other.",
	  DIFF_HAS_TOTAL | DIFF_HAS_SELF | DIFF_HAS_DURATIONS, &functions_list_source, "" },
	{ "tasks", "The tasks with a name; total is the time they ran.",
	  OF_TASKS, &tasks_list_source, "name" },
	{ "latency", "A kind; the same keys with --by=scheduler, whose rows lack some.",
	  DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, &latency_list_source, NULL },
	{ "events", "An event type.", 0, .collect = collect_events },
	{ "scheduler", NULL, DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, &tasks_list_source, "" },
	{ "process", "The tasks of processes with a name; as with --by=tasks.",
	  OF_TASKS, &tasks_list_source, "process" },
	{ "cgroup", "The tasks in a cgroup; as with --by=tasks.",
	  OF_TASKS, &tasks_list_source, "cgroup" },
	{ "user", "The tasks of a user; as with --by=tasks.",
	  OF_TASKS, &tasks_list_source, "user" },
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
	struct list_scope of = { .trace = trace, .what = scope->what, .words = "",
				 .compared = true };

	diff->cpu_time[side] = trace_covered(trace, 0, -1, &part, &diff->nr_cpus[side]);
	if (by >= NR_OWN)
		return collect_list(list_sources[by - NR_OWN], LIST_ANY, &of, diff, side, err);
	if (!own[by].source)
		return own[by].collect(diff, side, trace, scope, err);
	of.words = own[by].words ?: diff->kind ?: "";
	if (own[by].source->picks_tasks) {
		of.given = scope->given;
		of.what.nr_filters = scope->nr_for_states;
	}
	return collect_list(own[by].source, 0, &of, diff, side, err);
}

void comparison_end(struct diff *diff, struct trace *const traces[2], const unsigned int files[2])
{
	for (uint32_t i = 0; diff->of_events && i < diff->nr; i++)
		for (unsigned int side = 0; side < 2; side++)
			diff->rows[i].of[side].is_known |= trace_records_event(traces[side],
									       files[side],
									       diff->rows[i].name);
	for (unsigned int side = 0; side < 2; side++) {
		diff->is_whole[side] &= !diff->of_events;
		diff->is_damaged[side] = trace_status(traces[side]).damaged_pages ||
					 trace_nr_warnings(traces[side], files[side]);
	}
	diff_end(diff);
}
