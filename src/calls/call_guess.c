/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_guess.h"

#include <stdlib.h>

#include "parsers/types/kallsyms.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"

#define MAX_TASKS	(1u << 15)	/* held at a time; a hostile file may have more */
#define KNOWN		4096u		/* cached functions of addresses */

struct guess_frame {
	uint64_t	 function;
	uint8_t		 level;
};

struct guess_task {
	uint64_t	 key;
	uint64_t	 losses;	/* number of losses at its last record */
	struct guess_frame *frames;	/* owned, [nr], outermost first; levels never decrease */
	uint32_t	 nr, cap;
	uint16_t	 stream;	/* stream of its last record */
};

struct call_guess {
	const struct kallsyms *symbols;
	struct guess_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	 nr_tasks, cap_tasks;
	struct index_map map;		/* finds a task by its key */
	uint64_t	 losses;
	uint64_t	*lost;		/* owned, [nr_streams] at least: number
					   of each stream's last loss */
	uint32_t	 nr_streams;
	struct {
		uint64_t	 address, function;
	}		*known;		/* owned, [KNOWN]: by a hash of the address */
};

struct call_guess *call_guess_new(const struct kallsyms *symbols)
{
	struct call_guess *g = mem_alloc(sizeof(*g));

	g->symbols = symbols;
	g->known = mem_array(KNOWN, sizeof(*g->known));
	return g;
}

static void forget_tasks(struct call_guess *g)
{
	for (uint32_t i = 0; i < g->nr_tasks; i++)
		free(g->tasks[i].frames);
	g->nr_tasks = 0;
	index_map_clear(&g->map);
}

struct call_guess *call_guess_copy(const struct call_guess *from)
{
	struct call_guess *g = mem_copy(from, 1, sizeof(*from));

	g->tasks = mem_copy(from->tasks, from->nr_tasks, sizeof(*g->tasks));
	g->cap_tasks = g->nr_tasks;
	for (uint32_t i = 0; i < g->nr_tasks; i++) {
		struct guess_task *task = &g->tasks[i];

		task->frames = mem_copy(task->frames, task->nr, sizeof(*task->frames));
		task->cap = task->nr;
	}
	index_map_copy(&g->map, &from->map);
	g->lost = mem_copy(from->lost, from->nr_streams, sizeof(*g->lost));
	g->known = mem_copy(from->known, KNOWN, sizeof(*g->known));
	return g;
}

void call_guess_free(struct call_guess *g)
{
	if (!g)
		return;
	forget_tasks(g);
	free(g->tasks);
	index_map_fini(&g->map);
	free(g->lost);
	free(g->known);
	free(g);
}

/* --- functions ------------------------------------------------------------------------------ */

/* 0 if no function is known. */
static uint64_t function_of(struct call_guess *g, uint64_t address)
{
	uint32_t slot = (index_map_hash(address) >> 20) % KNOWN;
	struct kallsyms_symbol symbol;

	if (!address)
		return 0;
	if (g->known[slot].address != address) {
		g->known[slot].address = address;
		g->known[slot].function = g->symbols && kallsyms_find(g->symbols, address,
								      &symbol) ?
						  symbol.start :
						  0;
	}
	return g->known[slot].function;
}

/* --- tasks ----------------------------------------------------------------------------------- */

static struct guess_task *task_of(struct call_guess *g, const struct graph_record *record)
{
	uint64_t key = trace_task_key(record->pid, record->stream);

	index_map_each (&g->map, index_map_hash(key), i)
		if (g->tasks[i].key == key)
			return &g->tasks[i];
	if (g->nr_tasks == MAX_TASKS)
		forget_tasks(g);
	mem_grow(&g->tasks, g->nr_tasks, &g->cap_tasks);
	g->tasks[g->nr_tasks] = (struct guess_task){ .key = key,
						     .stream = record->stream,
						     .losses = g->losses };
	index_map_add(&g->map, index_map_hash(key), g->nr_tasks);
	return &g->tasks[g->nr_tasks++];
}

void call_guess_lost(struct call_guess *g, uint16_t stream)
{
	mem_reach(&g->lost, &g->nr_streams, stream);
	g->lost[stream] = ++g->losses;
}

static bool lost_since(const struct call_guess *g, uint16_t stream, uint64_t losses)
{
	return stream < g->nr_streams && g->lost[stream] > losses;
}

/* --- the rules -------------------------------------------------------------------------------- */

/* Keep the calls of the level that are in the stack trace, from the outermost on, in order. */
static void keep_by_stack(struct call_guess *g, struct guess_task *task, uint32_t base,
			  uint64_t function, const uint64_t *stack, uint32_t nr)
{
	uint32_t inner = 0, outer = nr;

	while (inner < nr && function_of(g, stack[inner]) != function)
		inner++;
	inner = inner < nr ? inner + 1 : 0;
	for (uint32_t i = base; i < task->nr; i++) {
		while (outer > inner &&
		       function_of(g, stack[outer - 1]) != task->frames[i].function)
			outer--;
		if (outer == inner) {
			task->nr = i;
			return;
		}
		outer--;
	}
}

static void keep_by_caller(struct guess_task *task, uint32_t base, uint64_t caller)
{
	uint32_t nr = task->nr;

	while (nr > base && (!caller || task->frames[nr - 1].function != caller))
		nr--;
	task->nr = nr;
}

int32_t call_guess_depth(struct call_guess *g, const struct graph_record *record, uint64_t caller,
			 const uint64_t *stack, uint32_t nr)
{
	struct guess_task *task = task_of(g, record);
	uint64_t function = function_of(g, record->func);
	uint32_t base;

	if (lost_since(g, task->stream, task->losses) ||
	    lost_since(g, record->stream, task->losses))
		task->nr = 0;
	task->losses = g->losses;
	task->stream = record->stream;
	while (task->nr && task->frames[task->nr - 1].level > record->level)
		task->nr--;
	for (base = task->nr; base && task->frames[base - 1].level == record->level;)
		base--;
	if (nr)
		keep_by_stack(g, task, base, function, stack, nr);
	else
		keep_by_caller(task, base, function_of(g, caller));
	if (task->nr >= CALL_GUESS_DEEPEST)
		task->nr = 0;
	mem_grow(&task->frames, task->nr, &task->cap);
	task->frames[task->nr] = (struct guess_frame){ .function = function,
						       .level = record->level };
	return (int32_t)task->nr++;
}
