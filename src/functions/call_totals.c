/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/call_totals.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/functions/function_groups.h"

#define LOOK_EVERY	(1u << 18)	/* calls between two checks of memory */
#define COARSE_BITS	12u		/* bits of a duration kept at first if memory is short */
#define LEAST_BITS	4u
#define MEMBERS		256u		/* tasks of which the group is remembered */

struct call_totals {
	struct call_visitor visitor;
	struct call_total *seen;	/* owned, [nr_seen] by the tree's number of the function;
					 * with groups, as they come */
	uint32_t	 nr_seen, cap_seen;
	struct function_groups *groups;	/* borrowed, or NULL */
	const struct call_tree *tree;	/* with groups: borrowed */
	struct index_map map;		/* with groups: of .seen, by group and function */
	struct function_member *members;	/* with groups: owned, [MEMBERS] by pid */
	int		 pid;		/* of the next calls */
	struct call_total *rows;	/* owned, of trees that have ended; by
					   address from call_totals_end() on */
	unsigned int	 nr_rows;
	uint64_t	 max_bytes;
	uint32_t	 until_look;
	unsigned int	 bits;		/* bits kept of durations; 0 = all */
	bool		 coarse;
	bool		 timed;		/* a call has times, of those that do not count, too */
	bool		 gap_cut;	/* a duration leaves out time off the CPU */
};

/* --- looking at calls -------------------------------------------------------------- */

static struct call_total *add_seen(struct call_totals *t, uint32_t func, uint32_t group)
{
	mem_reach(&t->seen, &t->cap_seen, t->nr_seen);
	t->seen[t->nr_seen] = (struct call_total){ .func = func, .group = group,
						   .min = UINT64_MAX,
						   .durations.bits = (uint8_t)t->bits };
	return &t->seen[t->nr_seen++];
}

static __attribute__((noinline)) struct call_total *find_in_group(struct call_totals *t,
								  uint32_t func, uint32_t group)
{
	uint32_t hash = index_map_hash_pair(func, group);

	index_map_each (&t->map, hash, i)
		if (t->seen[i].func == func && t->seen[i].group == group)
			return &t->seen[i];
	index_map_add(&t->map, hash, t->nr_seen);
	return add_seen(t, func, group);
}

static inline struct call_total *find_seen(struct call_totals *t, uint32_t func)
{
	while (__builtin_expect(func >= t->nr_seen, 0))
		add_seen(t, t->nr_seen, 0);
	return &t->seen[func];
}

static struct function_member *member_of(const struct call_totals *t)
{
	return &t->members[(uint32_t)t->pid % MEMBERS];
}

static void see_task(void *arg, const struct call_task *task)
{
	struct call_totals *t = arg;

	t->pid = task->pid;
}

/* Too many different durations: drop their low bits. */
static void check_memory(struct call_totals *t)
{
	uint64_t bytes = 0;

	t->until_look = LOOK_EVERY;
	for (uint32_t i = 0; i < t->nr_seen; i++)
		bytes += duration_set_bytes(&t->seen[i].durations);
	if (bytes <= t->max_bytes || t->bits == LEAST_BITS)
		return;
	t->bits = t->bits ? t->bits - 2 : COARSE_BITS;
	t->coarse = true;
	for (uint32_t i = 0; i < t->nr_seen; i++)
		duration_set_coarsen(&t->seen[i].durations, t->bits);
}

static __attribute__((noinline, cold)) void see_inferred(struct call_total *row,
							 const struct call *call)
{
	if (!row->calls && (!row->entries || call->entry < row->worst))
		row->worst = call->entry;
	row->entries += call->calls;
}

/* The first one in the file, of calls that are equal. */
static inline void see_most(struct call_most *most, uint64_t ns, uint64_t duration, trace_ref exit)
{
	if (ns > most->ns || (ns == most->ns && ns && exit < most->exit))
		*most = (struct call_most){ ns, duration, exit };
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_totals *t = arg;
	struct call_total *row;

	t->timed |= !call->inferred;
	if (!call->wanted)
		return;
	row = t->groups ? find_in_group(t, call->func,
					function_groups_of(t->groups, t->tree, t->pid, call,
							   member_of(t))) :
			  find_seen(t, call->func);
	if (!call_is_timed(call)) {
		if (call->inferred)
			see_inferred(row, call);
		else
			row->unclosed++;
		return;
	}
	row->calls++;
	row->orphans += call_lost_entry(call);
	row->doubtful += figures->doubtful;
	t->gap_cut |= call_gap_cut(call) != 0;
	row->no_net += figures->no_net;
	row->self += figures->self;
	if (!t->pid && call->level == GRAPH_TASK)
		row->idle_self += figures->self;
	see_most(&row->most_self, figures->self, figures->duration, call->exit);
	see_most(&row->most_net, figures->net, figures->duration, call->exit);
	row->sum += figures->duration;
	row->squares += (double)figures->duration * (double)figures->duration;
	if (figures->outer) {
		row->total += figures->duration;
		row->net += figures->net;
	}
	if (figures->leaf) {
		row->leaf_calls++;
		row->leaf_sum += figures->duration;
	}
	if (figures->duration < row->min)
		row->min = figures->duration;
	if (figures->duration > row->max || row->calls == 1 ||
	    (figures->duration == row->max && call->exit < row->worst)) {
		row->max = figures->duration;
		row->worst = call->exit;
		row->worst_took = call->exit_ts - (call->start - call_gap_cut(call));
	}
	duration_set_add(&row->durations, figures->duration);
	if (__builtin_expect(!--t->until_look, 0))
		check_memory(t);
}

static void see_late(void *arg, uint32_t func, uint64_t duration, uint64_t net)
{
	struct call_totals *t = arg;
	struct call_total *row = t->groups ? find_in_group(t, func, member_of(t)->group) :
					     find_seen(t, func);

	row->total += duration;
	row->net += net;
}

/* --- rows -------------------------------------------------------------------------- */

struct call_totals *call_totals_new(uint64_t max_bytes, struct function_groups *groups)
{
	struct call_totals *t = mem_alloc(sizeof(*t));

	t->visitor = (struct call_visitor){ .task = see_task, .leave = see_call,
					    .late_outer = see_late, .arg = t };
	t->groups = groups;
	if (groups)
		t->members = mem_array(MEMBERS, sizeof(*t->members));
	t->max_bytes = max_bytes;
	t->until_look = LOOK_EVERY;
	return t;
}

void call_totals_free(struct call_totals *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nr_seen; i++)
		duration_set_fini(&t->seen[i].durations);
	for (unsigned int i = 0; i < t->nr_rows; i++)
		duration_set_fini(&t->rows[i].durations);
	index_map_fini(&t->map);
	free(t->members);
	free(t->seen);
	free(t->rows);
	free(t);
}

void call_totals_set_tree(struct call_totals *t, const struct call_tree *tree)
{
	t->tree = tree;
}

const struct call_visitor *call_totals_visitor(struct call_totals *t)
{
	return &t->visitor;
}

static void add_row(struct call_total *to, struct call_total *from)
{
	if (from->calls && (!to->calls || from->min < to->min))
		to->min = from->min;
	if (from->calls && (!to->calls || from->max > to->max ||
			    (from->max == to->max && from->worst < to->worst))) {
		to->max = from->max;
		to->worst = from->worst;
		to->worst_took = from->worst_took;
	}
	if (!from->calls && !to->calls && from->entries &&
	    (!to->entries || from->worst < to->worst))
		to->worst = from->worst;
	to->calls += from->calls;
	to->total += from->total;
	to->self += from->self;
	to->idle_self += from->idle_self;
	to->net += from->net;
	to->has_net |= from->has_net;
	to->sum += from->sum;
	to->squares += from->squares;
	to->leaf_calls += from->leaf_calls;
	to->leaf_sum += from->leaf_sum;
	to->unclosed += from->unclosed;
	to->entries += from->entries;
	to->orphans += from->orphans;
	to->doubtful += from->doubtful;
	to->no_net += from->no_net;
	see_most(&to->most_self, from->most_self.ns, from->most_self.duration,
		 from->most_self.exit);
	see_most(&to->most_net, from->most_net.ns, from->most_net.duration, from->most_net.exit);
	duration_set_merge(&to->durations, &from->durations);
	duration_set_fini(&from->durations);
}

static int by_address(const void *a, const void *b)
{
	const struct call_total *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Merge rows in any order to one row per address and group. */
static void join_rows(struct call_totals *t)
{
	unsigned int nr = 0;

	if (t->nr_rows)
		qsort(t->rows, t->nr_rows, sizeof(*t->rows), by_address);
	for (unsigned int i = 0; i < t->nr_rows; i++) {
		if (nr && !by_address(&t->rows[nr - 1], &t->rows[i]))
			add_row(&t->rows[nr - 1], &t->rows[i]);
		else
			t->rows[nr++] = t->rows[i];
	}
	t->nr_rows = nr;
}

/* Net exists where time off the CPU is known, of calls whose interrupts are. */
static void set_net(struct call_total *row, const struct call_tree *tree)
{
	row->has_net = call_tree_has_away(tree) && row->calls > row->no_net;
	if (row->has_net)
		return;
	row->net = 0;
	row->most_net = (struct call_most){ 0 };
}

void call_totals_end(struct call_totals *t, const struct call_tree *tree)
{
	t->rows = mem_resize(t->rows, t->nr_rows + t->nr_seen + 1, sizeof(*t->rows));
	for (uint32_t i = 0; i < t->nr_seen; i++) {
		struct call_total *row = &t->seen[i];

		if (!row->calls && !row->unclosed && !row->entries) {
			duration_set_fini(&row->durations);
			continue;
		}
		if (!row->calls)
			row->min = 0;
		row->address = call_tree_function(tree, row->func);
		set_net(row, tree);
		t->rows[t->nr_rows++] = *row;
	}
	t->nr_seen = 0;
	index_map_fini(&t->map);
	join_rows(t);
}

void call_totals_merge(struct call_totals *t, struct call_totals *from)
{
	t->rows = mem_resize(t->rows, t->nr_rows + from->nr_rows + 1, sizeof(*t->rows));
	if (from->nr_rows)
		memcpy(t->rows + t->nr_rows, from->rows, from->nr_rows * sizeof(*t->rows));
	t->nr_rows += from->nr_rows;
	from->nr_rows = 0;
	t->coarse |= from->coarse;
	t->timed |= from->timed;
	t->gap_cut |= from->gap_cut;
	join_rows(t);
}

static struct call_total *copy_row(struct call_totals *to, struct call_total *from,
				   uint64_t address)
{
	struct call_total *row = &to->rows[to->nr_rows++];

	*row = *from;
	row->address = address;
	if (!row->calls)
		row->min = 0;
	row->durations = (struct duration_set){ .bits = from->durations.bits };
	duration_set_merge(&row->durations, &from->durations);
	return row;
}

void call_totals_copy(struct call_totals *t, const struct call_tree *tree, struct call_totals *to)
{
	to->rows = mem_resize(to->rows, to->nr_rows + t->nr_rows + t->nr_seen + 1,
			      sizeof(*to->rows));
	for (unsigned int i = 0; i < t->nr_rows; i++)
		copy_row(to, &t->rows[i], t->rows[i].address);
	for (uint32_t i = 0; tree && i < t->nr_seen; i++)
		if (t->seen[i].calls || t->seen[i].unclosed || t->seen[i].entries)
			set_net(copy_row(to, &t->seen[i],
					 call_tree_function(tree, t->seen[i].func)),
				tree);
	to->coarse |= t->coarse;
	to->timed |= t->timed;
	to->gap_cut |= t->gap_cut;
	join_rows(to);
}

struct call_total *call_totals_rows(struct call_totals *t, unsigned int *nr)
{
	*nr = t->nr_rows;
	return t->rows;
}

bool call_totals_are_exact(const struct call_totals *t)
{
	return !t->coarse;
}

bool call_totals_are_timed(const struct call_totals *t)
{
	return t->timed;
}

bool call_totals_have_gap_cut(const struct call_totals *t)
{
	return t->gap_cut;
}
