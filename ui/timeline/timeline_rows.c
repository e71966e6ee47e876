/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_rows - the rows of the Timeline view: pinned rows, CPUs, plots, tasks, in this order. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/markers.h"
#include "ui/timeline/view_timeline.h"

#define MANY_CPUS	12u	/* with more CPUs, idle ones share a row */

/* Were these found in this window, of all that the model knows?  From now on they are. */
static bool is_as_of(struct view *v, struct timeline_as_of *as_of)
{
	const struct timeline_as_of now = { v->timeline.from, timeline_to(&v->timeline),
					    sched_progress(v->sched).known };
	bool is_same = as_of->from == now.from && as_of->to == now.to && as_of->known == now.known;

	*as_of = now;
	return is_same;
}

static bool same_row(const struct timeline_row *a, const struct timeline_row *b)
{
	return a->kind == b->kind && (a->index == b->index || a->kind == TIMELINE_IDLE_CPUS);
}

bool timeline_is_pinned(const struct view *v, const struct timeline_row *row)
{
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		if (same_row(&v->pinned[i], row))
			return true;
	return false;
}

void timeline_pin(struct view *v, const struct timeline_row *row)
{
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		if (same_row(&v->pinned[i], row)) {
			memmove(v->pinned + i, v->pinned + i + 1,
				(--v->nr_pinned - i) * sizeof(*v->pinned));
			return;
		}
	mem_grow(&v->pinned, v->nr_pinned, &v->cap_pinned);
	v->pinned[v->nr_pinned++] = *row;
}

bool timeline_is_kept(const struct view *v, const struct timeline_row *row)
{
	const struct sched_pass *pass = sched_pass_of(v->sched);

	if (row->kind == TIMELINE_OF_TASK)
		return matching_has(&v->matching, EVENT_COUNTS_TASK,
				    (int)sched_rules_task(sched_pass_rules(pass), row->index)->pid);
	if (row->kind == TIMELINE_CPUS) {
		const struct cpu_group *group = &v->cpu_groups.list[row->index];

		for (uint32_t i = group->first; i < group->first + group->nr; i++)
			if (matching_has(&v->matching, EVENT_COUNTS_CPU,
					 sched_pass_cpu(pass, v->cpu_groups.order[i])))
				return true;
		return false;
	}
	return !timeline_row_cpu(row) ||
	       matching_has(&v->matching, EVENT_COUNTS_CPU, sched_pass_cpu(pass, row->index));
}

/* Do the filters hide the row? They never hide the cursor's row. */
static bool is_hidden(const struct view *v, const struct timeline_row *row)
{
	return filters_hiding(&v->shared->filters) && !timeline_is_kept(v, row) &&
	       !(v->has_here && same_row(row, &v->here));
}

/* Below a task are its slices and, if it was asked about, the parts of its time. */
static void push_row(struct view *v, const struct timeline_row *row)
{
	mem_grow(&v->rows, v->nr_rows, &v->cap_rows);
	v->rows[v->nr_rows++] = *row;
	if (row->kind == TIMELINE_OF_TASK && timeline_slices(&v->timeline, row->index))
		push_row(v, &(struct timeline_row){ TIMELINE_SLICES, row->index });
	if (v->why.done && row->kind == TIMELINE_OF_TASK && row->index == v->why.task)
		push_row(v, &(struct timeline_row){ TIMELINE_PARTS, row->index });
}

static void add_row(struct view *v, enum timeline_row_kind kind, uint32_t index)
{
	const struct timeline_row row = { kind, index };

	if (!timeline_is_pinned(v, &row) && !is_hidden(v, &row))
		push_row(v, &row);
}

/* --- CPUs ------------------------------------------------------------------------------ */

static bool has_contexts(const struct pyramid *p, enum sched_context context)
{
	const int64_t edges[] = { INT64_MIN, INT64_MAX };
	struct pyramid_sum sum;

	if (!p->nr_chunks)
		return false;
	pyramid_columns(p, INT64_MAX, edges, 1, &sum);
	return sum.kinds >> context & 1;
}

bool timeline_is_unfolded(const struct view *v, uint32_t cpu)
{
	return (v->list == 'i') != (cpu < v->nr_turned && v->turned[cpu]);
}

void timeline_unfold(struct view *v, uint32_t cpu, bool unfold)
{
	if (cpu >= v->nr_turned) {
		v->turned = mem_resize(v->turned, cpu + 1, sizeof(*v->turned));
		memset(v->turned + v->nr_turned, 0, (cpu + 1 - v->nr_turned) * sizeof(*v->turned));
		v->nr_turned = cpu + 1;
	}
	v->turned[cpu] = unfold != (v->list == 'i');
}

/* Add a CPU, and its interrupts if it is unfolded. */
static void add_cpu(struct view *v, unsigned int cpu)
{
	add_row(v, TIMELINE_CPU, cpu);
	if (!timeline_is_unfolded(v, cpu))
		return;
	if (has_contexts(sched_contexts(v->sched, cpu), SCHED_CONTEXT_IRQ))
		add_row(v, TIMELINE_IRQS, cpu);
	if (has_contexts(sched_contexts(v->sched, cpu), SCHED_CONTEXT_SOFTIRQ))
		add_row(v, TIMELINE_SOFTIRQS, cpu);
}

/* Finds which kinds of interrupts were recorded on any CPU. */
static void add_all_contexts(struct view *v)
{
	bool irqs = false, softirqs = false;

	for (unsigned int i = 0; i < sched_nr_cpus(v->sched); i++) {
		irqs |= has_contexts(sched_contexts(v->sched, i), SCHED_CONTEXT_IRQ);
		softirqs |= has_contexts(sched_contexts(v->sched, i), SCHED_CONTEXT_SOFTIRQ);
	}
	if (irqs)
		add_row(v, TIMELINE_IRQS, TIMELINE_ALL_CPUS);
	if (softirqs)
		add_row(v, TIMELINE_SOFTIRQS, TIMELINE_ALL_CPUS);
}

/* The groups of the model's CPUs, which may be those of another file. */
static void find_cpu_groups(struct view *v)
{
	const struct machine *machine = trace_machine(v->shared->trace, v->file);
	uint32_t nr = sched_nr_cpus(v->sched);
	int *cpus;

	v->timeline.cpu_groups = &v->cpu_groups;
	if (v->cpu_groups.nr_cpus == nr)
		return;
	cpus = mem_array(nr + 1, sizeof(*cpus));
	for (uint32_t i = 0; i < nr; i++)
		cpus[i] = sched_pass_cpu(sched_pass_of(v->sched), i);
	cpu_groups_fini(&v->cpu_groups);
	cpu_groups_find(&v->cpu_groups, machine, cpus, nr);
	free(v->folds);
	v->folds = mem_array(v->cpu_groups.nr + 1, sizeof(*v->folds));
	free(cpus);
}

bool timeline_cpus_are_open(const struct view *v, uint32_t group)
{
	return v->folds[group] == TIMELINE_AS_AT_FIRST ?
		       v->cpu_groups.list[group].depth < v->fold_depth :
		       v->folds[group] == TIMELINE_OPENED;
}

/* A group that is closed at first keeps its row when it is open. */
static void add_group_row(struct view *v, uint32_t group)
{
	if (!timeline_cpus_are_open(v, group) || v->fold_depth < CPU_LEVELS)
		add_row(v, TIMELINE_CPUS, group);
}

/*
 * With many CPUs, those idle in the whole window share one row below the others; a pinned CPU keeps
 * its own.  Return: [sched_nr_cpus()], to be freed.
 */
static bool *find_idle(struct view *v, uint32_t *busy)
{
	unsigned int nr = sched_nr_cpus(v->sched);
	bool *idles;

	if (!is_as_of(v, &v->idles_as_of) || v->nr_idles != nr) {
		free(v->idles);
		v->idles = mem_array(nr + 1, sizeof(*v->idles));
		v->nr_idles = nr;
		v->nr_busy = 0;
		for (unsigned int i = 0; i < nr; i++) {
			if (!sched_cpu(v->sched, i)->nr_chunks)
				continue;
			v->idles[i] = nr > MANY_CPUS && timeline_is_idle_cpu(&v->timeline, i);
			v->nr_busy += !v->idles[i];
		}
	}
	idles = mem_copy(v->idles, nr + 1, sizeof(*idles));
	*busy = v->nr_busy;
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		if (v->pinned[i].kind == TIMELINE_CPU && idles[v->pinned[i].index]) {
			idles[v->pinned[i].index] = false;
			++*busy;
		}
	return idles;
}

static bool is_here(const struct view *v, uint32_t cpu)
{
	return v->has_here && timeline_row_cpu(&v->here) && v->here.index == cpu;
}

/*
 * In the order of nodes, caches and cores.  Of a closed group, and of CPUs of which nothing is
 * known any more, only the cursor's has a row.
 */
static void add_cpus(struct view *v)
{
	const struct cpu_groups *groups = &v->cpu_groups;
	uint32_t busy, idle = 0, group = 0, closed = 0;
	bool *idles;

	find_cpu_groups(v);
	idles = find_idle(v, &busy);
	v->fold_depth = cpu_groups_fold_depth(groups, busy);
	for (uint32_t i = 0; i < groups->nr_cpus; i++) {
		uint32_t cpu = groups->order[i];

		for (; group < groups->nr && groups->list[group].first == i; group++) {
			if (i < closed)
				continue;
			add_group_row(v, group);
			if (!timeline_cpus_are_open(v, group))
				closed = i + groups->list[group].nr;
		}
		if ((!sched_cpu(v->sched, cpu)->nr_chunks || i < closed) && !is_here(v, cpu)) {
			idles[cpu] = false;
			continue;
		}
		idle += idles[cpu];
		if (!idles[cpu])
			add_cpu(v, cpu);
	}
	if (idle)
		add_row(v, TIMELINE_IDLE_CPUS, idle);
	for (uint32_t i = 0; i < groups->nr_cpus && v->shows_idle; i++)
		if (idles[groups->order[i]])
			add_cpu(v, groups->order[i]);
	free(idles);
	if (v->list != 'i')
		add_all_contexts(v);
}

/* --- groups -------------------------------------------------------------------------------- */

/* In all groups, not only large ones? */
static bool is_chosen(char list)
{
	return strchr("brguy", list);
}

enum grouping timeline_grouping(char list)
{
	return list == 'b' ? GROUPING_NAME :
	       list == 'g' ? GROUPING_CGROUP :
	       list == 'u' ? GROUPING_USER :
	       list == 'y' ? GROUPING_CLASS :
			     GROUPING_PROCESS;
}

/* --- tasks ------------------------------------------------------------------------------- */

/* Finds the tasks of the window; again when the window or the model changed. */
static void find_tasks(struct view *v)
{
	bool marked = markers_done(v->markers);

	if (is_as_of(v, &v->tasks_as_of) && v->tasks && v->tasks_list == v->list &&
	    v->tasks_marked == marked)
		return;
	free(v->tasks);
	v->nr_tasks = timeline_tasks(&v->timeline, v->list == 'p', v->list == 'm', &v->tasks);
	timeline_groups_make(&v->groups, &v->timeline, timeline_grouping(v->list),
			     is_chosen(v->list) ? groupings[timeline_grouping(v->list)].least :
						  GROUPING_MANY,
			     v->tasks, v->list == 'p' ? 0 : v->nr_tasks);
	free(v->group_of);
	v->group_of = timeline_groups_of(&v->groups, v->tasks, v->nr_tasks);
	v->tasks_list = v->list;
	v->tasks_marked = marked;
}

int timeline_pid(const struct view *v, uint32_t task)
{
	return (int)sched_rules_task(sched_pass_rules(sched_pass_of(v->sched)), task)->pid;
}

/* Is the task in the chosen process? Without process ids, tasks of one name count as a process. */
bool timeline_same_process(struct view *v, uint32_t task)
{
	const struct sched_task *t = sched_rules_task(sched_pass_rules(sched_pass_of(v->sched)),
						      task);
	int64_t ts = sched_task_time(t, v->cursor);
	struct trace *trace = v->shared->trace;
	int tgid, pid = (int)t->pid;

	if (trace_tgid(trace, v->file, v->process, v->cursor, &tgid)) {
		int process = tgid;

		return trace_tgid(trace, v->file, pid, ts, &tgid) && tgid == process;
	}
	return !strcmp(trace_comm(trace, v->file, pid, ts),
		       trace_comm(trace, v->file, v->process, v->cursor));
}

/* Adds a group, and its tasks if it is open.  True: with the cursor's. */
static bool add_group(struct view *v, uint32_t number)
{
	const struct timeline_group *group = &v->groups.list[number];
	bool here = false;

	add_row(v, TIMELINE_GROUP, number);
	for (uint32_t i = 0; i < group->nr; i++) {
		bool is_here = v->has_here && v->here.kind == TIMELINE_OF_TASK &&
			       group->tasks[i] == v->here.index;

		here |= is_here;
		if (group->open || is_here)
			add_row(v, TIMELINE_OF_TASK, group->tasks[i]);
	}
	return here;
}

/*
 * Adds the tasks that ran or waited in the window, and the cursor's task, so that the cursor stays
 * on it.
 */
static void add_tasks(struct view *v)
{
	bool here = !v->has_here || v->here.kind != TIMELINE_OF_TASK ||
		    timeline_is_pinned(v, &v->here);
	uint32_t *order, nr;

	find_tasks(v);
	order = timeline_groups_order(&v->groups, &nr);
	for (uint32_t i = 0; i < nr; i++)
		here |= add_group(v, order[i]);
	free(order);
	for (uint32_t i = 0; i < v->nr_tasks; i++) {
		if (v->list == 'p' && !timeline_same_process(v, v->tasks[i]))
			continue;
		if (v->group_of[i] != UINT32_MAX)
			continue;
		here |= v->tasks[i] == v->here.index;
		add_row(v, TIMELINE_OF_TASK, v->tasks[i]);
	}
	if (!here && v->here.index < sched_nr_tasks(v->sched))
		add_row(v, TIMELINE_OF_TASK, v->here.index);
}

/* --- another model ------------------------------------------------------------------------- */

static bool follow_task(const struct sched *former, const struct sched *next, uint32_t *task)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(former));

	if (*task >= sched_nr_tasks(former))
		return false;
	*task = sched_rules_same(sched_pass_rules(sched_pass_of(next)),
				 sched_rules_task(rules, *task));
	return *task < sched_nr_tasks(next);
}

static bool follow_cpu(const struct sched *former, const struct sched *next, uint32_t *cpu)
{
	int index = *cpu < sched_nr_cpus(former) ?
			    sched_cpu_index(next, sched_pass_cpu(sched_pass_of(former), *cpu)) :
			    -1;

	*cpu = (uint32_t)index;
	return index >= 0;
}

/* Return: false: the next model does not know what it is of. */
static bool follow_row(const struct sched *former, const struct sched *next, bool same_cpus,
		       struct timeline_row *row)
{
	switch (row->kind) {
	case TIMELINE_OF_TASK:
	case TIMELINE_PARTS:
	case TIMELINE_SLICES:
		return follow_task(former, next, &row->index);
	case TIMELINE_CPU:
		return follow_cpu(former, next, &row->index);
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		return row->index == TIMELINE_ALL_CPUS || follow_cpu(former, next, &row->index);
	case TIMELINE_CPUS:
		return same_cpus;
	case TIMELINE_PLOT:
	case TIMELINE_IDLE_CPUS:
	case TIMELINE_GROUP:
		break;
	}
	return true;
}

/* The CPUs that were folded or unfolded by the user; groups are found anew. */
static void follow_cpus(struct view *v, struct sched *next)
{
	bool *turned = mem_array(sched_nr_cpus(next) + 1, sizeof(*turned));

	for (uint32_t i = 0; i < v->nr_turned; i++) {
		uint32_t cpu = i;

		if (v->turned[i] && follow_cpu(v->sched, next, &cpu))
			turned[cpu] = true;
	}
	free(v->turned);
	v->turned = turned;
	v->nr_turned = sched_nr_cpus(next);
	cpu_groups_fini(&v->cpu_groups);
}

static bool has_same_cpus(const struct sched *a, const struct sched *b)
{
	bool same = sched_nr_cpus(a) == sched_nr_cpus(b);

	for (uint32_t i = 0; same && i < sched_nr_cpus(a); i++)
		same = sched_pass_cpu(sched_pass_of(a), i) == sched_pass_cpu(sched_pass_of(b), i);
	return same;
}

/* The cursor leaves what nothing is known of for the first row: none that looks like it. */
static void tell_gone(struct view *v, const char *what)
{
	host_message(
		v->host,
		"the ring has dropped all that was recorded of %s: the cursor is on the first row now",
		what);
	v->has_here = false;
	v->at = v->top = v->fixed_top = 0;
}

void timeline_follow_model(struct view *v, struct sched *next)
{
	struct text here = { 0 };
	unsigned int nr = 0;
	bool same, gone;

	sched_lock(v->sched);
	sched_lock(next);
	if (v->has_here && v->timeline.sched)
		timeline_label(v, &v->here, &here);
	same = has_same_cpus(v->sched, next);
	if (!same)
		follow_cpus(v, next);
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		if (follow_row(v->sched, next, same, &v->pinned[i]))
			v->pinned[nr++] = v->pinned[i];
	v->nr_pinned = nr;
	gone = v->has_here && !follow_row(v->sched, next, same, &v->here);
	v->has_arrived_pin &= follow_row(v->sched, next, same, &v->arrived_pin);
	if (!follow_row(v->sched, next, same, &v->entered))
		v->entered_step = 0;
	v->nr_rows = v->nr_idles = 0;
	free(v->tasks);
	v->tasks = NULL;
	v->nr_tasks = 0;
	sched_unlock(next);
	sched_unlock(v->sched);
	if (gone)
		tell_gone(v, text_str(&here));
	text_fini(&here);
}

/* --- all of them --------------------------------------------------------------------------- */

static void add_pinned(struct view *v)
{
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		push_row(v, &v->pinned[i]);
}

void timeline_make_rows(struct view *v)
{
	v->nr_rows = 0;
	add_pinned(v);
	if (v->list != 't' && v->list != 'p')
		add_cpus(v);
	/* with filters, the row shows their matches */
	if (v->shows_events || v->timeline.matches)
		add_row(v, TIMELINE_PLOT, TIMELINE_ALL_EVENTS);
	for (unsigned int i = 0; i < v->nr_plots; i++)
		add_row(v, TIMELINE_PLOT, i);
	v->nr_fixed = v->nr_rows;
	if (v->list != 'c' && v->list != 'i')
		add_tasks(v);
	v->at = v->at < v->nr_rows ? v->at : v->nr_rows ? v->nr_rows - 1 : 0;
	for (uint32_t i = 0; i < v->nr_rows && v->has_here; i++)
		if (same_row(&v->rows[i], &v->here)) {
			/* keep the cursor's line when rows change, but not in a jump */
			if (i >= v->nr_fixed && i != v->at && !v->arrived)
				v->top = v->top + i > v->at ? v->top + i - v->at : 0;
			v->at = i;
			return;
		}
	v->has_here = v->nr_rows > 0;
	if (v->has_here)
		v->here = v->rows[v->at];
}
