/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks - what each task did: ran, waited, slept, was woken. */
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/commands/commands.h"
#include "src/commands/table_command.h"
#include "src/lists/sources.h"
#include "src/sched/task_columns.h"
#include "src/sched/task_groups.h"
#include "src/trace/warnings.h"

enum { OPT_PREEMPTED = 1, OPT_WOKEN, OPT_QUEUES, OPT_BY };

const struct command_def cmd_tasks_def = {
	.name = "tasks",
	.operands = "[FILE...]",
	.summary = "what each task did: times it ran, waited and slept, switches, wake-ups",
	.details = "Tasks are sorted by the time they ran (--sort). Times are in us (--unit).\n"
		   "  run             from a switch to the task until the switch from it\n"
		   "  partial         part of run: runs cut off by the start or end of the\n"
		   "                  trace, or by lost events. In csv and json, run_ns is\n"
		   "                  without run_cut_ns\n"
		   "  wait            runnable, but not running\n"
		   "  sleep, blocked  until the wake-up; blocked is state D\n"
		   "  max wake        the longest time from a wake-up to the run\n"
		   "  doubtful        the part of wait, sleep and blocked that may have ended\n"
		   "                  earlier, since events were lost meanwhile; no doubtful\n"
		   "                  time is in max wake\n"
		   "Where events were lost, nothing counts: then run and all counts are lower\n"
		   "bounds, and a warning says so.\n"
		   "Some kernels and filters leave switches out and mark no loss. A switch from\n"
		   "a task that did not run on its CPU shows that: a warning counts them, and\n"
		   "times around them are doubtful.\n"
		   "A pid that is used again has a row for each of its tasks, if the trace tells\n"
		   "that one exited (the state of its last switch, or sched_process_exit) and\n"
		   "that another was born (sched_wakeup_new, sched_process_fork, task_newtask).\n"
		   "Sched events are read from the top buffer, or else from the first buffer\n"
		   "that has any. With --from and --to, only times within the window count,\n"
		   "both ends included.\n\n"
		   "With -F only matching events count; the states still come from all events.\n"
		   "A run, its switch and its preemption count if the switch that ends the run\n"
		   "matches; a wait, if the switch to the task matches; a sleep, if the\n"
		   "wake-up matches; wake-ups and migrations, if they match themselves.\n"
		   "Wake-ups, migrations, waits and sleep are matched as events of that task,\n"
		   "so -F 'comm == bash' counts all of bash. With -F, a run, wait or sleep that\n"
		   "lasts until the end of the trace, or until events were lost, does not count.\n"
		   "A task is listed if anything counts for it, or if one of its events matches.\n"
		   "With --from and --to, one is listed of which anything is known in between.\n"
		   "A match of wait or wakelat belongs to the task that waited; a switch that\n"
		   "matches ran or state belongs to the task that leaves the CPU.\n\n"
		   "With --cpu these count: runs and switches on these CPUs, waits that end\n"
		   "with a run there, sleep that begins there, wake-ups made there, migrations to\n"
		   "them, and system calls and interrupts that begin there.\n\n"
		   "--preempted prints who preempted whom, --woken who woke whom: how often the\n"
		   "task waited to run then, and how long, the largest sum first. A preemption is\n"
		   "a switch from a task that could have run on; who came is the next task. Who\n"
		   "woke is the task that ran, or the kind of interrupt. A wait counts if it began\n"
		   "within the window and ended with a run; doubtful ones, during which records\n"
		   "are missing, are counted apart.\n\n"
		   "--by prints a row for each group of tasks: those of a process; of a cgroup,\n"
		   "with all in the cgroups below it; of a name, without its numbers; of a user;\n"
		   "of a scheduling class. Its sums are the sums of its tasks. A task that came\n"
		   "into another cgroup counts in each for the time it was there. The second process\n"
		   "with a pid has a number: make-123 (2). What the trace does not tell is the group\n"
		   "\"not known\". Of a cgroup, throttled is the time that its own cpu.max kept it\n"
		   "from running, as the kernel counted it while the trace was recorded: for each\n"
		   "CPU, and not in parts of a trace (--from, -F, --cpu).\n\n"
		   "CSV and JSON have more figures of each task, as the screen has them: the\n"
		   "mean, 99th percentile and longest wait, the longest run, sleep and block,\n"
		   "system calls, interrupts and the last priority. --sort and check take them,\n"
		   "too: --sort=max_wait_ns. What was not recorded is empty, or null.\n\n"
		   "--queues prints what ftop-trace cpus prints.",
	.word_means = "--task=%s",
	.examples = "Who waited longest for a CPU, in ms:\n"
		    "  ftop-trace tasks --sort=wait --head=10 --unit=ms\n"
		    "Who preempted bash, in a tenth of a second:\n"
		    "  ftop-trace tasks --preempted --task=bash --from=7.5 --to=7.6",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "preempted", .id = OPT_PREEMPTED,
		  .help = "print who preempted whom; --task is who was preempted" },
		{ .name = "woken", .id = OPT_WOKEN,
		  .help = "print who woke whom; --task is who was woken" },
		{ .name = "by", .arg = GROUPINGS_OPTION, .id = OPT_BY,
		  .help = "print groups of tasks instead of tasks" },
		{ .name = "queues", .id = OPT_QUEUES,
		  .help = "print CPUs, as ftop-trace cpus does" },
		PART_OPTIONS("only what happens there counts, as said above"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

/* --- rows ------------------------------------------------------------------------------------ */

struct tasks_order {
	uint32_t	at, pid;	/* at: in figures.tasks */
	int64_t		time;		/* it ran */
};

static int by_time(const void *a, const void *b)
{
	const struct tasks_order *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

struct printed {
	const struct table_command *c;
	struct task_figures figures;
	unsigned int	 lacks;		/* what was not recorded */
	struct task_row	 row;
};

static bool is_listed(const struct table_command *c, const struct sched_task *t, const char *comm)
{
	bool is_part = c->given.cpus || table_command_range(c).set;

	return t->listed &&
	       (sched_task_is_known(t) ||
		(!is_part && table_command_keeps(c, EVENT_COUNTS_TASK, (int)t->pid))) &&
	       table_command_wants(c, t->pid, comm);
}

/* Leave the tasks that are listed, by the time they ran. */
static void choose_tasks(struct printed *p)
{
	struct task_figures *f = &p->figures;
	struct tasks_order *order = mem_array(f->nr_tasks + 1, sizeof(*order));
	struct sched_task *tasks = mem_array(f->nr_tasks + 1, sizeof(*tasks));
	struct task_sums *sums = mem_array(f->nr_tasks + 1, sizeof(*sums));
	size_t *comms = mem_array(f->nr_tasks + 1, sizeof(*comms));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		const struct sched_task *t = &f->tasks[i];

		if (is_listed(p->c, t, f->text.data + f->comms[i]))
			order[nr++] = (struct tasks_order){ i, t->pid,
							    time_after(t->run, t->run_cut) };
	}
	if (nr)
		qsort(order, nr, sizeof(*order), by_time);
	for (uint32_t i = 0; i < nr; i++) {
		tasks[i] = f->tasks[order[i].at];
		sums[i] = f->sums[order[i].at];
		comms[i] = f->comms[order[i].at];
	}
	free(order);
	free(f->tasks);
	free(f->sums);
	free(f->comms);
	f->tasks = tasks;
	f->sums = sums;
	f->comms = comms;
	f->nr_tasks = nr;
}

static const void *row_at(void *arg, uint64_t i)
{
	struct printed *p = arg;
	const struct sched_task *t = &p->figures.tasks[i];

	p->row = (struct task_row){
		.task = t, .sums = &p->figures.sums[i], .clock = p->c->clock,
		.comm = p->figures.text.data + p->figures.comms[i],
		.cpu = t->last_switch_cpu < 0 ?
			       -1 :
			       sched_pass_cpu(p->c->pass, (unsigned int)t->last_switch_cpu),
		.wake_comm = t->answered > t->unsure && t->max_wakeup ?
				     sched_pass_comm_of(p->c->pass, t, t->max_wake_comm) :
				     NULL,
		.lacks = p->lacks,
	};
	return &p->row;
}

/* Its longest latency, or only which task it is. */
static bool find_place(void *arg, const struct table_column *column, const void *row,
		       struct list_place *place)
{
	const struct sched_task *t = ((const struct task_row *)row)->task;
	bool is_wake = column->own == TASK_LONGEST_WAKE;

	(void)arg;
	*place = (struct list_place){ .ref = TRACE_REF_NONE, .pid = (int)t->pid, .cpu = -1,
				      .is_moment = is_wake && t->max_wakeup,
				      .ts = t->max_wake_ts,
				      .to = time_after(t->max_wake_ts, t->max_wakeup) };
	return true;
}

static int print(struct table_command *c, struct printed *p, struct ft_error *err)
{
	c->place = find_place;
	return table_command_print(c, &task_columns, p->figures.nr_tasks, row_at, p, err);
}

/* --- groups ---------------------------------------------------------------------------------- */

struct printed_groups {
	struct printed	*p;
	struct tasks_order *order;	/* owned, [figures.nr_groups] */
};

static const void *group_at(void *arg, uint64_t i)
{
	const struct printed_groups *g = arg;
	struct printed *p = g->p;
	uint32_t at = g->order[i].at;
	const struct sched_task *t = &p->figures.tasks[at];

	p->row = (struct task_row){
		.task = t, .sums = &p->figures.sums[at], .clock = p->c->clock, .cpu = -1,
		.comm = p->figures.text.data + p->figures.comms[at],
		.wake_comm = t->answered > t->unsure && t->max_wakeup ?
				     trace_comm(p->c->trace, 0, (int)t->max_wake_pid,
						t->max_wake_ts) :
				     NULL,
		.lacks = p->lacks,
	};
	return &p->row;
}

static int find_grouping(enum grouping *by, const struct option_list *list, struct ft_error *err)
{
	bool other = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		int id = list->values[i].id;

		other |= id == OPT_PREEMPTED || id == OPT_WOKEN;
		if (id != OPT_BY)
			continue;
		*by = grouping_find(list->values[i].value, err);
		if (!*by)
			return -1;
	}
	if (*by && other)
		return ft_error_set(err, FT_E_USAGE, -1, "--by prints groups of tasks, not pairs");
	return 0;
}

static int print_groups(struct table_command *c, struct printed *p, enum grouping by,
			struct ft_error *err)
{
	const struct task_grouping how = { .by = by, .least = 1,
					   .all_counts = !table_command_range(c).set &&
							 !c->filter && !c->given.cpus };
	struct task_figures *f = &p->figures;
	struct printed_groups g = { .p = p };
	int ret;

	task_groups_make(f, c->trace, 0, &how);
	g.order = mem_array(f->nr_groups + 1, sizeof(*g.order));
	for (uint32_t i = 0; i < f->nr_groups; i++)
		g.order[i] = (struct tasks_order){
			i, i, time_after(f->tasks[i].run, f->tasks[i].run_cut)
		};
	if (f->nr_groups)
		qsort(g.order, f->nr_groups, sizeof(*g.order), by_time);
	ret = table_command_print(c, task_group_columns(by), f->nr_groups, group_at, &g, err);
	free(g.order);
	return ret;
}

/* --- pairs of tasks -------------------------------------------------------------------------- */

/* TASK_PAIR_KINDS: no pairs are asked for. */
static enum task_pair_kind find_pairs(const struct option_list *list)
{
	enum task_pair_kind kind = TASK_PAIR_KINDS;

	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == OPT_PREEMPTED || list->values[i].id == OPT_WOKEN)
			kind = list->values[i].id == OPT_WOKEN ? TASK_WOKEN_BY : TASK_PREEMPTED_BY;
	return kind;
}

struct printed_pairs {
	const struct table_command *c;
	const struct task_pair *pairs;	/* borrowed */
	struct task_pair_row row;
};

static const void *pair_at(void *arg, uint64_t i)
{
	struct printed_pairs *p = arg;

	p->row = (struct task_pair_row){
		.pair = &p->pairs[i],
		.comm = sched_pass_comm(p->c->pass, p->pairs[i].task),
		.by = task_pair_by_comm(p->c->pass, &p->pairs[i]),
	};
	return table_command_wants(p->c, p->pairs[i].pid, p->row.comm) ? &p->row : NULL;
}

static int print_pairs(struct table_command *c, const struct task_pair_figures *figures,
		       enum task_pair_kind kind, struct ft_error *err)
{
	struct printed_pairs p = { .c = c, .pairs = figures->pairs };

	return table_command_print(c,
				   kind == TASK_WOKEN_BY ? &task_woken_columns :
							   &task_preempted_columns,
				   figures->nr, pair_at, &p, err);
}

/* --- the command ----------------------------------------------------------------------------- */

/* Is there a figure to print, or to sort by, that the rules alone do not sum up? */
static bool needs_sums(const struct table_command *c, enum grouping by)
{
	const struct table_column *column = NULL;

	if (c->given.format != FORMAT_TEXT || c->file->taker)
		return true;
	if (c->given.sort)
		column = table_rows_sorted_by(by ? task_group_columns(by) : &task_columns,
					      FORMAT_TEXT, c->given.sort, NULL);
	return column && !column->width;
}

static struct task_table *count(struct table_command *c, enum grouping by, bool pairs)
{
	struct task_table_options options = {
		.range = table_command_range(c),
		.only = c->given.cpus,
		.nr_only = FILTER_OPTION_CPUS,
		.filters = &c->filter,
		.nr_filters = c->filter != NULL,
		.goes_on = c->file->window && trace_grows(c->trace),
		.no_sums = pairs || !needs_sums(c, by),
		.no_pairs = !pairs,
		.no_seen = true,
	};
	struct sched_split *splits = NULL;
	struct task_table *table;

	if (by) {
		table_command_wait(c);
		splits = task_groups_splits(c->trace, 0, by, &options.range, &options.nr_splits);
	}
	options.splits = splits;
	table = task_table_new(c->trace, &options);
	task_table_wait(table);
	c->pass = task_table_pass(table);
	return table;
}

static int print_table(struct table_command *c, struct task_table *table, enum grouping by,
		       enum task_pair_kind pairs, struct ft_error *err)
{
	struct printed p = { .c = c };
	int ret;

	task_table_take(table, &p.figures);
	table_command_keep(c);
	if (p.figures.failed)
		ret = table_command_full(c, err);
	else
		ret = table_command_check_tasks(c, err) || table_command_check_filter(c, err) ? -1 :
												0;
	p.lacks = task_columns_lack(&p.figures, trace_machine(c->trace, 0));
	if (!ret && pairs < TASK_PAIR_KINDS) {
		ret = print_pairs(c, &p.figures.pairs[pairs], pairs, err);
	} else if (!ret) {
		choose_tasks(&p);
		ret = by ? print_groups(c, &p, by, err) : print(c, &p, err);
	}
	task_figures_fini(&p.figures);
	return ret;
}

static void tell(struct table_command *c)
{
	const char *lost = sched_pass_lost(c->pass);

	table_command_tell(c);
	if (lost && c->has_rows)
		warnings_tell("%s", lost);
}

/* The same as `cpus`, which is younger. */
static int print_queues(const struct command_file *file, struct ft_error *err)
{
	bool others = false;

	for (unsigned int i = 0; i < file->list->nr; i++) {
		int id = file->list->values[i].id;

		others |= id == OPT_PREEMPTED || id == OPT_WOKEN || id == OPT_BY ||
			  id == FILTER_OPTION_FILTER || id == FILTER_OPTION_NEGATE ||
			  id == FILTER_OPTION_TASK;
	}
	return others ?
		       ft_error_set(err, FT_E_USAGE, -1,
				    "--queues is about CPUs: it takes no tasks, pairs or filters") :
		       list_command_of(&cpus_list_source, file, err);
}

int cmd_tasks(const struct command_file *file, struct ft_error *err)
{
	enum task_pair_kind pairs = find_pairs(file->list);
	struct task_table *table = NULL;
	enum grouping by = GROUPING_NONE;
	struct table_command command;
	int ret;

	for (unsigned int i = 0; i < file->list->nr; i++)
		if (file->list->values[i].id == OPT_QUEUES)
			return print_queues(file, err);
	ret = table_command_init(&command, file, err);
	if (!ret)
		ret = find_grouping(&by, file->list, err);
	if (!ret)
		ret = table_command_bind(&command, err);
	if (!ret) {
		table = count(&command, by, pairs < TASK_PAIR_KINDS);
		ret = print_table(&command, table, by, pairs, err);
	}
	if (!ret)
		tell(&command);
	task_table_free(table);		/* needs the trace and the filters */
	table_command_fini(&command);
	return ret;
}
