/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/graph_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* key of the parent of outermost calls; not a ref of any record */
#define OUTERMOST (TRACE_REF_NONE - 1)

struct sibling_list {			/* a list of siblings being turned into rows */
	unsigned int	 next, end;	/* in the list of numbers */
	unsigned int	 first;
	uint32_t	 level;
	uint32_t	 above;		/* the call that contains them; CALL_NONE: roots */
	bool		 whole;		/* all are shown: the filter keeps the call around them */
	bool		 loose;		/* members of a group: do not group them again */
};

struct build {
	struct graph_rows *rows;
	const struct call_tree *tree;
	const struct graph_roots *roots;
	bool		 filtered, dim;
	uint32_t	*numbers;	/* owned: lists of siblings, parents first */
	uint32_t	*tasks;		/* owned: tasks of the roots */
	unsigned int	 nr_numbers, cap_numbers;
	struct sibling_list *places;	/* owned */
	unsigned int	 nr_places, cap_places;
	uint32_t	 task;
};

void graph_rows_init(struct graph_rows *r)
{
	*r = (struct graph_rows){ 0 };
}

void graph_rows_fini(struct graph_rows *r)
{
	free(r->rows);
	free(r->members);
	free(r->folds);
	index_map_fini(&r->fold_map);
	free(r->kept);
}

/* --- what is open ---------------------------------------------------------------- */

static struct graph_fold *find_fold(const struct graph_rows *r, trace_ref key, uint64_t group)
{
	index_map_each (&r->fold_map, index_map_hash_pair(key, group), i)
		if (r->folds[i].key == key && r->folds[i].group == group)
			return &r->folds[i];
	return NULL;
}

static void set_fold(struct graph_rows *r, trace_ref key, uint64_t group, enum graph_open open)
{
	struct graph_fold *fold = find_fold(r, key, group);

	if (!fold) {
		mem_grow(&r->folds, r->nr_folds, &r->cap_folds);
		index_map_add(&r->fold_map, index_map_hash_pair(key, group), r->nr_folds);
		fold = &r->folds[r->nr_folds++];
	}
	*fold = (struct graph_fold){ key, group, (uint8_t)open };
}

/* Siblings that call one function share a fold state, and so do outermost calls. */
static trace_ref group_key(const struct call_tree *tree, const struct call *call)
{
	return call->parent ? call_key(call_tree_call(tree, call->parent)) : OUTERMOST;
}

/* May it be in a group? */
static bool is_grouped(const struct call *call)
{
	return call_is_timed(call) || call->inferred;
}

/* Not the function's number, which differs in another tree. */
static uint64_t group_of(const struct call_tree *tree, const struct call *call)
{
	return call_tree_function(tree, call->func) | 1;
}

void graph_rows_fold(struct graph_rows *r, const struct call_tree *tree,
		     const struct graph_row *row, bool open)
{
	const struct call *call = call_tree_call(tree, row->call);

	if (row->kind == GRAPH_ROW_GROUP)
		set_fold(r, group_key(tree, call), group_of(tree, call),
			 open ? GRAPH_OPEN : GRAPH_CLOSED);
	else
		set_fold(r, call_key(call), 0, open ? GRAPH_OPEN : GRAPH_CLOSED);
}

void graph_rows_forget(struct graph_rows *r, uint32_t levels)
{
	index_map_clear(&r->fold_map);
	r->nr_folds = 0;
	r->levels = levels;
}

void graph_rows_take_fold(struct graph_rows *r, const struct graph_fold *fold)
{
	if (fold->open <= GRAPH_OPEN_BY_TIME)
		set_fold(r, fold->key, fold->group, (enum graph_open)fold->open);
}

static enum graph_open is_open(const struct graph_rows *r, trace_ref key, uint64_t group,
			       uint32_t level)
{
	const struct graph_fold *fold = find_fold(r, key, group);

	if (fold)
		return (enum graph_open)fold->open;
	return (group ? r->levels == GRAPH_LEVELS_ALL : level < r->levels) ? GRAPH_OPEN :
									     GRAPH_CLOSED;
}

/* --- which calls are shown ---------------------------------------------------------- */

/* Mark the calls that the filter keeps, and those that contain them. */
static void find_kept(struct build *b)
{
	struct graph_rows *r = b->rows;
	uint32_t limit = call_tree_limit(b->tree);

	if (limit > r->cap_kept) {
		r->cap_kept = limit * 2;
		r->kept = mem_resize(r->kept, r->cap_kept, 1);
	}
	memset(r->kept, 0, limit);
	for (uint32_t n = 1; n < limit; n++) {
		const struct call *call = call_tree_call(b->tree, n);

		if (!call->wanted || call->kind == CALL_AWAY)
			continue;
		for (uint32_t up = n; up && !r->kept[up]; up = call_tree_call(b->tree, up)->parent)
			r->kept[up] = 1;
	}
}

static bool is_shown(const struct build *b, uint32_t number, bool whole)
{
	return !b->filtered || b->dim || whole || b->rows->kept[number];
}

static bool is_dimmed(const struct build *b, const struct call *call)
{
	return b->filtered && b->dim && !call->wanted;
}

/* --- lists of siblings -------------------------------------------------------------- */

static void reverse(struct build *b, unsigned int from)
{
	for (unsigned int i = from, k = b->nr_numbers; i + 1 < k; i++) {
		uint32_t other = b->numbers[i];

		b->numbers[i] = b->numbers[--k];
		b->numbers[k] = other;
	}
}

static void add_number(struct build *b, uint32_t number)
{
	mem_grow(&b->numbers, b->nr_numbers, &b->cap_numbers);
	b->numbers[b->nr_numbers++] = number;
}

static void add_place(struct build *b, unsigned int first, uint32_t level, uint32_t above,
		      bool whole, bool loose)
{
	mem_grow(&b->places, b->nr_places, &b->cap_places);
	b->places[b->nr_places++] = (struct sibling_list){ .next = first, .end = b->nr_numbers,
						    .first = first, .level = level,
						    .above = above, .whole = whole,
						    .loose = loose };
}

static bool has_rows(const struct build *b, const struct call *call, bool whole)
{
	for (uint32_t n = call->last; n; n = call_tree_call(b->tree, n)->before)
		if (is_shown(b, n, whole))
			return true;
	return false;
}

static void enter_call(struct build *b, uint32_t number, uint32_t level, bool whole)
{
	unsigned int first = b->nr_numbers;

	for (uint32_t n = call_tree_call(b->tree, number)->last; n;
	     n = call_tree_call(b->tree, n)->before)
		if (is_shown(b, n, whole))
			add_number(b, n);
	reverse(b, first);
	add_place(b, first, level, number, whole, false);
}

struct sorted_call {
	uint64_t	 by;
	uint32_t	 call, task;
};

static int ascending(const void *a, const void *b)
{
	const struct sorted_call *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

/* Sort by duration, descending. */
static void sort_members(const struct call_tree *tree, uint32_t *calls, unsigned int nr)
{
	struct sorted_call *sorted = mem_array(nr, sizeof(*sorted));

	for (unsigned int i = 0; i < nr; i++)
		sorted[i] = (struct sorted_call){
			UINT64_MAX - call_duration(call_tree_call(tree, calls[i])), calls[i], 0
		};
	qsort(sorted, nr, sizeof(*sorted), ascending);
	for (unsigned int i = 0; i < nr; i++)
		calls[i] = sorted[i].call;
	free(sorted);
}

/* --- rows ------------------------------------------------------------------------------ */

static struct graph_row *add_row(struct build *b, enum graph_row_kind kind, uint32_t call,
				 uint32_t level)
{
	struct graph_rows *r = b->rows;
	struct graph_row *row;

	mem_grow(&r->rows, r->nr, &r->cap);
	row = &r->rows[r->nr++];
	*row = (struct graph_row){
		.kind = (uint8_t)kind, .call = call, .level = level, .task = b->task
	};
	row->dimmed = is_dimmed(b, call_tree_call(b->tree, call));
	return row;
}

/* Number of siblings from here on that are of one function; outermost ones, also of one task. */
static unsigned int group_at(const struct build *b, const struct sibling_list *place)
{
	const struct call *first = call_tree_call(b->tree, b->numbers[place->next]);
	bool roots = place->above == CALL_NONE;
	unsigned int i = place->next;

	if (place->loose || !is_grouped(first))
		return 1;
	for (; i < place->end; i++) {
		const struct call *call = call_tree_call(b->tree, b->numbers[i]);

		if (call_is_timed(call) != call_is_timed(first) ||
		    call->inferred != first->inferred || call->func != first->func ||
		    (roots && b->tasks[i] != b->tasks[place->next]))
			break;
	}
	return i - place->next;
}

static void add_group(struct build *b, struct sibling_list *place, unsigned int nr)
{
	struct graph_rows *r = b->rows;
	const struct call *first = call_tree_call(b->tree, b->numbers[place->next]);
	struct graph_row *row = add_row(b, GRAPH_ROW_GROUP, b->numbers[place->next], place->level);
	unsigned int from = b->nr_numbers, begin = place->next;
	uint32_t level = place->level;
	enum graph_open open = is_open(r, group_key(b->tree, first), group_of(b->tree, first),
				       level);
	bool whole = place->whole;

	row->nr = nr;
	row->full = true;
	row->open = open != GRAPH_CLOSED;
	row->by_time = open == GRAPH_OPEN_BY_TIME;
	row->members = r->nr_members;
	for (unsigned int i = 0; i < nr; i++) {
		row->dimmed &= is_dimmed(b, call_tree_call(b->tree, b->numbers[place->next]));
		mem_grow(&r->members, r->nr_members, &r->cap_members);
		r->members[r->nr_members++] = b->numbers[place->next++];
	}
	sort_members(b->tree, r->members + row->members, nr);
	if (!row->open)
		return;
	for (unsigned int i = 0; i < nr; i++)
		add_number(b, row->by_time ? b->numbers[begin + i] : r->members[row->members + i]);
	add_place(b, from, level + 1, CALL_NONE, whole, true);
}

static void add_call(struct build *b, struct sibling_list *place)
{
	uint32_t number = b->numbers[place->next++], level = place->level;
	const struct call *call = call_tree_call(b->tree, number);
	bool whole = place->whole || (b->filtered && call->wanted && !b->rows->bare);
	struct graph_row *row = add_row(b, GRAPH_ROW_CALL, number, level);

	row->full = has_rows(b, call, whole);
	row->open = row->full && is_open(b->rows, call_key(call), 0, level);
	if (row->open)
		enter_call(b, number, level + 1, whole);
}

static void add_next(struct build *b)
{
	struct sibling_list *place = &b->places[b->nr_places - 1];
	const struct call *call = call_tree_call(b->tree, b->numbers[place->next]);
	unsigned int nr;

	if (place->above == CALL_NONE && !place->loose)
		b->task = b->tasks[place->next];
	if (call->kind == CALL_AWAY || call->kind == CALL_EVENT) {
		add_row(b, call->kind == CALL_AWAY ? GRAPH_ROW_AWAY : GRAPH_ROW_EVENT,
			b->numbers[place->next++], place->level);
		return;
	}
	nr = group_at(b, place);
	if (nr > 1)
		add_group(b, place, nr);
	else
		add_call(b, place);
}

static void end_place(struct build *b)
{
	struct sibling_list place = b->places[--b->nr_places];

	b->nr_numbers = place.first;
	if (place.above != CALL_NONE)
		add_row(b, GRAPH_ROW_END, place.above, place.level - 1);
}

/* --- roots ----------------------------------------------------------------------------- */

static bool is_root(const struct build *b, const struct call_task *task, const struct call *call)
{
	const struct graph_roots *roots = b->roots;

	if (roots->by_cpu)
		return roots->stream_cpus[call->stream_in] == roots->cpu;
	return task->pid == roots->pid &&
	       (task->pid || roots->stream_cpus[task->stream] == roots->cpu);
}

static void list_roots(struct build *b)
{
	struct sorted_call *roots = NULL;
	unsigned int nr = 0, cap = 0;

	for (unsigned int i = 0; i < call_tree_nr_tasks(b->tree); i++) {
		const struct call_task *task = call_tree_task(b->tree, i);
		unsigned int first = nr;

		for (uint32_t n = task->last_root; n; n = call_tree_call(b->tree, n)->before) {
			const struct call *call = call_tree_call(b->tree, n);

			if (!call_is_call(call) || !is_root(b, task, call) ||
			    !is_shown(b, n, false))
				continue;
			mem_grow(&roots, nr, &cap);
			roots[nr++] = (struct sorted_call){ call_tree_call(b->tree, n)->start, n,
							    i };
		}
		for (unsigned int k = first, end = nr; k + 1 < end; k++) {
			struct sorted_call other = roots[k];

			roots[k] = roots[--end];
			roots[end] = other;
		}
	}
	if (b->roots->by_cpu && nr)
		qsort(roots, nr, sizeof(*roots), ascending);
	b->tasks = mem_array(nr + 1, sizeof(*b->tasks));
	for (unsigned int i = 0; i < nr; i++) {
		add_number(b, roots[i].call);
		b->tasks[i] = roots[i].task;
	}
	add_place(b, 0, 0, CALL_NONE, false, false);
	free(roots);
}

void graph_rows_build(struct graph_rows *r, const struct call_tree *tree,
		      const struct graph_roots *roots, bool filtered, bool dim)
{
	struct build b = {
		.rows = r, .tree = tree, .roots = roots, .filtered = filtered, .dim = dim
	};

	r->nr = r->nr_members = 0;
	if (filtered)
		find_kept(&b);
	list_roots(&b);
	while (b.nr_places) {
		if (b.places[b.nr_places - 1].next < b.places[b.nr_places - 1].end)
			add_next(&b);
		else
			end_place(&b);
	}
	free(b.numbers);
	free(b.places);
	free(b.tasks);
}

/* --- finding --------------------------------------------------------------------------- */

void graph_rows_reveal(struct graph_rows *r, const struct call_tree *tree, uint32_t number)
{
	for (uint32_t n = number; n; n = call_tree_call(tree, n)->parent) {
		const struct call *call = call_tree_call(tree, n);

		if (n != number)
			set_fold(r, call_key(call), 0, GRAPH_OPEN);
		if (is_grouped(call) && !is_open(r, group_key(tree, call), group_of(tree, call), 0))
			set_fold(r, group_key(tree, call), group_of(tree, call),
				 GRAPH_OPEN_BY_TIME);
	}
}

static bool is_member(const struct graph_rows *r, const struct graph_row *row, uint32_t number)
{
	for (uint32_t i = 0; i < row->nr; i++)
		if (r->members[row->members + i] == number)
			return true;
	return false;
}

int graph_rows_find(const struct graph_rows *r, const struct call_tree *tree, uint32_t number)
{
	int group = -1;

	for (; number; number = call_tree_call(tree, number)->parent) {
		for (unsigned int i = 0; i < r->nr; i++) {
			const struct graph_row *row = &r->rows[i];

			if (row->kind == GRAPH_ROW_GROUP && is_member(r, row, number))
				group = (int)i;
			else if (row->call == number && row->kind != GRAPH_ROW_END &&
				 row->kind != GRAPH_ROW_GROUP)
				return (int)i;
		}
		if (group >= 0)
			return group;
	}
	return -1;
}
