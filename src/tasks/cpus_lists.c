/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/tasks/cpus_lists.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/model/list_source.h"
#include "src/sched/sched_tell.h"
#include "src/sched/task_columns.h"
#include "src/sched/task_groups.h"
#include "src/trace/cpu_groups.h"
#include "src/trace/trace_guests.h"
#include "src/trace/warnings.h"

enum { OPT_BY = LIST_OWN };

struct cpus_lists {
	struct trace	*trace;		/* borrowed */
	struct list_scope scope;
	enum cpu_level	 by;		/* CPU_LEVELS: no groups */
	struct trace	*host;		/* owned: of a guest, if its file is among the operands */
	struct task_table *table;	/* owned */
	struct task_figures figures;
	struct table_columns columns;
	unsigned int	 lacks;		/* what was not recorded */
	void		*rows;		/* owned, [nr]: struct cpu_sums; cpu_group_row: groups */
	uint32_t	 nr;
};

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, trace_has_switches);
}

static int find_level(struct cpus_lists *m, struct ft_error *err)
{
	const struct option_list *list = m->scope.options;

	m->by = CPU_LEVELS;
	for (unsigned int i = 0; list && i < list->nr; i++) {
		if (list->values[i].id != OPT_BY)
			continue;
		m->by = cpu_level_find(list->values[i].value, err);
		if (m->by == CPU_LEVELS)
			return -1;
	}
	return 0;
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct cpus_lists *m = mem_alloc(sizeof(*m));
	struct task_table_options options = {
		.file = scope->what.file,
		.range = scope->what.range,
		.filters = scope->what.filters,
		.nr_filters = scope->what.nr_filters,
		.goes_on = scope->what.only_range && trace_grows(scope->trace),
		.no_tasks = true,
		.no_pairs = true,
	};

	m->trace = scope->trace;
	m->scope = *scope;
	if (find_level(m, err)) {
		free(m);
		return NULL;
	}
	m->host = options.host = trace_guests_open(scope->options,
						   trace_file_of(m->trace, scope->what.file),
						   TRACE_HOST, &(unsigned int){ 0 });
	m->table = task_table_new(m->trace, &options);
	return m;
}

static void end(void *model)
{
	struct cpus_lists *m = model;

	task_table_free(m->table);
	trace_close(m->host);
	task_figures_fini(&m->figures);
	free(m->rows);
	free(m);
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool is_given(const struct cpus_lists *m, int cpu)
{
	const struct trace_part part = { .only = m->scope.what.only,
					 .nr_only = m->scope.what.nr_only };

	return trace_part_has_cpu(&part, cpu);
}

/* Is anything known of it? */
static bool did_any(const struct cpu_sums *cpu)
{
	return cpu->queue.known || cpu->busy || cpu->idle;
}

/* Was it recorded, but nothing of it could be written?  It is a row, of which nothing is known. */
static bool is_lost(const struct cpus_lists *m, int cpu)
{
	unsigned int buffer = sched_pass_buffer(task_table_pass(m->table));
	bool is_lost = false;

	for (unsigned int i = 0; i < trace_nr_streams(m->trace) && !is_lost; i++) {
		struct trace_stream_info info = trace_stream_info(m->trace, i);

		is_lost = info.file == m->scope.what.file && info.buffer == buffer &&
			  info.cpu == cpu && !info.events && info.lacks_end;
	}
	return is_lost;
}

static void find_groups(const struct cpus_lists *m, struct cpu_groups *groups)
{
	const struct machine *machine = trace_machine(m->trace, m->scope.what.file);
	uint32_t nr = m->figures.nr_cpus;
	int *cpus = mem_array((size_t)nr + 1, sizeof(*cpus));

	for (uint32_t i = 0; i < nr; i++)
		cpus[i] = m->figures.cpus[i].cpu;
	if (m->by == CPU_LEVELS)
		cpu_groups_tree(groups, machine, cpus, nr);
	else
		cpu_groups_level(groups, machine, cpus, nr, m->by);
	free(cpus);
}

static void make_cpus(struct cpus_lists *m, const struct cpu_groups *groups)
{
	struct cpu_sums *rows = mem_array((size_t)m->figures.nr_cpus + 1, sizeof(*rows));

	for (uint32_t i = 0; i < m->figures.nr_cpus; i++) {
		const struct cpu_sums *cpu = &m->figures.cpus[groups->order[i]];

		if (is_given(m, cpu->cpu) && (did_any(cpu) || is_lost(m, cpu->cpu)))
			rows[m->nr++] = *cpu;
	}
	m->rows = rows;
	m->columns = task_cpu_columns;
}

static void make_groups(struct cpus_lists *m, const struct cpu_groups *groups)
{
	struct task_figures *f = &m->figures;
	struct cpu_group_row *rows;

	task_groups_make_cpus(f, groups);
	rows = mem_array((size_t)f->nr_cpu_groups + 1, sizeof(*rows));
	for (uint32_t i = 0; i < f->nr_cpu_groups; i++)
		if (did_any(&f->cpus[i]))
			rows[m->nr++] = (struct cpu_group_row){
				f->cpus[i], f->text.data + f->cpu_names[i]
			};
	m->rows = rows;
	m->columns = *task_cpu_group_columns(m->by);
}

/* Of CPUs that were not given, nothing counts. */
static void leave_out(struct task_figures *f, const struct cpus_lists *m)
{
	for (unsigned int i = 0; i < f->nr_cpus; i++)
		if (!is_given(m, f->cpus[i].cpu))
			f->cpus[i] = (struct cpu_sums){ .cpu = f->cpus[i].cpu };
}

static void make_rows(struct cpus_lists *m)
{
	const struct machine *machine = trace_machine(m->trace, m->scope.what.file);
	struct cpu_groups groups = { 0 };

	leave_out(&m->figures, m);
	find_groups(m, &groups);
	if (m->by == CPU_LEVELS)
		make_cpus(m, &groups);
	else
		make_groups(m, &groups);
	m->lacks = task_columns_lack(&m->figures, machine) & ~TASK_NEEDS_SCHED;
	m->nr *= m->figures.switches != 0;
	cpu_groups_fini(&groups);
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct cpus_lists *m = model;

	if (wait)
		task_table_wait(m->table);
	task_table_take(m->table, &m->figures);
	if (permille)
		*permille = m->figures.permille;
	if (!m->figures.done)
		return LIST_LATER;
	if (m->figures.failed) {
		sched_tell_full(m->trace, m->scope.what.file, err);
		return LIST_FAILED;
	}
	make_rows(m);
	return LIST_DONE;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	const struct cpus_lists *m = model;
	const struct sched_pass *pass = task_table_pass(m->table);

	(void)list;
	(void)by;
	return (struct list_rows){
		.columns = &m->columns, .array = m->rows, .nr = m->nr,
		.bytes = m->by == CPU_LEVELS ? sizeof(struct cpu_sums) :
					       sizeof(struct cpu_group_row),
		.lacks = m->lacks, .command = "cpus",
		.damaged = sched_pass_totals(pass).damaged,
		.is_partial = sched_pass_is_partial(pass),
	};
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct cpus_lists *m = model;

	(void)list;
	sched_tell(task_table_pass(m->table), m->scope.given, any);
	if (any)
		sched_tell_queues(task_table_pass(m->table));
	if (any)
		sched_tell_limits(task_table_pass(m->table), m->scope.what.file);
	if (m->nr)
		sched_tell_lost(task_table_pass(m->table));
	if (!any)
		sched_tell_nothing_kept(task_table_pass(m->table), &m->scope.what);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[] = {
	{ "CPU" },
};

static const struct list_keys keys[] = {
	{ "cpus", "A CPU, also of tasks --queues. With --by, a group: its name, then cpus instead of cpu.",
	  .columns = &task_cpu_columns },
	{ 0 },
};

const struct list_source cpus_list_source = {
	.title = "CPUs",
	.command = {
		.name = "cpus",
		.operands = "[FILE...]",
		.summary = "what each CPU did: queues, idle states, frequencies, migrations",
		.details = "Each row is a CPU, in the order of nodes, caches and cores if the recording\n"
			   "contains it. Times are in us (--unit). With --from and --to, only times within\n"
			   "the window count, both ends included.\n"
			   "  known, queue  the number of tasks that waited for this CPU, without the\n"
			   "                one that ran: on average over the time for which it is\n"
			   "                known, and at most\n"
			   "  wasted        the CPU was idle while two or more tasks waited for\n"
			   "                another CPU\n"
			   "  doubtful      the part of known in which records of another CPU are\n"
			   "                missing; the longest times leave it out\n"
			   "  busy, idle    a task ran, or none\n"
			   "  deepest       the time in the deepest idle state that the CPU used\n"
			   "                (cpu_idle). CSV and JSON have all states: 1:500 is 500 ns\n"
			   "                in state 1\n"
			   "  frequency     the mean over the time for which it is known: from the\n"
			   "                first cpu_frequency event, without times of lost events\n"
			   "  capacity      the capacity of the CPU at that frequency; 1024 is the\n"
			   "                largest\n"
			   "  core, cache, node, machine\n"
			   "                tasks that moved to this CPU from the same core, the same\n"
			   "                last-level cache, the same node, and from another node\n"
			   "  stolen        of a guest, if the file of its host is given, too: the\n"
			   "                part of busy in which the host did not run the vCPU;\n"
			   "                marks and csv columns are as in ftop-trace tasks\n"
			   "A task waits for the CPU that it left, or to which its sched_wakeup or a later\n"
			   "sched_migrate_task sends it. Where neither is recorded, it is taken for the CPU\n"
			   "on which it then ran: with ~, only sums of all CPUs are exact. They have ~, too,\n"
			   "without wake-ups, and where it is not recorded when limits of cgroups kept tasks\n"
			   "from running. queue and wasted\n"
			   "leave out tasks without any record so far, and tasks that wait for a CPU without\n"
			   "records. In CSV and JSON, guessed_ns is how long tasks waited so, for any CPU.\n\n"
			   "--by prints a row for each group of CPUs. Each figure is the sum over these CPUs;\n"
			   "most and max wasted are those of the worst CPU. CPUs whose group the trace does\n"
			   "not show are \"not known\".\n\n"
			   "With -F, only matching events count, as in ftop-trace tasks; queues and\n"
			   "frequencies are then not known.",
		.examples = "Which node idles, in ms:\n"
			    "  ftop-trace cpus --by=node --unit=ms\n"
			    "The CPUs that were wasted longest:\n"
			    "  ftop-trace cpus --sort=wasted --head=10",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "by", .arg = CPU_LEVELS_OPTION, .id = OPT_BY,
			  .help = "print groups of CPUs instead of CPUs" },
			PART_OPTIONS("only events and times there count"),
				TABLE_OPTIONS, FILE_OPTIONS, OPTION_END,
		},
	},
	.unindexed = true,
	.keys = keys,
	.lists = lists,
	.nr = 1,
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.tell = tell,
};
