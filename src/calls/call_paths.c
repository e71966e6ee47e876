/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_paths.h"

#include <stdlib.h>

#include "src/base/memory.h"

struct way {				/* a call that the walk is in */
	uint32_t	 path;
	bool		 held;		/* the path is its own, not that of a caller */
};

struct call_paths {
	struct call_visitor visitor;
	struct call_path *paths;	/* owned, [nr]; 0 is the root */
	uint32_t	 nr, cap, max;
	uint32_t	*slots;		/* owned, [slots_size]: number of a path; 0 = free */
	uint32_t	 slots_size;
	bool		 by_address;	/* paths are told apart by addresses: trees have ended */
	bool		 cut;
	struct way	*ways;		/* owned, [nr_ways] */
	uint32_t	 nr_ways, cap_ways;
	uint32_t	 below;		/* path that a walk begins below */
};

static inline uint32_t slot_of(const struct call_paths *p, uint32_t parent, uint64_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15u ^ parent * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u >> 32) &
	       (p->slots_size - 1);
}

static inline uint64_t key_of(const struct call_paths *p, const struct call_path *path)
{
	return p->by_address ? path->address : path->func;
}

static void put_slot(struct call_paths *p, uint32_t number)
{
	uint32_t slot = slot_of(p, p->paths[number].parent, key_of(p, &p->paths[number]));

	while (p->slots[slot])
		slot = (slot + 1) & (p->slots_size - 1);
	p->slots[slot] = number;
}

static void make_slots(struct call_paths *p, uint32_t size)
{
	free(p->slots);
	p->slots = mem_array(size, sizeof(*p->slots));
	p->slots_size = size;
	for (uint32_t i = 1; i < p->nr; i++)
		put_slot(p, i);
}

static uint32_t new_path(struct call_paths *p, uint32_t parent)
{
	mem_grow(&p->paths, p->nr, &p->cap);
	p->paths[p->nr] = (struct call_path){ .parent = parent, .before = p->paths[parent].last };
	p->paths[parent].last = p->nr;
	return p->nr++;
}

/* The path of a function below a caller; false: there is no room for it. */
static bool find_path(struct call_paths *p, uint32_t parent, uint64_t key, uint32_t *number)
{
	uint32_t slot = slot_of(p, parent, key);

	while ((*number = p->slots[slot])) {
		if (p->paths[*number].parent == parent && key_of(p, &p->paths[*number]) == key)
			return true;
		slot = (slot + 1) & (p->slots_size - 1);
	}
	if (p->nr >= p->max) {
		p->cut = true;
		return false;
	}
	*number = new_path(p, parent);
	if (p->by_address)
		p->paths[*number].address = key;
	else
		p->paths[*number].func = (uint32_t)key;
	if (p->nr * 2 > p->slots_size)
		make_slots(p, p->slots_size * 2);
	else
		p->slots[slot] = *number;
	return true;
}

/* --- looking at calls -------------------------------------------------------------- */

static void step_down(struct call_paths *p, uint32_t func)
{
	struct way above = p->nr_ways ? p->ways[p->nr_ways - 1] : (struct way){ p->below, true }, way = above;

	way.held = above.held && find_path(p, above.path, func, &way.path);
	if (!way.held)
		way.path = above.path;
	mem_grow(&p->ways, p->nr_ways, &p->cap_ways);
	p->ways[p->nr_ways++] = way;
}

/* A walk begins below these calls, which are open. */
static void see_begin(void *arg, const uint32_t *funcs, unsigned int nr)
{
	struct call_paths *p = arg;

	p->nr_ways = 0;
	p->below = CALL_PATH_ROOT;
	for (unsigned int i = 0; i < nr; i++)
		step_down(p, funcs[i]);
	if (nr)
		p->below = p->ways[nr - 1].path;
	p->nr_ways = 0;
}

static void see_enter(void *arg, const struct call *call)
{
	step_down(arg, call->func);
}

static void see_leave(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_paths *p = arg;
	const struct way *way = &p->ways[--p->nr_ways];
	struct call_path *path = &p->paths[way->path];

	if (!call->wanted || (!call_is_timed(call) && !call->inferred))
		return;
	if (call->inferred) {
		path->entries += way->held ? call->calls : 0;
		return;
	}
	path->self += figures->self;
	if (!way->held)
		return;
	path->calls++;
	path->total += figures->duration;
	path->net += figures->net;
}

struct call_paths *call_paths_new(uint32_t max_paths)
{
	struct call_paths *p = mem_alloc(sizeof(*p));

	p->visitor = (struct call_visitor){ .begin = see_begin, .enter = see_enter, .leave = see_leave, .arg = p };
	p->max = max_paths;
	mem_grow(&p->paths, p->nr, &p->cap);
	p->paths[p->nr++] = (struct call_path){ 0 };
	make_slots(p, 1024);
	return p;
}

void call_paths_free(struct call_paths *p)
{
	if (!p)
		return;
	free(p->paths);
	free(p->slots);
	free(p->ways);
	free(p);
}

const struct call_visitor *call_paths_visitor(struct call_paths *p)
{
	return &p->visitor;
}

void call_paths_end(struct call_paths *p, const struct call_tree *tree)
{
	for (uint32_t i = 1; i < p->nr; i++)
		p->paths[i].address = call_tree_function(tree, p->paths[i].func);
	p->by_address = true;
	make_slots(p, p->slots_size);
}

/* @tree: it knows the functions of paths that have no addresses yet. */
static void add_paths(struct call_paths *p, const struct call_paths *from, const struct call_tree *tree)
{
	uint32_t *numbers = mem_array(from->nr, sizeof(*numbers));

	p->by_address = true;
	p->cut |= from->cut;
	/* A path is behind its caller's: that one has its number already. */
	for (uint32_t i = 1; i < from->nr; i++) {
		const struct call_path *path = &from->paths[i];
		uint64_t address = tree ? call_tree_function(tree, path->func) : path->address;
		uint32_t parent = numbers[path->parent];
		bool held = !(parent & 1u << 31) && find_path(p, parent, address, &numbers[i]);

		if (!held)
			numbers[i] = parent | 1u << 31;
		p->paths[numbers[i] & ~(1u << 31)].self += path->self;
		if (!held)
			continue;
		p->paths[numbers[i]].calls += path->calls;
		p->paths[numbers[i]].entries += path->entries;
		p->paths[numbers[i]].total += path->total;
		p->paths[numbers[i]].net += path->net;
	}
	free(numbers);
}

void call_paths_copy(const struct call_paths *p, const struct call_tree *tree, struct call_paths *to)
{
	add_paths(to, p, tree);
}

void call_paths_merge(struct call_paths *p, const struct call_paths *from)
{
	add_paths(p, from, NULL);
}

void call_paths_count_entries(struct call_paths *p)
{
	for (uint32_t i = 0; i < p->nr; i++) {
		p->paths[i].calls += p->paths[i].entries;
		p->paths[i].entries = 0;
	}
}

uint32_t call_paths_nr(const struct call_paths *p)
{
	return p->nr;
}

const struct call_path *call_paths_at(const struct call_paths *p, uint32_t number)
{
	return &p->paths[number];
}

bool call_paths_are_whole(const struct call_paths *p)
{
	return !p->cut;
}
