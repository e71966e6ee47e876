/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_open.h"

#include <stdlib.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"

#define MOST_OPEN	(1u << 20)	/* 80 MB; further starts are not kept */
#define MOST_IN_ORDER	(1u << 16)	/* of these, of a rule with ranges */

void latency_open_fini(struct latency_open *open)
{
	free(open->starts);
	free(open->sorted);
	index_map_fini(&open->map);
}

static inline uint32_t hash_of(const struct latency_open *open, uint64_t key, uint64_t scope)
{
	return index_map_hash_pair(open->loose ? 0 : key, scope);
}

uint32_t latency_open_find_hashed(const struct latency_open *open, uint64_t key, uint64_t scope)
{
	index_map_each (&open->map, hash_of(open, key, scope), i)
		if (latency_open_is(open, i, key, scope))
			return i;
	return INDEX_MAP_NONE;
}

/* Keys that are not open stay in the map until half of it is such keys.  Not for stacks. */
static __attribute__((noinline)) void make_room(struct latency_open *open)
{
	uint32_t nr = 0;

	if (open->rule->nested || open->nr_open > open->nr / 2)
		return;
	index_map_clear(&open->map);
	for (uint32_t i = 0; i < open->nr; i++) {
		struct latency_start *s = &open->starts[i];

		if (!s->is_open)
			continue;
		open->starts[nr] = *s;
		index_map_add(&open->map, hash_of(open, s->key, s->scope), nr++);
	}
	open->nr = nr;
}

static uint32_t new_place(struct latency_open *open)
{
	if (open->nr == open->cap && open->nr)
		make_room(open);
	mem_grow(&open->starts, open->nr, &open->cap);
	return open->nr++;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Move an open start away, below a new one. */
static uint32_t push(struct latency_open *open, uint32_t i)
{
	uint32_t place = open->free;

	if (place)
		open->free = open->starts[place - 1].below;
	else
		place = new_place(open) + 1;
	open->starts[place - 1] = open->starts[i];
	return place;
}

const struct latency_start *latency_open_pop(struct latency_open *open, uint32_t i)
{
	uint32_t place = open->starts[i].below;

	open->ended = open->starts[i];
	open->starts[i] = open->starts[place - 1];
	open->starts[place - 1].is_open = false;
	open->starts[place - 1].below = open->free;
	open->free = place;
	return &open->ended;
}

/* --- ranges ----------------------------------------------------------------------------------- */

static inline bool is_before(const struct latency_start *s, uint64_t label, uint64_t key)
{
	return s->label != label ? s->label < label : s->key < key;
}

static uint32_t place_of(const struct latency_open *open, uint64_t label, uint64_t key)
{
	return bisect(open->nr_sorted, k, is_before(&open->starts[open->sorted[k]], label, key));
}

/* Starts of a rule with ranges: their places never change, free ones are in a list. */
static struct latency_start *start_within(struct latency_open *open, uint64_t label, uint64_t key)
{
	uint32_t at = place_of(open, label, key), i;

	if (at < open->nr_sorted) {
		struct latency_start *s = &open->starts[open->sorted[at]];

		if (s->label == label && s->key == key) {
			open->replaced++;
			return s;
		}
	}
	if (open->nr_open >= MOST_IN_ORDER) {
		open->replaced++;
		return NULL;
	}
	i = open->free ? open->free - 1 : open->nr;
	if (open->free) {
		open->free = open->starts[i].below;
	} else {
		mem_grow(&open->starts, open->nr, &open->cap);
		open->nr++;
	}
	mem_grow(&open->sorted, open->nr_sorted, &open->cap_sorted);
	memmove(open->sorted + at + 1, open->sorted + at,
		(open->nr_sorted++ - at) * sizeof(*open->sorted));
	open->sorted[at] = i;
	open->nr_open++;
	return &open->starts[i];
}

const struct latency_start *latency_open_within(struct latency_open *open, uint64_t label,
						uint64_t key, uint64_t nr)
{
	uint32_t at = place_of(open, label, key), i;
	struct latency_start *s;

	if (at == open->nr_sorted)
		return NULL;
	i = open->sorted[at];
	s = &open->starts[i];
	if (s->label != label || s->key - key >= nr)
		return NULL;
	memmove(open->sorted + at, open->sorted + at + 1,
		(--open->nr_sorted - at) * sizeof(*open->sorted));
	s->is_open = false;
	s->below = open->free;
	open->free = i + 1;
	open->nr_open--;
	return s;
}

/* --- starts and ends -------------------------------------------------------------------------- */

static bool has_room(const struct latency_open *open)
{
	return open->nr_open < MOST_OPEN && open->nr < MOST_OPEN * 4;
}

/* The place of a start with a key that has one already; NULL: that one counts. */
static struct latency_start *start_again(struct latency_open *open, uint32_t i, uint32_t *below,
					 const uint32_t *losses)
{
	if (!open->starts[i].is_open || latency_open_is_lost(open, &open->starts[i], losses)) {
		open->nr_open += !open->starts[i].is_open;
		return &open->starts[i];
	}
	if (open->rule->first || (open->rule->nested && !has_room(open)))
		return NULL;
	if (open->rule->nested) {
		*below = push(open, i);
		open->nr_open++;
	} else {
		open->replaced++;
	}
	return &open->starts[i];
}

struct latency_start *latency_open_start(struct latency_open *open, uint64_t label, uint64_t key,
					 uint64_t scope, const uint32_t *losses)
{
	struct latency_start *start;
	uint32_t i, below = 0;

	if (open->rule->within) {
		start = start_within(open, label, key);
	} else {
		i = latency_open_find(open, key, scope);
		if (i != INDEX_MAP_NONE) {
			start = start_again(open, i, &below, losses);
		} else if (has_room(open)) {
			i = new_place(open);
			index_map_add(&open->map, hash_of(open, key, scope), i);
			open->nr_open++;
			start = &open->starts[i];
		} else {
			start = NULL;
		}
	}
	if (!start)
		return NULL;
	start->label = label;
	start->key = key;
	start->scope = scope;
	start->below = below;
	start->is_open = true;
	return start;
}

void latency_open_each(const struct latency_open *open, const uint32_t *losses,
		       void (*each)(void *arg, const struct latency_start *start), void *arg)
{
	for (uint32_t i = 0; i < open->nr; i++)
		if (open->starts[i].is_open &&
		    !latency_open_is_lost(open, &open->starts[i], losses))
			each(arg, &open->starts[i]);
}
