/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus - what each CPU did, or groups of CPUs. */
#include <stdlib.h>

#include "src/commands/commands.h"
#include "src/commands/table_command.h"
#include "src/sched/task_columns.h"
#include "src/sched/task_groups.h"
#include "src/trace/warnings.h"

enum { OPT_BY = 50 };			/* `tasks --queues` passes its options on */

const struct command_def cmd_cpus_def = {
	.name = "cpus",
	.operands = "[FILE...]",
	.summary = "what each CPU did: queues, idle states, frequencies, migrations",
	.details = "A row is a CPU, in the order of nodes, caches and cores where the\n"
		   "recorder kept them. Times are in us (--unit). With --from and --to, only\n"
		   "times within the window count, both ends included.\n"
		   "  known, queue  how many tasks waited for it, on average over the time\n"
		   "                that is known, and at most, without the one that ran\n"
		   "  wasted        it idled while two or more tasks waited for another CPU\n"
		   "  doubtful      the part of known in which another CPU lacks records:\n"
		   "                it is in no longest time\n"
		   "  busy, idle    a task ran, or none\n"
		   "  deepest       in the deepest idle state that it was in (cpu_idle). CSV\n"
		   "                and JSON have the times in all states: 1:500 is 500 ns in\n"
		   "                state 1\n"
		   "  frequency     the mean over the time that it is known: from the first\n"
		   "                cpu_frequency event on, but not where events are lost\n"
		   "  capacity      of 1024: what the CPU was worth at that frequency\n"
		   "  core, cache, node, machine\n"
		   "                tasks that moved to it from within its core, its\n"
		   "                last-level cache, its node, and from another node\n"
		   "A task waits for its last CPU, or where a wake-up or a migration sends it.\n"
		   "queue and wasted do not count tasks of which nothing was recorded yet, and\n"
		   "those that wait for a CPU without records.\n"
		   "\n"
		   "--by prints a row for each group of CPUs. Its sums are those of its CPUs;\n"
		   "most and max wasted are those of its worst one. CPUs of which the trace\n"
		   "does not tell the group are \"not known\".\n"
		   "\n"
		   "With -F only matching events count, as in ftop-trace tasks; queues and\n"
		   "frequencies are not known then.",
	.examples = "Which node idles, in ms:\n"
		    "  ftop-trace cpus --by=node --unit=ms\n"
		    "The CPUs that were wasted longest:\n"
		    "  ftop-trace cpus --sort=wasted --head=10",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "by", .arg = CPU_LEVELS_OPTION, .id = OPT_BY,
		  .help = "print groups of CPUs instead of CPUs" },
		PART_OPTIONS("only what happens there counts"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct printed_cpus {
	const struct table_command *c;
	struct task_figures figures;
	struct cpu_groups groups;
	struct cpu_group_row row;
};

static bool is_given(const struct table_command *c, int cpu)
{
	return !c->given.cpus || (cpu < (int)FILTER_OPTION_CPUS && c->given.cpus[cpu]);
}

/* Is there anything to tell? */
static bool did_any(const struct cpu_sums *cpu)
{
	return cpu->queue.known || cpu->busy || cpu->idle;
}

static const void *cpu_at(void *arg, uint64_t i)
{
	const struct printed_cpus *p = arg;
	const struct cpu_sums *cpu = &p->figures.cpus[p->groups.order[i]];

	return is_given(p->c, cpu->cpu) && did_any(cpu) ? cpu : NULL;
}

static const void *group_at(void *arg, uint64_t i)
{
	struct printed_cpus *p = arg;

	p->row.sums = p->figures.cpus[i];
	p->row.name = p->figures.text.data + p->figures.cpu_names[i];
	return did_any(&p->row.sums) ? &p->row : NULL;
}

/* Of CPUs that were not given, nothing counts. */
static void leave_out(struct printed_cpus *p)
{
	for (unsigned int i = 0; i < p->figures.nr_cpus; i++)
		if (!is_given(p->c, p->figures.cpus[i].cpu))
			p->figures.cpus[i] = (struct cpu_sums){ .cpu = p->figures.cpus[i].cpu };
}

static void find_groups(struct printed_cpus *p, enum cpu_level by)
{
	const struct machine *machine = trace_machine(p->c->trace, 0);
	uint32_t nr = p->figures.nr_cpus;
	int *cpus = mem_array(nr + 1, sizeof(*cpus));

	for (uint32_t i = 0; i < nr; i++)
		cpus[i] = p->figures.cpus[i].cpu;
	if (by == CPU_LEVELS)
		cpu_groups_tree(&p->groups, machine, cpus, nr);
	else
		cpu_groups_level(&p->groups, machine, cpus, nr, by);
	free(cpus);
}

static int print(struct table_command *c, struct task_table *table, enum cpu_level by,
		 struct ft_error *err)
{
	const struct machine *machine = trace_machine(c->trace, 0);
	struct printed_cpus p = { .c = c };
	struct table_columns columns;
	uint32_t nr;
	int ret;

	task_table_take(table, &p.figures);
	leave_out(&p);
	find_groups(&p, by);
	columns = by == CPU_LEVELS ? task_cpu_columns : *task_cpu_group_columns(by);
	if (c->given.format == FORMAT_TEXT)	/* scripts count columns */
		columns.lacks = task_columns_lack(&p.figures, machine) & ~TASK_NEEDS_SCHED;
	nr = p.figures.nr_cpus;
	if (by != CPU_LEVELS) {
		task_groups_make_cpus(&p.figures, &p.groups);
		nr = p.figures.nr_cpu_groups;
	}
	ret = table_command_print(c, &columns, p.figures.switches ? nr : 0,
				  by == CPU_LEVELS ? cpu_at : group_at, &p, err);
	task_figures_fini(&p.figures);
	cpu_groups_fini(&p.groups);
	return ret;
}

static int find_level(const struct option_list *list, enum cpu_level *by, struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		if (list->values[i].id != OPT_BY)
			continue;
		*by = cpu_level_find(list->values[i].value, err);
		if (*by == CPU_LEVELS)
			return -1;
	}
	return 0;
}

static struct task_table *count(struct table_command *c)
{
	const struct task_table_options options = {
		.range = table_command_range(c),
		.filters = &c->filter,
		.nr_filters = c->filter != NULL,
		.goes_on = c->file->window && trace_grows(c->trace),
	};
	struct task_table *table = task_table_new(c->trace, &options);

	task_table_wait(table);
	c->pass = task_table_pass(table);
	return table;
}

int cmd_cpus(const struct command_file *file, struct ft_error *err)
{
	struct task_table *table = NULL;
	enum cpu_level by = CPU_LEVELS;
	struct table_command c;
	int ret = table_command_init(&c, file, err);

	if (!ret)
		ret = find_level(file->list, &by, err);
	if (!ret)
		ret = table_command_bind(&c, err);
	if (!ret) {
		table = count(&c);
		ret = table_command_check_filter(&c, err);
	}
	if (!ret)
		ret = print(&c, table, by, err);
	if (!ret) {
		const char *lost = sched_pass_lost(c.pass);

		table_command_tell(&c);
		if (lost && c.has_rows)
			warnings_tell("%s", lost);
	}
	task_table_free(table);		/* needs the trace and the filters */
	table_command_fini(&c);
	return ret;
}
