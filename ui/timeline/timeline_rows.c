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
	return filters_hiding(&v->shared->chosen.filters) && !timeline_is_kept(v, row) &&
	       !(v->has_here && same_row(row, &v->here));
}

/*
 * Below a task are the CPU of a guest that it ran, its slices and, if it was asked about, the parts
 * of its time.
 */
static void push_row(struct view *v, const struct timeline_row *row)
{
	unsigned int cpu;

	mem_grow(&v->rows, v->nr_rows, &v->cap_rows);
	v->rows[v->nr_rows++] = *row;
	if (row->kind == TIMELINE_OF_TASK && timeline_guests_find(&v->timeline, row->index, &cpu))
		push_row(v, &(struct timeline_row){ TIMELINE_VCPU, row->index });
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

/* What a row is of, whatever number the model has for it.  False: the model does not know. */
static bool subject_of(const struct sched *sched, const struct timeline_row *row,
		       struct timeline_subject *subject)
{
	const struct sched_pass *pass = sched_pass_of(sched);
	const struct sched_task *task;

	subject->row = *row;
	if (timeline_row_task(row)) {
		if (row->index >= sched_nr_tasks(sched))
			return false;
		task = sched_rules_task(sched_pass_rules(pass), row->index);
		subject->pid = task->pid;
		subject->born = task->born;
	} else if (timeline_row_cpu(row)) {
		if (row->index >= sched_nr_cpus(sched))
			return false;
		subject->cpu = sched_pass_cpu(pass, row->index);
	}
	return true;
}

static bool has_plot(const struct view *v, uint32_t plot)
{
	return plot == TIMELINE_ALL_EVENTS ? v->shows_events : plot < v->nr_plots;
}

/* Return: false: the model does not know the subject (yet). */
static bool row_of(const struct view *v, const struct sched *sched, bool same_cpus,
		   const struct timeline_subject *subject, struct timeline_row *row)
{
	*row = subject->row;
	if (timeline_row_task(row)) {
		const struct sched_task task = { .pid = subject->pid, .born = subject->born };

		row->index = sched_rules_same(sched_pass_rules(sched_pass_of(sched)), &task);
		return row->index < sched_nr_tasks(sched);
	}
	if (timeline_row_cpu(row)) {
		row->index = (uint32_t)sched_cpu_index(sched, subject->cpu);
		return row->index < sched_nr_cpus(sched);
	}
	return row->kind == TIMELINE_CPUS ? same_cpus :
	       row->kind == TIMELINE_PLOT ? has_plot(v, row->index) :
					    true;
}

static void note(struct view *v, enum timeline_subject_use use, const struct timeline_row *row)
{
	struct timeline_subject subject = { .use = use };

	if (!subject_of(v->sched, row, &subject))
		return;
	mem_grow(&v->noted, v->nr_noted, &v->cap_noted);
	v->noted[v->nr_noted++] = subject;
}

/* Those that were not found yet are still looked for. */
static void drop_found(struct view *v)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < v->nr_noted; i++)
		if (!v->noted[i].found)
			v->noted[nr++] = v->noted[i];
	v->nr_noted = nr;
}

void timeline_note_rows(struct view *v)
{
	uint32_t nr_cpus;

	sched_lock(v->sched);
	drop_found(v);
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		note(v, TIMELINE_PINNED, &v->pinned[i]);
	if (v->has_arrived_pin)
		note(v, TIMELINE_ARRIVED, &v->arrived_pin);
	if (v->has_here)
		note(v, TIMELINE_HERE, &v->here);
	if (v->entered_step)
		note(v, TIMELINE_ENTERED, &v->entered);
	for (uint32_t i = 0; i < v->nr_turned; i++)
		if (v->turned[i])
			note(v, TIMELINE_TURNED, &(struct timeline_row){ TIMELINE_CPU, i });
	nr_cpus = sched_nr_cpus(v->sched);
	v->noted_cpus = mem_resize(v->noted_cpus, nr_cpus + 1, sizeof(*v->noted_cpus));
	for (uint32_t i = 0; i < nr_cpus; i++)
		v->noted_cpus[i] = sched_pass_cpu(sched_pass_of(v->sched), i);
	v->nr_noted_cpus = nr_cpus;
	sched_unlock(v->sched);
	v->has_here = v->has_arrived_pin = false;
	v->nr_pinned = v->nr_turned = v->nr_rows = v->nr_idles = v->nr_tasks = 0;
	free(v->tasks);
	v->tasks = NULL;
}

static bool has_noted_cpus(const struct view *v, const struct sched *sched)
{
	bool same = sched_nr_cpus(sched) == v->nr_noted_cpus;

	for (uint32_t i = 0; same && i < v->nr_noted_cpus; i++)
		same = sched_pass_cpu(sched_pass_of(sched), i) == v->noted_cpus[i];
	return same;
}

/* @nth: among the pins; behind all is what was pinned meanwhile. */
static void insert_pin(struct view *v, unsigned int nth, const struct timeline_row *row)
{
	nth = nth < v->nr_pinned ? nth : v->nr_pinned;
	mem_grow(&v->pinned, v->nr_pinned, &v->cap_pinned);
	memmove(v->pinned + nth + 1, v->pinned + nth, (v->nr_pinned++ - nth) * sizeof(*v->pinned));
	v->pinned[nth] = *row;
}

static void use_found(struct view *v, const struct timeline_subject *subject, unsigned int nth_pin,
		      const struct timeline_row *row)
{
	switch (subject->use) {
	case TIMELINE_PINNED:
		insert_pin(v, nth_pin, row);
		break;
	case TIMELINE_ARRIVED:
		v->arrived_pin = *row;
		v->has_arrived_pin = true;
		break;
	case TIMELINE_HERE:
		v->here = *row;
		v->has_here = true;
		break;
	case TIMELINE_ENTERED:
		v->entered = *row;
		break;
	case TIMELINE_TURNED:
		timeline_unfold(v, row->index, v->list != 'i');
		break;
	}
}

void timeline_find_noted(struct view *v, struct sched *sched)
{
	bool done = sched_progress(sched).done, same_cpus = has_noted_cpus(v, sched);
	unsigned int nr_pins = 0;

	if (v->nr_noted && !same_cpus)	/* groups are found anew */
		cpu_groups_fini(&v->cpu_groups);
	for (unsigned int i = 0; i < v->nr_noted; i++) {
		struct timeline_subject *subject = &v->noted[i];
		struct timeline_row row;

		if (!subject->found && row_of(v, sched, same_cpus, subject, &row)) {
			subject->found = true;
			use_found(v, subject, nr_pins, &row);
		}
		if (!subject->found && done && subject->use == TIMELINE_ENTERED)
			v->entered_step = 0;
		nr_pins += subject->found && subject->use == TIMELINE_PINNED;
	}
	if (done)
		v->nr_noted = 0;
}

/* The cursor leaves what nothing is known of for the first row: none that looks like it. */
static void tell_gone(struct view *v, const char *what)
{
	host_message(v->host,
		     "all records of %s were overwritten: the cursor is on the first row now",
		     what);
	v->has_here = false;
	v->at = v->top = v->fixed_top = 0;
}

void timeline_follow_model(struct view *v, struct sched *next)
{
	struct text here = { 0 };
	bool had_here = v->has_here;

	sched_lock(v->sched);
	if (v->has_here && v->timeline.sched)
		timeline_label(v, &v->here, &here);
	sched_unlock(v->sched);
	timeline_note_rows(v);
	sched_lock(next);
	timeline_find_noted(v, next);
	sched_unlock(next);
	if (had_here && !v->has_here)
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
