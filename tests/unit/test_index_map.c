/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hash index finds against a plain array; and how many slots it looks at, whatever the
 * keys are: a trace determines them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/base/index_map.h"

#define MANY	200000u

/* Few hashes, so that many keys share one. */
static uint32_t hash_of(uint64_t key, bool poor)
{
	return poor ? (uint32_t)key % 7 : index_map_hash(key);
}

static uint32_t find(const struct index_map *map, const uint64_t *keys, uint64_t key, bool poor)
{
	index_map_each (map, hash_of(key, poor), i)
		if (keys[i] == key)
			return i;
	return INDEX_MAP_NONE;
}

static void test_index_map(void **state)
{
	enum { KEYS = 3000 };
	static uint64_t keys[KEYS];
	struct index_map map = { 0 };

	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		bool poor = round % 2;
		uint32_t nr = poor ? 300 : KEYS;

		assert_int_equal(find(&map, keys, 5, poor), INDEX_MAP_NONE);
		for (uint32_t i = 0; i < nr; i++) {
			keys[i] = round < 2 ? i * 16ull : (uint64_t)i << 40;
			assert_int_equal(find(&map, keys, keys[i], poor), INDEX_MAP_NONE);
			index_map_add(&map, hash_of(keys[i], poor), i);
		}
		for (uint32_t i = 0; i < nr; i++)
			assert_int_equal(find(&map, keys, keys[i], poor), i);
		assert_int_equal(find(&map, keys, UINT64_MAX, poor), INDEX_MAP_NONE);
		index_map_clear(&map);
	}
	index_map_fini(&map);
	assert_int_equal(find(&map, keys, 0, false), INDEX_MAP_NONE);
}

/* --- slots looked at ---------------------------------------------------------------------- */

/* Average number of slots that the look-up of a hash comes to, times 100. */
static uint64_t slots_looked_at(const uint32_t *hashes, uint32_t nr)
{
	struct index_map map = { 0 };
	uint64_t steps = 0;

	for (uint32_t i = 0; i < nr; i++)
		index_map_add(&map, hashes[i], i);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t step = 0;

		while (index_map_next(&map, hashes[i], &step) != i)
			assert_true(step < nr);
		steps += step;
	}
	index_map_fini(&map);
	return steps * 100 / nr;
}

static uint32_t hashes[MANY];

static const uint64_t seeds[][2] = {
	{ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u },
	{ 0x0123456789abcdefu, 0xfedcba9876543211u },
	{ 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu },
	{ 0x632be59bd9b4e019u, 0xaef17502108ef2d9u },
};
#define NR_SEEDS	(sizeof(seeds) / sizeof(seeds[0]))

static void use_seed(unsigned int nr)
{
	memcpy(index_map_seed, seeds[nr], sizeof(index_map_seed));
}

/* Numbers, such as pids and addresses: consecutive, or some power of two apart. */
static void test_numbers(void **state)
{
	const uint32_t nr = getenv("FTOP_TEST_LONG") ? MANY : MANY / 4;

	(void)state;
	for (unsigned int seed = 0; seed < NR_SEEDS; seed++)
		for (unsigned int shift = 0; shift <= 44; shift += 4) {
			use_seed(seed);
			for (uint32_t i = 0; i < nr; i++)
				hashes[i] = index_map_hash((uint64_t)i << shift);
			assert_in_range(slots_looked_at(hashes, nr), 100, 160);
			for (uint32_t i = 0; i < nr; i++)
				hashes[i] = index_map_hash_pair((uint64_t)(i / 512) << shift,
								i % 512);
			assert_in_range(slots_looked_at(hashes, nr), 100, 160);
		}
}

/* Names of few parts, as they are made to collide; many are longer than a block of the hash. */
static void test_names(void **state)
{
	static const char *const parts[] = { "AbBA", "AaAB", "BBAa", "AaBB" };
	char name[4 * 9 + 1];

	(void)state;
	for (unsigned int seed = 0; seed < NR_SEEDS; seed++) {
		use_seed(seed);
		for (uint32_t i = 0; i < MANY; i++) {
			for (unsigned int k = 0; k < 9; k++)
				memcpy(name + 4 * k, parts[i >> 2 * k & 3], 4);
			hashes[i] = index_map_hash_bytes(name, 4 * 9);
		}
		assert_in_range(slots_looked_at(hashes, MANY), 100, 160);
		for (uint32_t i = 0; i < MANY; i++)
			hashes[i] = index_map_hash_bytes(name, (size_t)snprintf(name, sizeof(name),
										"task-%u", i));
		assert_in_range(slots_looked_at(hashes, MANY), 100, 160);
	}
	/* only the bytes of the name count */
	assert_int_equal(index_map_hash_bytes("sh", 2), index_map_hash_bytes("shell", 2));
	assert_int_not_equal(index_map_hash_bytes("sh", 2), index_map_hash_bytes("sh\0", 3));
	assert_int_not_equal(index_map_hash_bytes("", 0), index_map_hash_bytes("\0", 1));
}

/* Keys that collide under one seed do not under another. */
static void test_seeds(void **state)
{
	enum { KEYS = 2000 };
	static uint64_t keys[KEYS];
	uint32_t nr = 0;

	(void)state;
	use_seed(0);
	for (uint64_t key = 0; nr < KEYS; key++)
		if (!(index_map_hash(key) & 0xfff))
			keys[nr++] = key;
	for (uint32_t i = 0; i < KEYS; i++)
		hashes[i] = index_map_hash(keys[i]);
	assert_true(slots_looked_at(hashes, KEYS) > 50000);
	for (unsigned int seed = 1; seed < NR_SEEDS; seed++) {
		use_seed(seed);
		for (uint32_t i = 0; i < KEYS; i++)
			hashes[i] = index_map_hash(keys[i]);
		assert_in_range(slots_looked_at(hashes, KEYS), 100, 160);
	}
}

/* The process chose its own at its start.  First, since the others set it. */
static void test_chosen(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < NR_SEEDS; seed++)
		assert_memory_not_equal(index_map_seed, seeds[seed], sizeof(index_map_seed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_index_map),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
