/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_instances.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/calls/call_slice.h"
#include "src/calls/function_table_private.h"
#include "src/base/memory.h"
#include "src/trace/trace_private.h"

#define MAX_CALLS	200000u		/* of trees, held while looking */

struct call_instances {
	struct workers	*workers;
	struct worker_group group;
	uint64_t	 function;
	uint32_t	 max;
	/* the worker's, from the first slice on */
	struct graph_types *types;	/* owned */
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	bool		*knows_away;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct call_tree *tree;		/* owned: of the buffer that is read */
	struct graph_record *records;	/* owned, [CALL_SLICE_RECORDS] */
	struct call_visitor visitor;
	uint64_t	 bytes, all_bytes;	/* of buffers that were read; of all */
	struct call_instance *list;	/* owned, [nr]: a heap, the shortest on top; in order when done */
	uint32_t	 nr, cap;
	uint64_t	 calls;
	atomic_uint	 permille;
};

/* --- the longest ones ------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
	const struct call_instance *x = a, *y = b;

	if (x->duration != y->duration)
		return x->duration < y->duration ? 1 : -1;
	return x->exit < y->exit ? -1 : x->exit > y->exit;
}

static void sift_down(struct call_instances *c)
{
	struct call_instance moved = c->list[0];
	uint32_t at = 0;

	for (uint32_t below = 1; below < c->nr; below = 2 * at + 1) {
		if (below + 1 < c->nr && in_order(&c->list[below], &c->list[below + 1]) < 0)
			below++;
		if (in_order(&c->list[below], &moved) < 0)
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

	for (; at && in_order(&moved, &c->list[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		c->list[at] = c->list[(at - 1) / 2];
	c->list[at] = moved;
}

static void see_leave(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_instances *c = arg;
	struct call_instance instance = { .exit = call->exit, .duration = figures->duration, .self = figures->self,
					  .net = figures->net, .leaf = figures->leaf, .orphan = call->kind == CALL_ORPHAN,
					  .clipped = call->clipped };

	if (!call->wanted || !call_is_timed(call) || call_tree_function(c->tree, call->func) != c->function)
		return;
	c->calls++;
	if (c->nr < c->max) {
		mem_grow(&c->list, c->nr, &c->cap);
		c->list[c->nr++] = instance;
		sift_up(c);
	} else if (in_order(&instance, &c->list[0]) < 0) {
		c->list[0] = instance;
		sift_down(c);
	}
}

/* --- the worker --------------------------------------------------------------------------- */

static void begin_buffer(struct call_instances *c)
{
	struct call_tree_options options = { .local_clock = c->knows_away[c->buffer], .max_calls = MAX_CALLS, .visitor = &c->visitor };

	c->tree = call_tree_new(&options);
}

static void end_buffer(struct call_instances *c)
{
	call_tree_end(c->tree);
	call_tree_free(c->tree);
	c->tree = NULL;
	c->bytes += graph_reader_all_bytes(c->readers[c->buffer]);
	graph_reader_free(c->readers[c->buffer]);
	c->readers[c->buffer++] = NULL;
}

static void finish(struct call_instances *c)
{
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), in_order);
	atomic_store(&c->permille, 1000);
}

static void tell_progress(struct call_instances *c)
{
	uint64_t bytes = c->bytes + graph_reader_bytes(c->readers[c->buffer]);

	if (c->all_bytes && bytes < c->all_bytes)
		atomic_store(&c->permille, (unsigned int)((double)bytes * 999 / (double)c->all_bytes));
}

/* A slice, then to the end of the queue: others get their turn. */
static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct call_instances *c = arg;
	enum call_slice_end end;

	(void)worker;
	if (cancelled || workers_cancelled(&c->group, 0))
		return;
	if (c->buffer == c->nr_buffers) {
		finish(c);
		return;
	}
	if (!c->tree)
		begin_buffer(c);
	end = call_slice_run(c->readers[c->buffer], c->tree, c->records, &c->group, 0);
	if (end == CALL_SLICE_CANCELLED)
		return;
	tell_progress(c);
	if (end == CALL_SLICE_DONE)
		end_buffer(c);
	workers_add(c->workers, &c->group, WORKER_REQUESTED, run, c);
}

/* --- the main thread ------------------------------------------------------------------------ */

struct call_instances *call_instances_new(struct trace *trace, unsigned int file, const struct graph_scope *scope,
					  uint64_t function, uint32_t max, struct workers *workers)
{
	struct call_instances *c = mem_alloc(sizeof(*c));

	*c = (struct call_instances){ .workers = workers, .function = function, .max = max };
	c->visitor = (struct call_visitor){ .leave = see_leave, .arg = c };
	c->types = graph_types_new(trace, file);
	c->nr_buffers = c->types ? trace_file_nr_buffers(trace_file_of(trace, file)) : 0;
	c->readers = mem_array(c->nr_buffers + 1, sizeof(c->readers[0]));
	c->knows_away = mem_array(c->nr_buffers + 1, sizeof(c->knows_away[0]));
	for (unsigned int i = 0; i < c->nr_buffers; i++) {
		struct graph_reader_options options = { .scope = scope };

		options.switches = c->knows_away[i] = function_knows_away(trace, file, i);
		c->readers[i] = graph_reader_new(trace, c->types, file, i, &options);
		c->all_bytes += graph_reader_all_bytes(c->readers[i]);
	}
	c->records = mem_array(CALL_SLICE_RECORDS, sizeof(*c->records));
	workers_add(workers, &c->group, WORKER_REQUESTED, run, c);
	return c;
}

void call_instances_free(struct call_instances *c)
{
	if (!c)
		return;
	workers_cancel(&c->group);
	workers_wait(c->workers, &c->group);
	call_tree_free(c->tree);
	for (unsigned int i = 0; i < c->nr_buffers; i++)
		graph_reader_free(c->readers[i]);
	free(c->readers);
	free(c->knows_away);
	graph_types_free(c->types);
	free(c->records);
	free(c->list);
	free(c);
}

uint64_t call_instances_function(const struct call_instances *c)
{
	return c->function;
}

unsigned int call_instances_permille(const struct call_instances *c)
{
	return atomic_load(&c->permille);
}

const struct call_instance *call_instances_list(const struct call_instances *c, uint32_t *nr)
{
	bool done = call_instances_permille(c) == 1000;

	*nr = done ? c->nr : 0;
	return done ? c->list : NULL;	/* until then the worker's */
}

uint64_t call_instances_calls(const struct call_instances *c)
{
	return call_instances_permille(c) == 1000 ? c->calls : 0;
}
