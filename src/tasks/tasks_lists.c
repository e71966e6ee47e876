/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_lists - what each task did, groups of tasks, and pairs of tasks, as a list_source. */
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/model/list_source.h"
#include "src/sched/kept_tasks.h"
#include "src/sched/sched_tell.h"
#include "src/sched/task_columns.h"
#include "src/sched/task_groups.h"
#include "src/tasks/cpus_lists.h"
#include "src/tasks/tasks_compared.h"
#include "src/trace/groupings.h"
#include "src/trace/trace_guests.h"
#include "src/trace/warnings.h"

enum { OF_TASKS, OF_PREEMPTED, OF_WOKEN, OF_QUEUES, NR_LISTS };
enum { OPT_BY = LIST_OWN };

struct tasks_lists {
	struct list_scope scope;
	enum grouping	 by;
	struct trace	*host;		/* owned: of a guest, if its file is among the operands */
	struct task_table *table;	/* owned; NULL: */
	void		*queues;	/* owned: the model of cpus_list_source */
	struct task_figures figures;
	struct kept_tasks kept;		/* tasks with an event that filters keep */
	void		*rows;		/* owned, [nr]: struct task_row, or task_pair_row */
	uint32_t	 nr;
};

static bool is_of_pairs(const struct tasks_lists *m)
{
	return m->scope.list == OF_PREEMPTED || m->scope.list == OF_WOKEN;
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, trace_has_switches);
}

static int check_queues(const struct option_list *list, struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		int id = list->values[i].id;

		if (id == OPT_BY || id == FILTER_OPTION_FILTER || id == FILTER_OPTION_NEGATE ||
		    id == FILTER_OPTION_TASK)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "--queues is about CPUs: it takes no tasks, groups or "
					    "filters");
	}
	return 0;
}

static int read_options(struct tasks_lists *m, struct ft_error *err)
{
	const struct option_list *list = m->scope.options;

	if (m->scope.list == OF_QUEUES)
		return check_queues(list, err);
	if (!list && *m->scope.words)
		m->by = grouping_find(m->scope.words, err);
	for (unsigned int i = 0; list && i < list->nr; i++) {
		if (list->values[i].id != OPT_BY)
			continue;
		m->by = grouping_find(list->values[i].value, err);
		if (!m->by)
			return -1;
	}
	if (m->by && is_of_pairs(m))
		return ft_error_set(err, FT_E_USAGE, -1, "--by prints groups of tasks, not pairs");
	return 0;
}

/* Is a figure asked for that the rules alone do not sum up? */
static bool needs_sums(const struct tasks_lists *m)
{
	const struct table_columns *columns = m->by ? task_group_columns(m->by) : &task_columns;
	const char *sort = m->scope.given ? m->scope.given->sort : NULL;
	int8_t sign;
	const struct table_column *column = sort ? table_out_sorted_by(columns, FORMAT_TEXT, sort,
								       &sign, NULL) :
						   NULL;

	return !is_of_pairs(m) &&
	       (m->scope.all_columns || m->host || m->scope.compared || (column && !column->width));
}

static struct task_table *count(struct tasks_lists *m)
{
	const struct event_sweep_options *what = &m->scope.what;
	struct task_table_options options = {
		.file = what->file,
		.range = what->range,
		.only = what->only,
		.nr_only = what->nr_only,
		.filters = what->filters,
		.nr_filters = what->nr_filters,
		.goes_on = what->only_range && trace_grows(m->scope.trace),
		.no_sums = !needs_sums(m),
		.no_pairs = !is_of_pairs(m),
		.gives_tasks = !m->scope.compared,
		.no_seen = true,
		.no_calls = m->scope.compared,
		.host = m->host,
		.durations = m->scope.compared,
	};

	if (m->by) {
		trace_wait_all(m->scope.trace);	/* the groups are those of the time */
		options.splits = task_groups_splits(m->scope.trace, what->file, m->by, &what->range,
						    &options.nr_splits);
	}
	return task_table_new(m->scope.trace, &options);
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct tasks_lists *m = mem_alloc(sizeof(*m));

	m->scope = *scope;
	if (read_options(m, err)) {
		free(m);
		return NULL;
	}
	if (scope->list == OF_QUEUES)
		m->queues = cpus_list_source.begin(scope, err);
	else {
		m->host = trace_guests_open(scope->options,
					    trace_file_of(scope->trace, scope->what.file),
					    TRACE_HOST, &(unsigned int){ 0 });
		m->table = count(m);
	}
	return m;
}

static void end(void *model)
{
	struct tasks_lists *m = model;

	if (m->queues)
		cpus_list_source.end(m->queues);
	kept_tasks_fini(&m->kept);
	task_table_free(m->table);
	trace_close(m->host);
	task_figures_fini(&m->figures);
	free(m->rows);
	free(m);
}

/* --- tasks and their groups ------------------------------------------------------------------- */

static bool is_wanted(const struct tasks_lists *m, uint32_t pid, const char *comm)
{
	return !m->scope.given || filter_given_wants(m->scope.given, pid, comm);
}

static bool is_listed(void *arg, uint32_t row)
{
	const struct tasks_lists *m = arg;
	const struct event_sweep_options *what = &m->scope.what;
	const struct sched_task *t = &m->figures.tasks[row];
	bool is_part = what->only || what->range.set;

	return t->listed && is_wanted(m, t->pid, m->figures.text.data + m->figures.comms[row]) &&
	       (sched_task_is_known(t) ||
		(!is_part &&
		 (!what->nr_filters || kept_tasks_has(&m->kept, EVENT_COUNTS_TASK, (int)t->pid))));
}

static int by_time(const void *a, const void *b)
{
	const struct sched_task *x = ((const struct task_row *)a)->task,
				*y = ((const struct task_row *)b)->task;
	int64_t ran[2] = { time_after(x->run, x->run_cut), time_after(y->run, y->run_cut) };

	if (ran[0] != ran[1])
		return ran[0] < ran[1] ? 1 : -1;
	if (x->pid != y->pid && !((const struct task_row *)a)->sums->tasks)	/* no groups */
		return x->pid < y->pid ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The task's name at its longest wake-up; of a group, that of the task that had it.  NULL: none. */
static const char *wake_comm(const struct tasks_lists *m, const struct sched_task *t)
{
	if (t->answered <= t->unsure || !t->max_wakeup)
		return NULL;
	return m->by ? trace_comm(m->scope.trace, m->scope.what.file, (int)t->max_wake_pid,
				  t->max_wake_ts) :
		       sched_pass_comm_of(task_table_pass(m->table), t, t->max_wake_comm);
}

static void make_tasks(struct tasks_lists *m)
{
	struct trace *trace = m->scope.trace;
	const struct event_sweep_options *what = &m->scope.what;
	const struct task_grouping how = { .by = m->by, .least = 1,
					   .all_counts = !what->range.set && !what->nr_filters &&
							 !what->only };
	unsigned int lacks = task_columns_lack(&m->figures, trace_machine(trace, what->file));
	struct task_figures *f = &m->figures;
	struct task_row *rows;

	task_figures_keep(f, is_listed, m);
	if (m->by)
		task_groups_make(f, trace, what->file, &how);
	m->nr = m->by ? f->nr_groups : f->nr_tasks;
	rows = mem_array((size_t)m->nr + 1, sizeof(*rows));
	for (uint32_t i = 0; i < m->nr; i++) {
		rows[i] = task_row_of(f, i);
		rows[i].clock = trace_unit(trace) == TRACE_UNIT_COUNT ? trace_clock(trace) : NULL;
		rows[i].wake_comm = wake_comm(m, &f->tasks[i]);
		rows[i].lacks = lacks;
	}
	if (m->nr)
		qsort(rows, m->nr, sizeof(*rows), by_time);
	m->rows = rows;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void make_pairs(struct tasks_lists *m)
{
	const struct sched_pass *pass = task_table_pass(m->table);
	const struct task_pair_figures *f =
		&m->figures.pairs[m->scope.list == OF_WOKEN ? TASK_WOKEN_BY : TASK_PREEMPTED_BY];
	struct task_pair_row *rows = mem_array((size_t)f->nr + 1, sizeof(*rows));

	for (uint32_t i = 0; i < f->nr; i++) {
		const struct task_pair *pair = &f->pairs[i];
		const char *comm = sched_pass_comm(pass, pair->task);

		if (is_wanted(m, pair->pid, comm))
			rows[m->nr++] = (struct task_pair_row){ pair, comm,
								task_pair_by_comm(pass, pair) };
	}
	m->rows = rows;
}

/* --- the list --------------------------------------------------------------------------------- */

static void find_kept(struct tasks_lists *m)
{
	const struct event_sweep_options *what = &m->scope.what;

	if (!what->nr_filters)
		return;
	kept_tasks_begin(&m->kept, m->scope.trace, what->file, m->figures.buffer, what->filters,
			 what->nr_filters);
	kept_tasks_take(&m->kept, true);
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct tasks_lists *m = model;

	if (m->queues)
		return cpus_list_source.take(m->queues, wait, permille, err);
	if (wait)
		task_table_wait(m->table);
	task_table_take(m->table, &m->figures);
	if (permille)
		*permille = m->figures.permille;
	if (!m->figures.done)
		return LIST_LATER;
	if (m->figures.failed) {
		sched_tell_full(m->scope.trace, m->scope.what.file, err);
		return LIST_FAILED;
	}
	if (m->scope.compared)
		return LIST_DONE;
	find_kept(m);
	if (is_of_pairs(m))
		make_pairs(m);
	else
		make_tasks(m);
	return LIST_DONE;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	const struct tasks_lists *m = model;
	const struct sched_pass *pass;

	if (m->queues)
		return cpus_list_source.rows(m->queues, 0, by);
	pass = task_table_pass(m->table);
	return (struct list_rows){
		.columns = list == OF_PREEMPTED ? &task_preempted_columns :
			   list == OF_WOKEN	? &task_woken_columns :
			   m->by		? task_group_columns(m->by) :
						  &task_columns,
		.array = m->rows, .nr = m->nr,
		.bytes = is_of_pairs(m) ? sizeof(struct task_pair_row) : sizeof(struct task_row),
		.lacks = m->figures.has_stolen ? 0 : TASK_NEEDS_STOLEN,
		.damaged = sched_pass_totals(pass).damaged,
		.is_partial = sched_pass_is_partial(pass),
	};
}

/* Its longest latency, or only which task it is. */
static bool origin(const void *model, unsigned int list, const void *row,
		   const struct table_column *column, struct list_place *place)
{
	const struct tasks_lists *m = model;
	const struct sched_task *t = ((const struct task_row *)row)->task;
	bool is_wake = column->own == TASK_LONGEST_WAKE;

	if (list != OF_TASKS || m->by)
		return false;
	*place = (struct list_place){ .ref = TRACE_REF_NONE, .pid = (int)t->pid, .cpu = -1,
				      .is_moment = is_wake && t->max_wakeup,
				      .ts = t->max_wake_ts,
				      .to = time_after(t->max_wake_ts, t->max_wakeup) };
	return true;
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct tasks_lists *m = model;

	if (m->queues) {
		cpus_list_source.tell(m->queues, list, any);
		return;
	}
	sched_tell(task_table_pass(m->table), m->scope.given, any);
	sched_tell_limits(task_table_pass(m->table), m->scope.what.file);
	if (!any && m->scope.what.nr_filters && !kept_tasks_any(&m->kept))
		warnings_tell("nothing matches");
	if (m->nr)
		sched_tell_lost(task_table_pass(m->table));
}

static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	struct tasks_lists *m = model;

	(void)list;
	tasks_compare(&m->figures, task_table_pass(m->table), &m->scope, m->by, diff, side);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[] = { { "task" }, { "pair" }, { "pair" }, { "CPU" } };

_Static_assert(sizeof(lists) / sizeof(lists[0]) == NR_LISTS, "each has a line");

static const struct table_columns *process_columns(void)
{
	return task_group_columns(GROUPING_PROCESS);
}

static const struct list_keys keys[] = {
	{ "tasks", "A task.", .columns = &task_columns },
	{ "tasks --by=process",
	  "A group of tasks; so with the other words of --by, which is the first key.",
	  .made = process_columns },
	{ "tasks --preempted", "Who preempted whom; with --woken, who woke whom.",
	  .columns = &task_preempted_columns },
	{ 0 },
};

const struct list_source tasks_list_source = {
	.title = "Tasks",
	.command = {
		.name = "tasks",
		.operands = "[FILE...]",
		.summary = "what each task did: times it ran, waited and slept, switches, wake-ups",
		.is_main = true,
		.details = "The task that ran longest comes first; --sort chooses another column. Times are\n"
			   "in us (--unit).\n"
			   "  run             from a switch to the task until the switch from it\n"
			   "  partial         part of run: runs that the trace does not show as a\n"
			   "                  whole, because it begins or ends, or because events\n"
			   "                  were lost. In csv and json, run_ns is without\n"
			   "                  run_cut_ns\n"
			   "  wait            the task could run, and had no CPU\n"
			   "  sleep, blocked  until the wake-up; blocked is state D\n"
			   "  max wake        the longest time from a wake-up to the run\n"
			   "  doubtful        the part of wait, sleep and blocked that may have ended\n"
			   "                  earlier, because events were lost in it; max wake\n"
			   "                  contains no doubtful time\n"
			   "  stolen          of a guest, if the file of its host is given, too: the\n"
			   "                  part of run in which the host did not run the vCPU. If\n"
			   "                  host records are missing, the true time may be less (~)\n"
			   "                  or more (>), by at most stolen_doubtful_ns or\n"
			   "                  stolen_unknown_ns (csv, json)\n"
			   "While events are missing, nothing is counted. run and all counts are then lower\n"
			   "bounds, and a warning says so. Without wake-ups, wait and wakeups are, too (>),\n"
			   "and so are waits and max wake if sched_wakeup is recorded, but not sched_waking:\n"
			   "it comes later, often from another CPU than the one where the task was woken.\n"
			   "preempt has ~ where a limit of the task's cgroup was used up, and it is not\n"
			   "recorded when.\n"
			   "Where nothing could be recorded (tracing off, the machine suspended, a CPU\n"
			   "offline), nothing is counted, either: a warning tells for how long. With ~,\n"
			   "it is inferred: all CPUs were silent for more than two seconds.\n"
			   "Some kernels and filters leave switches out without a mark. A switch from a task\n"
			   "that did not run on its CPU reveals that: a warning counts such switches, and\n"
			   "times around them are doubtful.\n"
			   "If a pid is used again, each of its tasks has a row, provided that the trace\n"
			   "shows the exit of one (the state of its last switch, or sched_process_exit) and\n"
			   "the birth of the next (sched_wakeup_new, sched_process_fork, task_newtask).\n"
			   "Events of sched are read from the top buffer, or from the first buffer that has\n"
			   "any. With --from and --to, only times within the window count, both ends\n"
			   "included.\n\n"
			   "With -F, only matching events count, but the states are those of all events.\n"
			   "A run, with its switch and its preemption, counts if the switch that ends the\n"
			   "run matches. A wait counts if the switch to the task matches, a sleep if the\n"
			   "wake-up matches, and a wake-up or a migration if it matches itself.\n"
			   "Wake-ups, migrations, waits and sleep are matched as events of the task that\n"
			   "they are about, so -F 'comm == bash' counts all of bash. A run, wait or sleep\n"
			   "that lasts until the end of the trace, or until events were lost, does not\n"
			   "count. A task is listed if anything counts for it, or if one of its events\n"
			   "matches. With --from and --to, a task is listed if the trace shows anything of\n"
			   "it in between. A match of wait or wakelat belongs to the task that waited; a\n"
			   "switch that matches ran or state belongs to the task that leaves the CPU.\n\n"
			   "With --cpu, these count: runs and switches on these CPUs, waits that end with\n"
			   "a run there, sleep that begins there, wake-ups made there, migrations to\n"
			   "them, and system calls and interrupts that begin there.\n\n"
			   "--preempted prints who preempted whom, and --woken who woke whom: how often,\n"
			   "and how long the task then waited to run, the largest sum first. A preemption\n"
			   "is a switch from a task that could have run on to another task. The waker is the\n"
			   "task that ran when the wake-up was made, or the kind of interrupt. Without\n"
			   "sched_waking, it is not known where another CPU may have woken the task. A wait\n"
			   "counts if it began within the window and ended with a run; doubtful waits,\n"
			   "during which records are missing, are counted separately.\n\n"
			   "--by prints a row for each group of tasks: the tasks of a process; of a cgroup\n"
			   "and the cgroups below it; of a name, without the numbers in it; of a user; of a\n"
			   "scheduling class. Each figure is the sum over these tasks. A task that moved to\n"
			   "another cgroup counts in each for the time that it was there. The second process\n"
			   "with a pid gets a number: make-123 (2). Tasks whose group the trace does not show\n"
			   "are in the group \"not known\". For a cgroup, throttled is the time for which its\n"
			   "own cpu.max kept it from running. The kernel counts that for each CPU during the\n"
			   "whole recording, so it is missing in parts of a trace (--from, -F, --cpu).\n\n"
			   "CSV and JSON have more columns, those of the screen: the mean, the 99th\n"
			   "percentile and the longest wait, the longest run, sleep and block, system calls,\n"
			   "interrupts and the last priority. --sort and ftop-trace check accept them as\n"
			   "well: --sort=max_wait_ns. A figure that was not recorded is empty, or null.\n\n"
			   "--queues prints the table of ftop-trace cpus.",
		.word_means = "--task=%s",
		.examples = "Who waited longest for a CPU, in ms:\n"
			    "  ftop-trace tasks --sort=wait --head=10 --unit=ms\n"
			    "Who preempted bash, in a tenth of a second:\n"
			    "  ftop-trace tasks --preempted --task=bash --from=7.5 --to=7.6",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "preempted", .id = LIST_OPTION(OF_PREEMPTED),
			  .help = "print who preempted whom; --task is the preempted task" },
			{ .name = "woken", .id = LIST_OPTION(OF_WOKEN),
			  .help = "print who woke whom; --task is the woken task" },
			{ .name = "by", .arg = GROUPINGS_OPTION, .id = OPT_BY,
			  .help = "print groups of tasks instead of tasks" },
			{ .name = "queues", .id = LIST_OPTION(OF_QUEUES),
			  .help = "print CPUs, as ftop-trace cpus does" },
			PART_OPTIONS("only events and times there count, as described above"),
			TABLE_OPTIONS, FILE_OPTIONS, OPTION_END,
		},
	},
	.picks_tasks = true,
	.unindexed = true,
	.keys = keys,
	.lists = lists,
	.nr = NR_LISTS,
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.origin = origin,
	.tell = tell,
	.compare = compare,
};
