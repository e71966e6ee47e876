/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/call_paths.h"

#include <stdlib.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

struct way {				/* a call on the walk's way */
	uint32_t	 path;
	bool		 held;		/* the path is its own, not a caller's */
	bool		 apart;		/* an interrupt of a timed call, or in one */
	int8_t		 level;		/* of the innermost timed call; -1 = none */
};

struct call_paths {
	struct call_visitor visitor;
	struct call_path *paths;	/* owned, [nr]; 0 is the root */
	uint32_t	 nr, cap, max;
	struct index_map map;		/* finds a path by its caller and function; not the root */
	bool		 by_address;	/* paths are known by addresses: the trees have ended */
	bool		 cut, deep;
	struct way	*ways;		/* owned, [nr_ways] */
	uint32_t	 nr_ways, cap_ways;
	uint32_t	 below;		/* path below which a walk begins */
	uint32_t	 below_levels;
};

static inline uint64_t key_of(const struct call_paths *p, const struct call_path *path)
{
	return p->by_address ? path->address : path->func;
}

static uint32_t new_path(struct call_paths *p, uint32_t parent)
{
	mem_grow(&p->paths, p->nr, &p->cap);
	p->paths[p->nr] = (struct call_path){ .parent = parent, .before = p->paths[parent].last };
	p->paths[parent].last = p->nr;
	return p->nr++;
}

/* The path of a function below a caller; false if there is no room. */
static bool find_path(struct call_paths *p, uint32_t parent, uint64_t key, uint32_t *number)
{
	uint32_t hash = index_map_hash_pair(key, parent);

	index_map_each (&p->map, hash, i) {
		if (p->paths[i].parent == parent && key_of(p, &p->paths[i]) == key) {
			*number = i;
			return true;
		}
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
	index_map_add(&p->map, hash, *number);
	return true;
}

/* --- looking at calls -------------------------------------------------------------- */

static void step_down(struct call_paths *p, uint32_t func)
{
	struct way above = p->nr_ways ? p->ways[p->nr_ways - 1] :
					(struct way){ .path = p->below, .held = true, .level = -1 },
		   way = above;

	way.held = above.held && p->below_levels + p->nr_ways < CALL_PATH_LEVELS &&
		   find_path(p, above.path, func, &way.path);
	p->deep |= p->below_levels + p->nr_ways >= CALL_PATH_LEVELS;
	if (!way.held)
		way.path = above.path;
	mem_grow(&p->ways, p->nr_ways, &p->cap_ways);
	p->ways[p->nr_ways++] = way;
}

/* A walk begins below these open calls. */
static void see_begin(void *arg, const uint32_t *funcs, unsigned int nr)
{
	struct call_paths *p = arg;

	p->nr_ways = 0;
	p->below = CALL_PATH_ROOT;
	p->below_levels = 0;
	for (unsigned int i = 0; i < nr; i++)
		step_down(p, funcs[i]);
	if (nr)
		p->below = p->ways[nr - 1].path;
	p->below_levels = nr;
	p->nr_ways = 0;
}

static void see_enter(void *arg, const struct call *call)
{
	struct call_paths *p = arg;
	struct way *way;

	step_down(p, call->func);
	way = &p->ways[p->nr_ways - 1];
	way->apart |= way->level >= 0 && call->level > way->level;
	if (call_is_timed(call))
		way->level = (int8_t)call->level;
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
	path->net_within += way->apart ? 0 : figures->net;
	path->doubtful += figures->doubtful;
	path->no_net += figures->no_net;
}

struct call_paths *call_paths_new(uint32_t max_paths)
{
	struct call_paths *p = mem_alloc(sizeof(*p));

	p->visitor = (struct call_visitor){
		.begin = see_begin, .enter = see_enter, .leave = see_leave, .arg = p
	};
	p->max = max_paths;
	mem_grow(&p->paths, p->nr, &p->cap);
	p->paths[p->nr++] = (struct call_path){ 0 };
	return p;
}

void call_paths_free(struct call_paths *p)
{
	if (!p)
		return;
	free(p->paths);
	index_map_fini(&p->map);
	free(p->ways);
	free(p);
}

const struct call_visitor *call_paths_visitor(struct call_paths *p)
{
	return &p->visitor;
}

void call_paths_end(struct call_paths *p, const struct call_tree *tree)
{
	p->by_address = true;
	index_map_clear(&p->map);
	for (uint32_t i = 1; i < p->nr; i++) {
		p->paths[i].address = call_tree_function(tree, p->paths[i].func);
		if (!call_tree_has_away(tree))
			p->paths[i].net = p->paths[i].net_within = 0;
		index_map_add(&p->map, index_map_hash_pair(p->paths[i].address, p->paths[i].parent),
			      i);
	}
}

/* @tree: knows the functions of paths that have no addresses yet. */
static void add_paths(struct call_paths *p, const struct call_paths *from,
		      const struct call_tree *tree)
{
	uint32_t *numbers = mem_array(from->nr, sizeof(*numbers));
	bool has_net = !tree || call_tree_has_away(tree);

	p->by_address = true;
	p->cut |= from->cut;
	p->deep |= from->deep;
	/* a path follows its caller's, which already has its number */
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
		p->paths[numbers[i]].net += has_net ? path->net : 0;
		p->paths[numbers[i]].net_within += has_net ? path->net_within : 0;
		p->paths[numbers[i]].doubtful += path->doubtful;
		p->paths[numbers[i]].no_net += path->no_net;
	}
	free(numbers);
}

void call_paths_copy(const struct call_paths *p, const struct call_tree *tree,
		     struct call_paths *to)
{
	add_paths(to, p, tree);
}

void call_paths_merge(struct call_paths *p, const struct call_paths *from)
{
	add_paths(p, from, NULL);
}

uint32_t call_paths_below(struct call_paths *p, uint32_t parent, uint64_t address)
{
	uint32_t number;

	p->by_address = true;
	return find_path(p, parent, address, &number) ? number : parent;
}

void call_paths_add(struct call_paths *p, uint32_t path, uint64_t time, uint64_t calls)
{
	p->paths[path].self += time;
	p->paths[path].calls += calls;
	for (;; path = p->paths[path].parent) {
		p->paths[path].total += time;
		p->paths[path].net += time;
		p->paths[path].net_within += time;
		if (path == CALL_PATH_ROOT)
			return;
	}
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

void call_paths_frame(const void *trace, const struct call_path *path, struct text *out)
{
	struct text name = { 0 };

	trace_function_name((struct trace *)trace, 0, path->address, &name);
	text_printable(out, text_str(&name), name.len);
	text_fini(&name);
}

void call_paths_folded(const struct call_paths *p, uint32_t path,
		       void (*frame)(const void *arg, const struct call_path *path,
				     struct text *out),
		       const void *arg, struct text *out)
{
	uint32_t parent = p->paths[path].parent;
	size_t start;

	if (parent != CALL_PATH_ROOT) {
		call_paths_folded(p, parent, frame, arg, out);
		text_char(out, ';');
	}
	start = out->len;
	frame(arg, &p->paths[path], out);
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

bool call_paths_are_whole(const struct call_paths *p)
{
	return !p->cut;
}

bool call_paths_too_deep(const struct call_paths *p)
{
	return p->deep;
}
