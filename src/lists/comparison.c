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
#include "src/sched/run_queue.h"
#include "src/sched/sched_pass.h"
#include "src/sched/task_groups.h"
#include "src/trace/groupings.h"

#define MOST_DISTINCT	(1u << 20)

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

/* --- tasks, and what the scheduler did -------------------------------------------------------- */

enum figure {
	WAKEUP_STAYED, WAKEUP_MIGRATED, PREEMPTED, SLICE, SWITCHES, MIGRATIONS, QUEUE, SPARE,
	NR_FIGURES
};

static const char *const figure_names[NR_FIGURES] = {
	[WAKEUP_STAYED] = "wake-up latency, stayed",
	[WAKEUP_MIGRATED] = "wake-up latency, migrated",
	[PREEMPTED] = "preempted",
	[SLICE] = "slice",
	[SWITCHES] = "switches",
	[MIGRATIONS] = "migrations",
	[QUEUE] = "run queue",
	[SPARE] = "idle, others waited",
};

struct collector {
	const struct sched_pass *pass;	/* borrowed; it has begun */
	const struct comparison_scope *scope;	/* borrowed */
	struct trace	*trace;		/* borrowed */
	enum grouping	 by;		/* what rows are; NONE: figures of the scheduler */
	struct duration_set figures[NR_FIGURES];
	uint64_t	totals[NR_FIGURES];
	struct task {
		int32_t	last_cpu;	/* index + 1 of its last switch; 0: none yet */
		struct duration_set slices, waits;
	}		*tasks;		/* owned, [nr] */
	uint32_t	 nr;
};

static void forget_figures(struct collector *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		duration_set_fini(&c->tasks[i].slices);
		duration_set_fini(&c->tasks[i].waits);
	}
	for (unsigned int i = 0; i < NR_FIGURES; i++)
		duration_set_fini(&c->figures[i]);
	free(c->tasks);
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct collector *c = arg;

	forget_figures(c);
	*c = (struct collector){ .pass = pass, .scope = c->scope, .trace = c->trace,
				  .by = c->by };
}

/* Many distinct values are rounded to 3 digits. */
static void add(struct duration_set *set, uint64_t length)
{
	if (set->distinct > MOST_DISTINCT && !set->bits)
		duration_set_coarsen(set, 12);
	duration_set_add(set, length);
}

/* Is what began at @since on this CPU (its index) in the scope? */
static bool is_wanted(const struct collector *c, int64_t since, int32_t cpu)
{
	const struct trace_part part = part_of(&c->scope->what);

	return time_range_has(&part.range, since) &&
	       (cpu < 0 || trace_part_has_cpu(&part, sched_pass_cpu(c->pass, (unsigned int)cpu)));
}

static bool wants_task(const struct collector *c, uint32_t task)
{
	return !c->scope->wants ||
	       c->scope->wants(c->scope->wants_arg,
			       sched_rules_task(sched_pass_rules(c->pass), task)->pid,
			       sched_pass_comm(c->pass, task));
}

/* Add the interval that the change ends: a record made the change, and no record is missing. */
static void add_interval(struct collector *c, struct task *t, const struct sched_change *change)
{
	uint64_t length = change->ts > change->since ?
				  (uint64_t)change->ts - (uint64_t)change->since :
				  0;
	enum figure figure = SLICE;

	if (change->was == SCHED_WAITS && change->state == SCHED_RUNS)
		figure = t->last_cpu && t->last_cpu != change->cpu + 1 ? WAKEUP_MIGRATED :
									 WAKEUP_STAYED;
	else if (change->was == SCHED_PREEMPTED && change->state == SCHED_RUNS)
		figure = PREEMPTED;
	else if (change->was != SCHED_RUNS || change->was_cut)
		return;
	add(figure == SLICE ? &t->slices : &t->waits, length);
	add(&c->figures[figure], length);
	c->totals[figure] += length;
}

static void on_task(void *arg, uint32_t task, const struct sched_change *change)
{
	struct collector *c = arg;

	mem_reach(&c->tasks, &c->nr, task);
	if (change->rec && !change->dropped && !change->doubtful &&
	    !(change->rec->uncounted &
	      (change->was == SCHED_RUNS ? SCHED_NOT_ITS : SCHED_NOT_OTHER)) &&
	    is_wanted(c, change->since, change->cpu) && wants_task(c, task))
		add_interval(c, &c->tasks[task], change);
	if (change->rec && change->rec->op == SCHED_SWITCH)
		c->tasks[task].last_cpu = change->cpu + 1;
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *change)
{
	struct collector *c = arg;

	if (change->rec && !(change->rec->uncounted & SCHED_NOT_CPU) &&
	    is_wanted(c, change->ts, (int32_t)cpu))
		c->figures[SWITCHES].nr++;
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint64_t positive(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

/* A name that another trace may have, too: of a process without its pid. */
static void add_group_name(const struct collector *c, uint32_t task, struct text *out)
{
	const struct sched_task *t = sched_rules_task(sched_pass_rules(c->pass), task);
	const struct grouped_task of = { .pid = (int)t->pid,
					 .ts = t->to - 1,
					 .comm = sched_pass_comm(c->pass, task),
					 .prio = GROUPING_NO_PRIO };
	struct text name = { 0 };
	int pid;

	if (!grouping_name(c->trace, c->by, &of, &name)) {
		text_add(out, GROUPING_NOT_KNOWN);
	} else if (c->by == GROUPING_PROCESS) {
		name.data[grouping_process_name(text_str(&name), &pid)] = '\0';
		task_kind_name(text_str(&name), out);
	} else {
		text_add(out, text_str(&name));
	}
	text_fini(&name);
}

static void on_split(void *arg, uint32_t task, uint32_t part, int64_t ts)
{
	struct collector *c = arg;

	(void)ts;
	mem_reach(&c->tasks, &c->nr, part > task ? part : task);
	c->tasks[part] = c->tasks[task];
	c->tasks[task] = (struct task){ .last_cpu = c->tasks[part].last_cpu };
}

static void add_tasks(struct collector *c, struct diff *diff, unsigned int side)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	struct text name = { 0 };

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++) {
		const struct sched_task *t = sched_rules_task(rules, i);
		struct diff_side *of;

		if (!t->listed || !wants_task(c, i) ||
		    (c->scope->what.range.set && !sched_task_is_known(t)))
			continue;
		text_clear(&name);
		add_group_name(c, i, &name);
		of = diff_side(diff, text_str(&name), side);
		of->count += t->switches;
		of->total += positive(t->run) + positive(t->run_cut);
		of->self += positive(t->wait);
		if (i < c->nr) {
			duration_set_merge(&of->durations, &c->tasks[i].slices);
			duration_set_merge(&of->waits, &c->tasks[i].waits);
		}
		of->lacks = of->durations.nr ? 0 : DIFF_HAS_DURATIONS;
	}
	text_fini(&name);
}

/* Those of CPUs are not those of a task, nor do filters apply to them. */
static bool has_queues(const struct comparison_scope *scope)
{
	return !scope->wants && !scope->nr_for_states;
}

static void add_queues(struct collector *c, struct run_queue *queue)
{
	const struct trace_part part = part_of(&c->scope->what);

	run_queue_end(queue, sched_pass_totals(c->pass).last_ts);
	for (unsigned int i = 0; i < sched_pass_nr_cpus(c->pass); i++) {
		const struct run_queue_sums *sums = run_queue_sums(queue, i);

		if (!trace_part_has_cpu(&part, sched_pass_cpu(c->pass, i)))
			continue;
		c->totals[QUEUE] += positive(sums->waited);
		c->totals[SPARE] += positive(sums->spare);
	}
}

static void add_scheduler(struct collector *c, struct run_queue *queue, struct diff *diff,
			  unsigned int side)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	uint64_t switches = 0;

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++) {
		if (!wants_task(c, i))
			continue;
		c->figures[MIGRATIONS].nr += sched_rules_task(rules, i)->migrations;
		switches += sched_rules_task(rules, i)->switches;
	}
	if (c->scope->wants)
		c->figures[SWITCHES].nr = switches;
	if (has_queues(c->scope))
		add_queues(c, queue);
	for (unsigned int i = 0; i < NR_FIGURES; i++) {
		struct diff_side *of;

		if (i >= QUEUE && !has_queues(c->scope))
			break;
		of = diff_side(diff, figure_names[i], side);
		of->count = c->figures[i].nr;
		of->total = c->totals[i];
		if (i <= SLICE)
			duration_set_merge(&of->durations, &c->figures[i]);
		else
			of->lacks = DIFF_HAS_DURATIONS |
				    (i >= QUEUE ? DIFF_HAS_COUNT : DIFF_HAS_TOTAL);
	}
	diff->any[side] = c->figures[SWITCHES].nr;
}

static int collect_sched(struct diff *diff, enum grouping by, unsigned int side,
			 struct trace *trace, const struct comparison_scope *scope,
			 struct ft_error *err)
{
	const struct trace_part part = part_of(&scope->what);
	struct collector c = { .scope = scope, .trace = trace, .by = by };
	struct sched_listener listener = { .task = on_task, .cpu = on_cpu, .split = on_split,
					   .arg = &c };
	struct sched_pass_options options = { .listener = &listener, .begun = on_begun,
					      .range = part.range, .only = part.only,
					      .nr_only = part.nr_only,
					      .filters = scope->what.filters,
					      .nr_filters = scope->nr_for_states,
					      .workers = trace_workers(trace) };
	struct sched_split *splits;
	struct sched_pass *pass;
	int ret;

	options.queue = run_queue_new(&options.range);
	splits = task_groups_splits(trace, 0, by, &options.range, &options.nr_splits);
	options.splits = splits;
	pass = sched_pass_new(trace, &options);
	ret = sched_pass_run(pass, err);
	diff->cpu_time[side] = trace_covered(trace, 0, (int)sched_pass_buffer(pass), &part,
					     &diff->nr_cpus[side]);
	if (c.pass && by)
		add_tasks(&c, diff, side);
	else if (c.pass && sched_pass_totals(pass).any)
		add_scheduler(&c, options.queue, diff, side);
	forget_figures(&c);
	run_queue_free(options.queue);
	sched_pass_free(pass);
	free(splits);
	return ret;
}

static int collect_tasks(struct diff *diff, unsigned int side, struct trace *trace,
			 const struct comparison_scope *scope, struct ft_error *err)
{
	return collect_sched(diff, GROUPING_NAME, side, trace, scope, err);
}

static int collect_processes(struct diff *diff, unsigned int side, struct trace *trace,
			     const struct comparison_scope *scope, struct ft_error *err)
{
	return collect_sched(diff, GROUPING_PROCESS, side, trace, scope, err);
}

static int collect_cgroups(struct diff *diff, unsigned int side, struct trace *trace,
			   const struct comparison_scope *scope, struct ft_error *err)
{
	return collect_sched(diff, GROUPING_CGROUP, side, trace, scope, err);
}

static int collect_users(struct diff *diff, unsigned int side, struct trace *trace,
			 const struct comparison_scope *scope, struct ft_error *err)
{
	return collect_sched(diff, GROUPING_USER, side, trace, scope, err);
}

static int collect_scheduler(struct diff *diff, unsigned int side, struct trace *trace,
			     const struct comparison_scope *scope, struct ft_error *err)
{
	return collect_sched(diff, GROUPING_NONE, side, trace, scope, err);
}

/* --- lists ------------------------------------------------------------------------------------ */

static int collect_list(const struct list_source *source, struct diff *diff, unsigned int side,
			struct trace *trace, const struct comparison_scope *part,
			struct ft_error *err)
{
	struct list_scope scope = { .trace = trace, .what = part->what, .words = "" };
	struct list_run run = { 0 };
	int ret;

	if (!source->compare)
		return ft_error_set(err, FT_E_USAGE, -1, "%s cannot be compared", source->title);
	source->find(trace, &scope.what.file, &scope.variant, false);
	ret = list_run_all(&run, source, &scope, err);
	if (!ret)
		source->compare(run.model, LIST_ANY, diff, side);
	list_run_end(&run);
	return ret;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Those that are no list_source: word, what a row is, figures, function. */
static const struct {
	const char	*word, *what;
	unsigned int	has;
	int		(*collect)(struct diff *diff, unsigned int side, struct trace *trace,
				   const struct comparison_scope *scope, struct ft_error *err);
} own[] = {
	{ "functions",
	  "A function of A or B; z is null if one of them has fewer\n"
	  "than 8 calls; what only one of them can have is null in the other.",
	  DIFF_HAS_TOTAL | DIFF_HAS_SELF | DIFF_HAS_DURATIONS, collect_functions },
	{ "tasks", "The tasks with a name; total is the time they ran.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, collect_tasks },
	{ "latency", "A kind; the same keys with --by=scheduler, whose rows lack some.",
	  DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, collect_latency },
	{ "events", "An event type.", 0, collect_events },
	{ "scheduler", NULL, DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS, collect_scheduler },
	{ "process", "The tasks of processes with a name; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, collect_processes },
	{ "cgroup", "The tasks in a cgroup; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, collect_cgroups },
	{ "user", "The tasks of a user; as with --by=tasks.",
	  DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS, collect_users },
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
		return collect_list(list_sources[by - NR_OWN], diff, side, trace, scope, err);
	return own[by].collect(diff, side, trace, scope, err);
}
