/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "src/base/memory.h"

static void test_arena_alignment_and_contents(void **state)
{
	struct arena arena = { 0 };
	char *kept[200];

	(void)state;
	for (int i = 0; i < 200; i++) {
		char name[32];

		memset(name, 'a' + i % 26, sizeof(name));
		kept[i] = arena_strndup(&arena, name, 1 + i % 31);
		assert_int_equal((uintptr_t)kept[i] % 16, 0);
	}
	for (int i = 0; i < 200; i++) {
		assert_int_equal(strlen(kept[i]), 1 + i % 31);
		assert_int_equal(kept[i][0], 'a' + i % 26);
	}
	arena_fini(&arena);
}

static void test_arena_large_request(void **state)
{
	struct arena arena = { 0 };
	unsigned char *big = arena_alloc(&arena, 1 << 20);

	(void)state;
	for (int i = 0; i < 1 << 20; i++)
		assert_int_equal(big[i], 0);
	assert_true(arena.total >= 1 << 20);
	arena_fini(&arena);
	assert_null(arena.blocks);
}

static void test_try_alloc_refuses_the_impossible(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_null(mem_try_alloc(UINT64_MAX, &err));
	assert_int_equal(err.code, FT_E_NOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_alignment_and_contents),
		cmocka_unit_test(test_arena_large_request),
		cmocka_unit_test(test_try_alloc_refuses_the_impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
