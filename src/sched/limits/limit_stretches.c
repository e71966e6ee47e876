/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/limits/limit_stretches.h"

#include <stdlib.h>

#include "src/base/memory.h"

#define CLUSTER_MAX	64u		/* stretches of one task that overlap */

struct edge_list {
	struct sched_limit_edge *edges;	/* owned, [nr] */
	uint32_t	nr, cap;
};

static int by_task(const void *a, const void *b)
{
	const struct limit_stretch *x = a, *y = b;

	return x->pid < y->pid     ? -1 :
	       x->pid > y->pid     ? 1 :
	       x->from < y->from   ? -1 :
	       x->from > y->from   ? 1 :
	       x->limit < y->limit ? -1 :
				     x->limit > y->limit;
}

static int by_time(const void *a, const void *b)
{
	const struct sched_limit_edge *x = a, *y = b;
	bool x_ends = x->limit == SCHED_NO_LIMIT, y_ends = y->limit == SCHED_NO_LIMIT;

	return x->ts < y->ts    ? -1 :
	       x->ts > y->ts    ? 1 :
	       x_ends != y_ends ? (x_ends ? -1 : 1) :
	       x->pid < y->pid  ? -1 :
				  x->pid > y->pid;
}

static void add_edge(struct edge_list *l, int64_t ts, const struct limit_stretch *of,
		     uint32_t limit)
{
	mem_grow(&l->edges, l->nr, &l->cap);
	limit += limit != SCHED_NO_LIMIT ? SCHED_LIMIT_GROUP : 0;
	l->edges[l->nr++] = (struct sched_limit_edge){ ts, of->pid, limit, of->doubtful };
}

/* Of stretches of one task, that of the highest limit at a time; NULL: none. */
static const struct limit_stretch *highest_at(const struct limit_stretch *list, uint32_t nr,
					      int64_t ts)
{
	const struct limit_stretch *highest = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if (list[i].from <= ts && ts < list[i].to &&
		    (!highest || list[i].limit < highest->limit))
			highest = &list[i];
	return highest;
}

/*
 * Stretches of a task that overlap: a limit may be used up while one above it is, too.  At each
 * moment that of the highest group counts.
 */
static void add_cluster(struct edge_list *l, const struct limit_stretch *list, uint32_t nr)
{
	const struct limit_stretch *now = NULL, *next;
	bool changes;

	for (int64_t ts = list->from, after; ts < INT64_MAX; ts = after) {
		next = highest_at(list, nr, ts);
		changes = !now || !next ? now != next : now->limit != next->limit;
		if (changes && now)
			add_edge(l, ts, now, SCHED_NO_LIMIT);
		if (changes && next)
			add_edge(l, ts, next, next->limit);
		now = next;
		after = INT64_MAX;
		for (uint32_t i = 0; i < nr; i++) {
			if (list[i].from > ts && list[i].from < after)
				after = list[i].from;
			if (list[i].to > ts && list[i].to < after)
				after = list[i].to;
		}
	}
}

void limit_stretches_sort(struct limit_stretch *list, uint32_t nr)
{
	if (nr)
		qsort(list, nr, sizeof(*list), by_task);
}

struct sched_limit_edge *limit_stretches_edges(struct limit_stretch *list, uint32_t nr,
					       uint32_t *nr_edges)
{
	struct edge_list edges = { 0 };

	limit_stretches_sort(list, nr);
	for (uint32_t i = 0, k; i < nr; i = k) {
		int64_t to = list[i].to;

		for (k = i + 1; k < nr && k - i < CLUSTER_MAX && list[k].pid == list[i].pid &&
				list[k].from < to;
		     k++)
			to = list[k].to > to ? list[k].to : to;
		add_cluster(&edges, &list[i], k - i);
	}
	if (edges.nr)
		qsort(edges.edges, edges.nr, sizeof(*edges.edges), by_time);
	*nr_edges = edges.nr;
	return edges.edges;
}
