/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_groups.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

/* --- splits ---------------------------------------------------------------------------------- */

struct moves {
	struct trace	*trace;
	enum grouping	 by;
	unsigned int	 file;
	const struct time_range *range;
	struct sched_split *list;	/* owned, [nr] */
	uint32_t	 nr, cap;
	/* The span before this one: */
	int		 pid;
	bool		 known;
	struct text	 name, former;	/* name: of this one's group */
};

/* A span of a pid, which may be in another group than the one before it. */
static void add_move(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	struct moves *m = arg;
	const struct text name = m->former;
	bool known, is_next = m->pid == pid;

	m->former = m->name;
	m->name = name;
	text_clear(&m->name);
	known = grouping_name_of(m->trace, m->by,
				 &(struct grouped_task){ .file = m->file, .pid = pid, .ts = to,
							 .prio = GROUPING_NO_PRIO },
				 who, &m->name);
	if (is_next && time_range_has(m->range, from) &&
	    (known != m->known || strcmp(text_str(&m->name), text_str(&m->former)) != 0)) {
		mem_grow(&m->list, m->nr, &m->cap);
		m->list[m->nr++] = (struct sched_split){ from, (uint32_t)pid };
	}
	m->pid = pid;
	m->known = known;
}

static int by_time(const void *a, const void *b)
{
	const struct sched_split *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

struct sched_split *task_groups_splits(struct trace *trace, unsigned int file, enum grouping by,
				       const struct time_range *range, uint32_t *nr)
{
	struct moves m = { .trace = trace, .by = by, .file = file, .range = range, .pid = -1 };

	/* from before the range on: its first moment may be that of a move */
	if (groupings[by].moves)
		trace_who_moves(trace, file, range->set ? time_after(range->from, -1) : INT64_MIN,
				range->set ? range->to : INT64_MAX, by == GROUPING_PROCESS,
				add_move, &m);
	if (m.nr)
		qsort(m.list, m.nr, sizeof(*m.list), by_time);
	text_fini(&m.name);
	text_fini(&m.former);
	*nr = m.nr;
	return m.list;
}

/* --- sums ------------------------------------------------------------------------------------ */

#define ADD(member) SUM_ADD(sum->member, of->member)

static void add_task(struct sched_task *sum, const struct sched_task *of)
{
	bool is_longer = of->max_wakeup > sum->max_wakeup;

	sched_task_add(sum, of);
	sum->last_switch_cpu = -1;	/* they have several */
	if (is_longer)
		sum->max_wake_pid = of->max_wake_pid ? of->max_wake_pid : of->pid;
}

static void stolen_add(struct stolen_time *sum, const struct stolen_time *of)
{
	ADD(time);
	ADD(doubtful);
	ADD(unknown);
}

void task_sums_add(struct task_sums *sum, const struct task_sums *of)
{
	ADD(waits);
	ADD(waited);
	ADD(unsure);
	ADD(calls);
	ADD(call_time);
	ADD(irqs);
	ADD(irq_time);
	sum->knows_throttled |= of->knows_throttled;
	stolen_add(&sum->stolen, &of->stolen);
	if (of->last_cpu)
		sum->last_cpu = of->last_cpu;
	for (unsigned int i = 0; i < TASK_STAYS; i++)
		if (of->longest[i].length > sum->longest[i].length)
			sum->longest[i] = of->longest[i];
	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++)
		ADD(asleep[i]);
	for (unsigned int i = 0; i < TASK_BINS; i++) {
		ADD(runs[i]);
		ADD(wait_bins[i]);
	}
}

static void add_value(void *arg, uint64_t value, uint64_t count)
{
	while (count--)
		duration_set_add(arg, value);
}

/* Sets are not merged one by one: each time, all of the sum would be written anew. */
void task_durations_add(struct task_durations **sum, struct task_durations *of)
{
	if (of && !*sum)
		*sum = mem_alloc(sizeof(**sum));
	for (unsigned int i = 0; of && i < TASK_DURATIONS; i++) {
		duration_set_each(&of->of[i], add_value, &(*sum)->of[i]);
		(*sum)->totals[i] += of->totals[i];
	}
}

void cpu_sums_add(struct cpu_sums *sum, const struct cpu_sums *of)
{
	ADD(cpus);
	ADD(busy);
	ADD(idle);
	ADD(unknown);
	ADD(irq);
	ADD(softirq);
	ADD(idle_irq);
	ADD(switches);
	ADD(idle_entries);
	ADD(wakeups);
	ADD(migrations);
	ADD(calls);
	ADD(irqs);
	sum->knows_calls |= of->knows_calls;
	sum->knows_moves |= of->knows_moves;
	sum->knows_irqs |= of->knows_irqs;
	sum->knows_hardirqs |= of->knows_hardirqs;
	sum->knows_softirqs |= of->knows_softirqs;
	sum->knows_stolen |= of->knows_stolen;
	stolen_add(&sum->stolen, &of->stolen);
	sum->unsure |= of->unsure;
	ADD(queue.known);
	ADD(queue.doubtful);
	ADD(queue.waited);
	ADD(queue.spare);
	ADD(khz_known);
	ADD(khz_time);
	ADD(capacity_time);
	for (unsigned int i = 0; i < CPU_IDLE_STATES; i++)
		ADD(idle_in[i]);
	for (unsigned int i = 0; i < CPU_DISTANCES; i++)
		ADD(moves[i]);
	if (of->queue.most > sum->queue.most) {
		sum->queue.most = of->queue.most;
		sum->queue.most_at = of->queue.most_at;
		sum->most_cpu = of->cpu;
	}
	if (of->queue.guessed > sum->queue.guessed)	/* both are of all CPUs */
		sum->queue.guessed = of->queue.guessed;
	if (of->queue.spare_at.length > sum->queue.spare_at.length) {
		sum->queue.spare_at = of->queue.spare_at;
		sum->spare_cpu = of->cpu;
	}
	if (of->cpu < sum->cpu)
		sum->cpu = of->cpu;
}

/* --- groups of CPUs -------------------------------------------------------------------------- */

void task_groups_make_cpus(struct task_figures *f, const struct cpu_groups *groups)
{
	uint32_t nr = groups->nr;
	struct cpu_sums *cpus = mem_array(nr + f->nr_cpus + 1, sizeof(*cpus));

	f->cpu_parents = mem_array(nr + f->nr_cpus + 1, sizeof(*f->cpu_parents));
	f->cpu_names = mem_array(nr + 1, sizeof(*f->cpu_names));
	for (uint32_t i = 0; i < nr; i++) {
		const struct cpu_group *group = &groups->list[i];

		cpus[i].cpu = INT32_MAX;
		for (uint32_t k = group->first; k < group->first + group->nr; k++) {
			struct cpu_sums one = f->cpus[groups->order[k]];

			one.cpus = 1;
			cpu_sums_add(&cpus[i], &one);
		}
		f->cpu_parents[i] = group->parent;
		f->cpu_names[i] = f->text.len;
		cpu_group_name(group, &f->text);
		text_char(&f->text, '\0');
	}
	for (uint32_t i = 0; i < f->nr_cpus; i++) {
		cpus[nr + i] = f->cpus[i];
		f->cpu_parents[nr + i] = groups->of[i];
	}
	free(f->cpus);
	f->cpus = cpus;
	f->nr_cpus += nr;
	f->nr_cpu_groups = nr;
}

/* --- groups ---------------------------------------------------------------------------------- */

struct group {
	size_t		 name;		/* in names.text */
	uint32_t	 hash;
	uint32_t	 parent;	/* group around it, or TASK_NO_GROUP */
	uint32_t	 tasks;		/* in it, and in those below it */
	uint32_t	 row;		/* in the end; TASK_NO_GROUP: it is left out */
	struct sched_task task;
	struct task_sums sums;
	struct task_durations *durations;	/* owned until they are the figures' */
	int64_t		 worst;		/* the longest wait in it */
};

struct groups {
	struct group	*list;		/* owned, [nr]; a parent comes before what it is around */
	uint32_t	 nr, cap;
	struct index_map map;		/* by name */
	struct text	 names;		/* each with a NUL */
};

static uint32_t group_named(const struct groups *g, const char *name, size_t len, uint32_t hash)
{
	index_map_each (&g->map, hash, i)
		if (g->list[i].hash == hash &&
		    !strncmp(g->names.data + g->list[i].name, name, len) &&
		    !g->names.data[g->list[i].name + len])
			return i;
	return TASK_NO_GROUP;
}

static uint32_t find_group(struct groups *g, const char *name, size_t len, bool is_tree)
{
	uint32_t hash = index_map_hash_bytes(name, len), parent = TASK_NO_GROUP,
		 nr = group_named(g, name, len, hash);
	size_t up = len;

	if (nr != TASK_NO_GROUP)
		return nr;
	while (is_tree && up && name[up - 1] != '/')
		up--;
	if (is_tree && up && len > 1)	/* "/a/b": in "/a", which is in "/" */
		parent = find_group(g, name, up > 1 ? up - 1 : 1, true);
	mem_grow(&g->list, g->nr, &g->cap);
	nr = g->nr++;
	g->list[nr] = (struct group){ .name = g->names.len, .hash = hash, .parent = parent,
				      .worst = -1 };
	text_bytes(&g->names, name, len);
	text_char(&g->names, '\0');
	index_map_add(&g->map, hash, nr);
	return nr;
}

static int64_t longest_wait(const struct task_figures *f, uint32_t row)
{
	int64_t wait = task_figures_sums(f, row)->longest[TASK_WAITED].length,
		wake = f->tasks[row].max_wakeup;

	return wait > wake ? wait : wake;
}

static void add_to_group(struct group *group, const struct task_figures *f, uint32_t row)
{
	int64_t worst = longest_wait(f, row);

	if (!group->tasks++) {
		group->task = f->tasks[row];
		group->task.max_wake_pid = group->task.pid;
		group->sums = *task_figures_sums(f, row);
		group->task.to = INT64_MAX;
	} else {
		add_task(&group->task, &f->tasks[row]);
		task_sums_add(&group->sums, task_figures_sums(f, row));
	}
	if (f->durations)
		task_durations_add(&group->durations, f->durations[row]);
	if (worst <= group->worst)
		return;
	group->worst = worst;
	group->task.pid = f->tasks[row].pid;
}

void task_figures_keep(struct task_figures *f, bool (*keep)(void *arg, uint32_t row), void *arg)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		if (!keep(arg, i))
			continue;
		f->tasks[nr] = f->tasks[i];
		if (f->sums)
			f->sums[nr] = f->sums[i];
		f->comms[nr++] = f->comms[i];
	}
	f->nr_tasks = nr;
}

bool task_figures_know(const struct task_figures *f, uint32_t row)
{
	const struct task_sums *sums = task_figures_sums(f, row);

	return sched_task_is_known(&f->tasks[row]) || sums->calls || sums->irqs;
}

/* The group of each task, with its sums. */
static uint32_t *sort_tasks(struct groups *g, const struct task_figures *f, struct trace *trace,
			    unsigned int file, const struct task_grouping *how)
{
	enum grouping by = how->by;
	uint32_t *of = mem_array(f->nr_tasks + 1, sizeof(*of));
	struct text name = { 0 };

	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		const struct sched_task *t = &f->tasks[i];

		text_clear(&name);
		if (!grouping_name(trace, by,
				   &(struct grouped_task){ .file = file,
							   .pid = (int)t->pid,
							   .ts = t->to - 1,
							   .comm = f->text.data + f->comms[i],
							   .prio = t->prio },
				   &name)) {
			text_clear(&name);
			text_add(&name, GROUPING_NOT_KNOWN);
		}
		of[i] = find_group(g, text_str(&name), name.len, groupings[by].is_tree);
		if (how->known_only && !task_figures_know(f, i))
			continue;
		for (uint32_t k = of[i]; k != TASK_NO_GROUP; k = g->list[k].parent)
			add_to_group(&g->list[k], f, i);
	}
	text_fini(&name);
	return of;
}

/* What the kernel has counted of a cgroup, from the start of the recording to its end. */
static void take_throttled(void *arg, const struct who_cgroup *c)
{
	struct groups *g = arg;
	size_t len = strlen(c->path);
	int64_t us = who_cgroup_growth(c, c->first.throttled_us, c->last.throttled_us);
	uint32_t nr = group_named(g, c->path, len, index_map_hash_bytes(c->path, len));

	if (us < 0 || us > INT64_MAX / 1000 || nr == TASK_NO_GROUP)
		return;
	g->list[nr].task.throttled = us * 1000;
	g->list[nr].sums.knows_throttled = true;
}

/* Tasks of which the group is not known are one only where a grouping was chosen. */
static bool is_wanted(const struct groups *g, const struct group *group, uint32_t least)
{
	return group->tasks >= least &&
	       (least < GROUPING_MANY ||
		strcmp(g->names.data + group->name, GROUPING_NOT_KNOWN) != 0);
}

/* The rows of groups; where one is left out, that of the group around it. */
static uint32_t number_rows(struct groups *g, uint32_t least)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < g->nr; i++)
		g->list[i].row = is_wanted(g, &g->list[i], least) ? nr++ : TASK_NO_GROUP;
	return nr;
}

static uint32_t row_of(const struct groups *g, uint32_t group)
{
	return group == TASK_NO_GROUP ? TASK_NO_GROUP : g->list[group].row;
}

/* Those of groups come before those of tasks, of which there are @all with the groups. */
static void put_durations(struct task_figures *f, struct groups *g, uint32_t nr, uint32_t all)
{
	struct task_durations **durations = mem_array((size_t)all + 1, sizeof(*durations));

	for (uint32_t i = 0; i < g->nr; i++)
		if (g->list[i].row == TASK_NO_GROUP)
			task_durations_free(g->list[i].durations);
		else
			durations[g->list[i].row] = g->list[i].durations;
	for (uint32_t i = 0; i < f->nr_tasks; i++)
		durations[nr + i] = f->durations[i];
	free(f->durations);
	f->durations = durations;
}

void task_groups_make(struct task_figures *f, struct trace *trace, unsigned int file,
		      const struct task_grouping *how)
{
	struct groups g = { 0 };
	uint32_t *of = sort_tasks(&g, f, trace, file, how), nr = number_rows(&g, how->least),
		 all = nr + f->nr_tasks;
	struct sched_task *tasks = mem_array(all + 1, sizeof(*tasks));
	struct task_sums *sums = mem_array(all + 1, sizeof(*sums));
	size_t *comms = mem_array(all + 1, sizeof(*comms));
	uint32_t *parents = mem_array(all + 1, sizeof(*parents));

	if (how->by == GROUPING_CGROUP && how->all_counts)
		trace_cgroups(trace, file, take_throttled, &g);
	for (uint32_t i = 0; i < g.nr; i++) {
		const struct group *group = &g.list[i];

		if (group->row == TASK_NO_GROUP)
			continue;
		f->has_throttled |= group->sums.knows_throttled;
		tasks[group->row] = group->task;
		sums[group->row] = group->sums;
		sums[group->row].tasks = group->tasks;
		comms[group->row] = f->text.len + group->name;
		parents[group->row] = row_of(&g, group->parent);
	}
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		tasks[nr + i] = f->tasks[i];
		if (f->sums)
			sums[nr + i] = f->sums[i];
		comms[nr + i] = f->comms[i];
		parents[nr + i] = row_of(&g, of[i]);
	}
	if (f->durations)
		put_durations(f, &g, nr, all);
	text_bytes(&f->text, g.names.data, g.names.len);
	free(f->tasks);
	free(f->sums);
	free(f->comms);
	free(f->parents);
	f->tasks = tasks;
	f->sums = sums;
	f->comms = comms;
	f->parents = parents;
	f->nr_groups = nr;
	f->nr_tasks = all;
	free(of);
	free(g.list);
	index_map_fini(&g.map);
	text_fini(&g.names);
}

void task_groups_undo(struct task_figures *f)
{
	uint32_t nr = f->nr_groups;

	f->nr_tasks -= nr;
	memmove(f->tasks, f->tasks + nr, f->nr_tasks * sizeof(*f->tasks));
	memmove(f->sums, f->sums + nr, f->nr_tasks * sizeof(*f->sums));
	memmove(f->comms, f->comms + nr, f->nr_tasks * sizeof(*f->comms));
	if (f->durations) {
		for (uint32_t i = 0; i < nr; i++)
			task_durations_free(f->durations[i]);
		memmove(f->durations, f->durations + nr, f->nr_tasks * sizeof(*f->durations));
	}
	free(f->parents);
	f->parents = NULL;
	f->nr_groups = 0;
	f->has_throttled = false;
}
