/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_INDEX_MAP_H
#define FTOP_SRC_BASE_INDEX_MAP_H
/*
 * index_map - the common hash table: maps keys to indices of the caller's array. The keys stay in
 * that array, so they may have any type; the map stores their hashes.  The hashes differ from run
 * to run, so nothing that is shown may depend on them.
 *
 * 	index_map_each(&map, index_map_hash(key), i)
 * 		if (items[i].key == key)
 * 			return &items[i];
 * 	index_map_add(&map, index_map_hash(key), nr_items);
 *
 * Not used for caches that forget (page_cache, cursor_seek, filter_run, call_guess), where a new
 * entry replaces an old one, nor for the bits of page_index.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define INDEX_MAP_NONE	UINT32_MAX

struct index_map {			/* zeroed: empty; free it with index_map_fini() */
	struct index_map_slot {
		uint32_t hash;
		uint32_t number;	/* 1 + index; 0 = free */
	}		*slots;		/* owned, [nr_slots] */
	size_t		 nr_slots;	/* a power of two, at least twice nr; 0 before the first
					 * entry */
	uint32_t	 nr;
};

/* Random, and the same for the whole process: no file can be made of keys that collide. */
extern uint64_t index_map_seed[2];

/* Mix two numbers by multiplying them, and joining the halves of the product. */
static inline uint64_t index_map_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a ^ index_map_seed[0], y = b ^ index_map_seed[1];
#ifdef __SIZEOF_INT128__
	__uint128_t product = (__uint128_t)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low_high = (x & UINT32_MAX) * (y >> 32), high_low = (x >> 32) * (y & UINT32_MAX),
		 middle = low_high ^ high_low;

	return (x & UINT32_MAX) * (y & UINT32_MAX) ^ (x >> 32) * (y >> 32) ^ middle << 32 ^
	       middle >> 32;
#endif
}

static inline uint32_t index_map_hash_pair(uint64_t a, uint64_t b)
{
	uint64_t mixed = index_map_mix(a, b);

	return (uint32_t)((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u >> 32);
}

static inline uint32_t index_map_hash(uint64_t key)
{
	return index_map_hash_pair(key, 0);
}

static inline uint32_t index_map_hash_bytes(const char *s, size_t len)
{
	uint64_t words[2] = { 0 }, mixed = len;
	const char *last;

	if (len < sizeof(words)) {
		memcpy(words, s, len);
	} else {
		for (last = s + len - sizeof(words); s < last; s += sizeof(words)) {
			memcpy(words, s, sizeof(words));
			mixed = index_map_mix(mixed ^ words[0], words[1]);
		}
		memcpy(words, last, sizeof(words));	/* some bytes again */
	}
	return index_map_hash_pair(mixed ^ words[0], words[1]);
}

/* Loop over the indices added with this hash, as a new variable @i: compare each one's key. */
#define index_map_each(map, hash, i) \
	for (uint32_t i, i##_step = 0; \
	     (i = index_map_next(map, hash, &i##_step)) != INDEX_MAP_NONE;)

static inline uint32_t index_map_next(const struct index_map *map, uint32_t hash, uint32_t *step)
{
	while (map->nr_slots) {
		const struct index_map_slot *slot =
			&map->slots[(hash + (size_t)(*step)++) & (map->nr_slots - 1)];

		if (!slot->number)
			break;
		if (slot->hash == hash)
			return slot->number - 1;
	}
	return INDEX_MAP_NONE;
}

static inline void index_map_put(struct index_map *map, struct index_map_slot slot)
{
	size_t at = slot.hash;

	while (map->slots[at & (map->nr_slots - 1)].number)
		at++;
	map->slots[at & (map->nr_slots - 1)] = slot;
}

static inline void index_map_grow(struct index_map *map)
{
	struct index_map old = *map;

	map->nr_slots = old.nr_slots ? old.nr_slots * 2 : 64;
	map->slots = mem_array(map->nr_slots, sizeof(*map->slots));
	for (size_t i = 0; i < old.nr_slots; i++)
		if (old.slots[i].number)
			index_map_put(map, old.slots[i]);
	free(old.slots);
}

/* Add an index whose key is not in the map yet. */
static inline void index_map_add(struct index_map *map, uint32_t hash, uint32_t index)
{
	if (map->nr * (size_t)2 >= map->nr_slots)
		index_map_grow(map);
	index_map_put(map, (struct index_map_slot){ hash, index + 1 });
	map->nr++;
}

/* The entry of an index is now that of another one, with the same key. */
static inline void index_map_replace(struct index_map *map, uint32_t hash, uint32_t index,
				     uint32_t by)
{
	size_t at = hash;

	while (map->slots[at & (map->nr_slots - 1)].number != index + 1)
		at++;
	map->slots[at & (map->nr_slots - 1)].number = by + 1;
}

/* Remove all entries; the memory is kept for new ones. */
static inline void index_map_clear(struct index_map *map)
{
	if (map->nr)
		memset(map->slots, 0, map->nr_slots * sizeof(*map->slots));
	map->nr = 0;
}

/* @to gets the same entries; what it had is not freed. */
static inline void index_map_copy(struct index_map *to, const struct index_map *from)
{
	*to = *from;
	to->slots = mem_copy(from->slots, from->nr_slots, sizeof(*to->slots));
}

static inline void index_map_fini(struct index_map *map)
{
	free(map->slots);
	*map = (struct index_map){ 0 };
}
#endif
