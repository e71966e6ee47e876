/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/call_instances.h"

#include <stdlib.h>

#include "src/calls/call_job.h"
#include "src/calls/graph_records.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define MAX_CALLS	200000u		/* in trees, while searching */

struct call_instances {
	struct trace	*trace;
	unsigned int	 file;
	struct call_job	*job;		/* owned */
	uint64_t	 function;
	uint32_t	 max;
	enum call_order	 order;
	/* Owned by the worker from the first slice on */
	struct graph_types *types;	/* owned */
	const struct call_tree *tree;	/* borrowed: of the buffer being read */
	struct call_visitor visitor;
	struct call_instance *list;	/* owned, [nr]: a heap with the last on top; sorted
					 * when done */
	uint32_t	 nr, cap;
	uint64_t	 calls;
};

/* --- the first in the order -------------------------------------------------------------- */

static uint64_t measure(const struct call_instance *instance, enum call_order order)
{
	return order == CALLS_MOST_SELF ? instance->self :
	       order == CALLS_MOST_NET  ? instance->net :
	       order == CALLS_FIRST     ? ~instance->start :
					  instance->duration;
}

static int in_order(const void *a, const void *b, void *instances)
{
	const struct call_instances *c = instances;
	const struct call_instance *x = a, *y = b;
	uint64_t first = measure(x, c->order), second = measure(y, c->order);

	if (first != second)
		return first < second ? 1 : -1;
	return x->exit < y->exit ? -1 : x->exit > y->exit;
}

static void sift_down(struct call_instances *c)
{
	struct call_instance moved = c->list[0];
	uint32_t at = 0;

	for (uint32_t below = 1; below < c->nr; below = 2 * at + 1) {
		if (below + 1 < c->nr && in_order(&c->list[below], &c->list[below + 1], c) < 0)
			below++;
		if (in_order(&c->list[below], &moved, c) < 0)
			break;
		c->list[at] = c->list[below];
		at = below;
	}
	c->list[at] = moved;
}

static void sift_up(struct call_instances *c)
{
	uint32_t at = c->nr - 1;
	struct call_instance moved = c->list[at];

	for (; at && in_order(&moved, &c->list[(at - 1) / 2], c) > 0; at = (at - 1) / 2)
		c->list[at] = c->list[(at - 1) / 2];
	c->list[at] = moved;
}

static void see_leave(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_instances *c = arg;
	struct call_instance instance = { .exit = call->exit, .duration = figures->duration,
					  .start = call->start, .self = figures->self,
					  .net = figures->net, .leaf = figures->leaf,
					  .orphan = call_lost_entry(call),
					  .doubtful = figures->doubtful,
					  .no_net = figures->no_net };

	if (!call->wanted || !call_is_timed(call) ||
	    call_tree_function(c->tree, call->func) != c->function)
		return;
	c->calls++;
	if (c->nr < c->max) {
		mem_grow(&c->list, c->nr, &c->cap);
		c->list[c->nr++] = instance;
		sift_up(c);
	} else if (in_order(&instance, &c->list[0], c) < 0) {
		c->list[0] = instance;
		sift_down(c);
	}
}

/* --- the worker --------------------------------------------------------------------------- */

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct call_instances *c = arg;
	struct call_tree_options options = { .local_clock = graph_knows_away(c->trace, c->file,
									     buffer),
					     .max_calls = MAX_CALLS,
					     .visitor = &c->visitor };
	struct call_tree *tree = call_tree_new(&options);

	c->tree = tree;
	return tree;
}

static void finish(void *arg)
{
	struct call_instances *c = arg;

	if (c->nr)
		qsort_r(c->list, c->nr, sizeof(*c->list), in_order, c);
}

static const struct call_job_ops ops = { .begin = begin_buffer, .finish = finish };

/* --- the main thread ------------------------------------------------------------------------ */

struct call_instances *call_instances_new(struct trace *trace, unsigned int file,
					  const struct graph_scope *scope, uint64_t function,
					  enum call_order order, uint32_t max,
					  struct workers *workers)
{
	struct call_instances *c = mem_alloc(sizeof(*c));

	*c = (struct call_instances){
		.trace = trace, .file = file, .function = function, .order = order, .max = max
	};
	c->visitor = (struct call_visitor){ .leave = see_leave, .arg = c };
	c->types = graph_types_new(trace, file);
	c->job = call_job_new(workers, &ops, c);
	call_job_add_file(c->job, trace, c->types, file, scope);
	call_job_start(c->job);
	return c;
}

void call_instances_free(struct call_instances *c)
{
	if (!c)
		return;
	call_job_free(c->job);
	graph_types_free(c->types);
	free(c->list);
	free(c);
}

uint64_t call_instances_function(const struct call_instances *c)
{
	return c->function;
}

enum call_order call_instances_order(const struct call_instances *c)
{
	return c->order;
}

unsigned int call_instances_permille(const struct call_instances *c)
{
	return call_job_permille(c->job);
}

const struct call_instance *call_instances_list(const struct call_instances *c, uint32_t *nr)
{
	bool done = call_instances_permille(c) == 1000;

	*nr = done ? c->nr : 0;
	return done ? c->list : NULL;	/* until then it belongs to the worker */
}

uint64_t call_instances_calls(const struct call_instances *c)
{
	return call_instances_permille(c) == 1000 ? c->calls : 0;
}
