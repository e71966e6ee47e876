/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_counted - what the Tasks view counts.  task_table adds up what filters keep in the range;
 * who ran when always comes from all events (sched_filter.h).  event_counts counts the events of
 * each type.  matching finds the tasks and CPUs with an event that filters keep.  It looks at the
 * whole trace, because a waiting task has no events in a short range but still has a row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/tasks/view_tasks.h"

/* --- counting -------------------------------------------------------------------------- */

static void drop_events(struct tasks_counted *c)
{
	event_counts_free(c->events);
	c->events = NULL;
	c->has_events = c->events_done = false;
	c->permille = 0;
	c->all = 0;
	free(c->types);
	c->types = NULL;
	c->nr_types = 0;
}

static void drop_figures(struct tasks_counted *c)
{
	task_figures_fini(&c->figures);
	c->has_figures = c->is_former = false;
}

static void drop_table(struct tasks_counted *c)
{
	task_table_free(c->table);
	c->table = NULL;
	drop_figures(c);
}

static void drop(struct tasks_counted *c)
{
	drop_events(c);
	drop_table(c);
}

/* The next window goes on with what was before this one: in the other view, too. */
static void park(struct shared *shared, const struct tasks_counted *c)
{
	struct task_table *parked = c->table ? task_table_park(c->table) : NULL;

	if (!parked)
		return;
	task_table_free(shared->growth.parked);
	shared->growth.parked = parked;
}

/*
 * Another window; the pass may continue from this one.  @grows: the trace grew, and complete
 * figures are shown until the new ones are complete.  If the user moved it, they are shown dimmed,
 * until there are new ones.
 */
static void next_window(struct view *v, struct tasks_counted *c, bool grows)
{
	bool moved = !grows && c == &v->now && v->window.moved;

	park(v->shared, c);
	task_table_free(c->table);
	c->table = NULL;
	if ((!grows && !moved) || !c->figures.done)
		drop_figures(c);
	c->is_former |= moved && c->has_figures;
	v->window.moved = false;
	if (!grows || c->permille < 1000) {
		drop_events(c);
		return;
	}
	event_counts_free(c->events);
	c->events = NULL;
	c->events_done = false;
}

int64_t tasks_span(const struct view *v, unsigned int file, const struct range *range)
{
	int64_t from = v->shared->at.first, to = v->shared->at.last;

	trace_file_span(v->shared->trace, file, &from, &to);
	if (v->shared->growth.as_of)	/* CPUs may have been silent since the last record */
		to = shared_end(v->shared);
	if (range->set) {
		from = range->from > from ? range->from : from;
		to = range->to < to ? range->to : to;
	}
	return to > from ? time_between(from, to) : 0;
}

static void begin_table(struct view *v, struct tasks_counted *c, unsigned int file,
			const struct range *range)
{
	struct task_table_options options = { .file = file,
					      .range = { range->set, range->from, range->to },
					      .filters = v->scope.of.filters,
					      .nr_filters = v->scope.of.nr_filters,
					      .durations = v->of_other,
					      .known_only = v->is_now && c == &v->now };

	/* of a range that a ring drops meanwhile, what is counted */
	if (!c->table || !trace_grows(v->shared->trace))
		c->next_span = tasks_span(v, file, range);
	if (!c->has_figures)
		c->span = c->next_span;
	if (c->table || !call_scope_is_ready(&v->scope, v->shared->trace))
		return;
	if (c == &v->now)
		options.slice = shared_slice(v->shared);
	if (options.slice && range->from % options.slice)
		options.slice = 0;
	options.splits = task_groups_splits(v->shared->trace, file, v->how.by, &options.range,
					    &options.nr_splits);
	c->is_counted = false;
	c->table = v->of_other ?
			   task_table_new(v->shared->trace, &options) :
			   task_table_next(&v->shared->growth.parked, v->shared->trace, &options);
}

/* Begins to count events for the list of types. */
static void begin_events(struct view *v, struct tasks_counted *c, const struct range *range)
{
	struct event_counts_options options = { .range = { range->set, range->from, range->to },
						.filters = v->scope.of.filters,
						.nr_filters = v->scope.of.nr_filters };

	if (!c->events && v->list == TASKS_OF_TYPES &&
	    call_scope_is_ready(&v->scope, v->shared->trace))
		c->events = event_counts_new(v->shared->trace, &options);
}

/* --- what is new ------------------------------------------------------------------------- */

/* True: the array of types is new, and the rows must be sorted again. */
static bool take_events(struct tasks_counted *c, unsigned int file)
{
	struct event_count *types = NULL;
	unsigned int nr, permille;

	if (!c->events || c->events_done)
		return false;
	event_counts_of_file(c->events, EVENT_COUNTS_TYPE, file, &types, &nr, &permille);
	if (c->permille == 1000 && permille < 1000) {	/* the former is complete */
		free(types);
		return false;
	}
	free(c->types);
	c->types = types;
	c->nr_types = nr;
	c->permille = permille;
	c->events_done = permille == 1000;
	c->all = 0;
	for (unsigned int i = 0; i < c->nr_types; i++)
		c->all += c->types[i].events;
	c->has_events = true;
	return true;
}

/* With filters, what other tasks did is not told. */
static void find_unknown(const struct view *v, struct tasks_counted *c)
{
	for (unsigned int i = 0; !v->scope.of.nr_filters && i < c->figures.nr_cpus; i++) {
		struct cpu_sums *cpu = &c->figures.cpus[i];
		int64_t rest = c->span - cpu->busy - cpu->idle;

		cpu->unknown = c->figures.done && rest > c->span / 1000 ? rest : 0;
	}
}

/* Has the pass come to the window? */
static bool has_begun(const struct task_figures *figures)
{
	for (unsigned int i = 0; i < figures->nr_cpus; i++)
		if (figures->cpus[i].busy || figures->cpus[i].idle)
			return true;
	return false;
}

static void make_groups(const struct view *v, struct tasks_counted *c, unsigned int file)
{
	bool is_part = v->shared->at.places.range.set;
	struct task_grouping how = v->how;

	how.all_counts = !is_part && !v->scope.of.nr_filters;
	how.known_only = is_part;
	task_groups_make(&c->figures, v->shared->trace, file, &how);
}

/*
 * The tasks come into other groups at once.  One that was in several groups is in the last of them
 * until its parts are counted.
 */
static void regroup(struct view *v, const struct task_grouping *how)
{
	struct tasks_counted *c = &v->now;
	bool has_splits = how->by != v->how.by;

	v->how = *how;
	if (has_splits) {
		park(v->shared, c);
		task_table_free(c->table);
		c->table = NULL;
	}
	if (!c->has_figures)
		return;
	task_groups_undo(&c->figures);
	make_groups(v, c, v->file);
	c->is_former |= has_splits;
}

static bool take(struct view *v, struct tasks_counted *c, unsigned int file)
{
	bool taken = take_events(c, file);
	struct task_figures figures = { 0 };

	if (!c->table || !task_table_take(c->table, &figures))
		return taken;
	if (c->figures.done && !figures.done && (!c->is_former || !has_begun(&figures))) {
		task_figures_fini(&figures);
		return taken;
	}
	c->is_counted = figures.done;
	if (figures.done)
		park(v->shared, c);
	if (c == &v->now)
		tasks_seek(v);
	drop_figures(c);
	c->figures = figures;
	c->has_figures = true;
	c->is_former = false;
	c->span = c->next_span;
	find_unknown(v, c);
	make_groups(v, c, file);
	tasks_group_cpus(v, &c->figures, file);
	if (c == &v->now)
		tasks_follow(v);
	return true;
}

/* Adds types that only the whole trace has, if the two are compared. */
static void merge_types(struct tasks_counted *now, const struct tasks_counted *whole)
{
	unsigned int nr = now->nr_types;

	now->types = mem_resize(now->types, nr + whole->nr_types + 1, sizeof(*now->types));
	for (unsigned int i = 0; i < whole->nr_types; i++)
		if (!nr || !bsearch(&whole->types[i], now->types, nr, sizeof(*now->types),
				    event_count_by_key)) {
			now->types[now->nr_types] = whole->types[i];
			now->types[now->nr_types++].events = 0;
		}
	if (now->nr_types > nr)
		qsort(now->types, now->nr_types, sizeof(*now->types), event_count_by_key);
}

void tasks_count(struct view *v)
{
	const struct range *range = &v->shared->at.places.range, none = { 0 }, *rest = &none;
	unsigned int file;
	enum call_scope_change change;
	struct task_grouping how;
	bool changed;
	int other;

	if (!v->shared->trace)
		return;
	v->table.comparing &= shared_can_compare(v->shared);
	other = tasks_other(v);
	file = other >= 0 ? (unsigned int)other : v->file;
	if (other >= 0 && shared_other_has_range(v->shared, file))
		rest = range;
	change = call_scope_changed(&v->scope, v->shared, true);
	if (change != CALL_SCOPE_SAME) {
		next_window(v, &v->now, change == CALL_SCOPE_GREW || v->renewed);
		v->renewed = false;
		drop(&v->whole);
		call_scope_take(&v->scope, v->shared, true);
	}
	/* what is shown may stay until there is more */
	changed = change != CALL_SCOPE_SAME &&
		  (change != CALL_SCOPE_GREW || !v->now.has_figures || v->table.comparing);
	changed |= matching_update(&v->matching, v->shared, v->file, v->now.figures.buffer) &&
		   matching_is_active(&v->matching);
	how = tasks_grouping(v);
	if (v->of_other != (other >= 0)) {	/* durations are needed, or no more */
		v->of_other = other >= 0;
		drop_table(&v->now);
		v->how.by = GROUPING_NONE;
	}
	if (how.by != v->how.by || how.least != v->how.least) {
		regroup(v, &how);
		drop(&v->whole);
		changed = true;
	}
	if (!v->table.comparing)
		drop(&v->whole);
	begin_table(v, &v->now, v->file, range);
	begin_events(v, &v->now, range);
	if (v->table.comparing) {
		begin_table(v, &v->whole, file, rest);
		begin_events(v, &v->whole, rest);
	}
	changed |= take(v, &v->now, v->file);
	if (v->table.comparing)
		changed |= take(v, &v->whole, file);
	if (changed && v->table.comparing && other < 0 && v->now.has_events && v->whole.has_events)
		merge_types(&v->now, &v->whole);
	/* Do not draw rows that are gone. */
	if (changed)
		tasks_sort(v);
	v->window.is_new |= changed;
}

static void forget_matches(struct view *v)
{
	free(v->of_whole);
	free(v->verdicts);
	v->of_whole = NULL;
	v->verdicts = NULL;
}

/* Filters may hide other rows.  All else is seen to when the view is shown. */
void tasks_changed(struct view *v)
{
	if (!v->shared->trace || !trace_grows(v->shared->trace) ||
	    filters_active(&v->shared->chosen.filters) ||
	    call_scope_changed(&v->scope, v->shared, true) == CALL_SCOPE_CHANGED)
		tasks_sort(v);
}

void tasks_forget(struct view *v)
{
	drop(&v->now);
	drop(&v->whole);
	matching_fini(&v->matching);
	call_scope_drop(&v->scope);
	forget_matches(v);
	free(v->kept);
	v->kept = NULL;
	v->table.comparing = false;
	v->all = 0;
	v->open = 0;
	v->nr_below = 0;
	v->open_known = false;
	table_fini(&v->table);
	table_home(&v->table);
}

/* What it has not come to the end of is begun again when it is shown. */
void tasks_left(struct view *v)
{
	if (!v->now.table || v->now.is_counted || !trace_grows(v->shared->trace))
		return;
	park(v->shared, &v->now);
	task_table_free(v->now.table);
	v->now.table = NULL;
}

bool tasks_is_done(const struct view *v, unsigned int *permille)
{
	if (v->list == TASKS_OF_TYPES) {
		*permille = v->now.has_events ? v->now.permille : 0;
		return *permille == 1000;
	}
	*permille = v->now.is_former ? 0 : v->now.figures.permille;
	if (!matching_is_done(&v->matching) && v->matching.kept.permille < *permille)
		*permille = v->matching.kept.permille;
	return v->now.figures.done && !v->now.is_former && matching_is_done(&v->matching);
}

/* --- rows -------------------------------------------------------------------------------- */

uint32_t tasks_nr_rows(const struct tasks_counted *c, enum tasks_list list)
{
	switch (list) {
	case TASKS_OF_TASKS:
		return c->figures.nr_tasks;
	case TASKS_OF_CPUS:
		return c->figures.nr_cpus;
	case TASKS_OF_TYPES:
		return c->nr_types;
	case TASKS_OF_PREEMPTED:
	case TASKS_OF_WOKEN:
		break;
	}
	return c->figures.pairs[tasks_pair_kind(list)].nr;
}

static uint32_t key_of(const struct tasks_counted *c, enum tasks_list list, uint32_t row)
{
	return list == TASKS_OF_TASKS ? c->figures.tasks[row].pid :
	       list == TASKS_OF_CPUS  ? (uint32_t)c->figures.cpus[row].cpu :
					(uint32_t)c->types[row].key;
}

uint64_t tasks_key(const struct view *v, uint32_t row)
{
	const struct task_pair *pair;

	if (!tasks_is_of_pairs(v))
		return key_of(&v->now, v->list, row);
	pair = &v->now.figures.pairs[tasks_pair_kind(v->list)].pairs[row];
	return (uint64_t)pair->pid << 32 | (pair->by < TASK_BY_FIRST ? pair->by_pid : pair->by);
}

static bool cpu_has_any(const struct cpu_sums *c)
{
	return c->busy || c->idle || c->irq || c->softirq || c->switches;
}

bool tasks_is_kept(const struct view *v, uint32_t row)
{
	if (tasks_is_of_pairs(v))
		return true;
	if (tasks_is_group(v, row))
		return v->kept && v->kept[row];
	if (v->list == TASKS_OF_TYPES)
		return v->table.comparing || v->now.types[row].events;
	if (v->list == TASKS_OF_TASKS ? sched_task_has_any(&v->now.figures.tasks[row]) :
					cpu_has_any(&v->now.figures.cpus[row]))
		return true;
	return matching_has(&v->matching,
			    v->list == TASKS_OF_TASKS ? EVENT_COUNTS_TASK : EVENT_COUNTS_CPU,
			    (int)tasks_key(v, row));
}

const char *tasks_comm(const struct view *v, uint32_t row)
{
	return v->now.figures.text.data + v->now.figures.comms[row];
}

void tasks_name(const struct view *v, uint32_t row, struct text *out)
{
	const char *comm;

	switch (v->list) {
	case TASKS_OF_TASKS:
		if (tasks_is_group(v, row)) {
			tasks_group_name(v, row, out);
			break;
		}
		comm = tasks_comm(v, row);
		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%" PRIu32, v->now.figures.tasks[row].pid);
		break;
	case TASKS_OF_CPUS:
		if (tasks_is_group(v, row))
			tasks_group_name(v, row, out);
		else
			text_printf(out, "CPU %d", v->now.figures.cpus[row].cpu);
		break;
	case TASKS_OF_TYPES:
		event_counts_type_name(v->shared->trace, &v->now.types[row], out);
		break;
	case TASKS_OF_PREEMPTED:
	case TASKS_OF_WOKEN:
		task_pair_task(&(struct task_pair_row[]){ tasks_pair_row(
				       v, (struct tasks_pair){ tasks_pair_kind(v->list), row }) },
			       out);
		break;
	}
}

/* --- their order ----------------------------------------------------------------------------- */

struct keyed_task {
	uint32_t	key, row;
	int64_t		to;	/* of several tasks with a pid */
};

static int by_number(const void *a, const void *b)
{
	const struct keyed_task *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) :
				  (x->to > y->to) - (x->to < y->to);
}

static struct keyed_task keyed(const struct tasks_counted *c, enum tasks_list list, uint32_t row)
{
	return (struct keyed_task){ key_of(c, list, row), row,
				    list == TASKS_OF_TASKS ? c->figures.tasks[row].to : 0 };
}

/* Finds the row of the whole trace for each row. */
static void match_whole(struct view *v)
{
	uint32_t nr = tasks_nr_rows(&v->now, v->list), all = tasks_nr_rows(&v->whole, v->list);
	struct keyed_task *keys;

	forget_matches(v);
	if (!v->table.comparing || tasks_is_of_pairs(v) ||
	    (v->list == TASKS_OF_TYPES ? !v->whole.has_events : !v->whole.has_figures))
		return;
	v->of_whole = mem_array((size_t)nr + 1, sizeof(*v->of_whole));
	v->verdicts = mem_array((size_t)nr + 1, sizeof(*v->verdicts));
	if (tasks_nr_groups(v)) {
		tasks_match_other(v, nr, all);
		return;
	}
	keys = mem_array(all + 1, sizeof(*keys));
	for (uint32_t i = 0; i < all; i++)
		keys[i] = keyed(&v->whole, v->list, i);
	if (all)
		qsort(keys, all, sizeof(*keys), by_number);
	for (uint32_t i = 0; i < nr; i++) {
		const struct keyed_task key = keyed(&v->now, v->list, i);
		const struct keyed_task *found = all ? bsearch(&key, keys, all, sizeof(*keys),
							       by_number) :
						       NULL;

		v->of_whole[i] = found ? found->row : UINT32_MAX;
	}
	free(keys);
}

void tasks_sort(struct view *v)
{
	match_whole(v);
	tasks_table_choose(v);
	v->all = tasks_nr_rows(&v->now, v->list);
	if (v->list == TASKS_OF_TYPES && !v->table.comparing)		/* no rows without events */
		for (uint32_t i = 0; i < v->now.nr_types; i++)
			v->all -= !v->now.types[i].events;
	tasks_open_find(v);
	tasks_keep_groups(v);
	v->table.file = v->file;
	v->table.span[0] = v->now.span;
	v->table.span[1] = !v->of_whole        ? 0 :
			   tasks_other(v) >= 0 ? v->whole.span :
						 v->whole.span - v->now.span;
	v->table.whole[0] = v->now.all;
	table_update(&v->table);
}
