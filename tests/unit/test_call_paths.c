/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call paths without a tree of calls: weights and counts, added up where stacks are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/functions/flame.h"

static void add_frame(const void *arg, const struct call_path *path, struct text *out)
{
	(void)arg;
	text_printf(out, "%c", (char)path->address);
}

static uint32_t path_of(struct call_paths *paths, const char *stack)
{
	uint32_t path = CALL_PATH_ROOT;

	for (; *stack; stack++)
		path = call_paths_below(paths, path, (uint64_t)*stack);
	return path;
}

static void equal_stacks_are_one(void **state)
{
	struct call_paths *paths = call_paths_new(100);
	struct flame *time, *counts;
	struct text folded = { 0 };
	uint32_t path;

	(void)state;
	call_paths_add(paths, path_of(paths, "acd"), 5, 1);
	call_paths_add(paths, path_of(paths, "ac"), 7, 2);
	call_paths_add(paths, path_of(paths, "acd"), 20, 3);
	call_paths_add(paths, path_of(paths, "c"), 1, 10);
	assert_int_equal(call_paths_nr(paths), 1 + 4);
	path = path_of(paths, "acd");
	assert_int_equal(call_paths_at(paths, path)->self, 25);
	assert_int_equal(call_paths_at(paths, path)->calls, 4);
	call_paths_folded(paths, path, add_frame, NULL, &folded);
	assert_string_equal(text_str(&folded), "a;c;d");
	time = flame_new(paths, FLAME_SELF);
	counts = flame_new(paths, FLAME_CALLS);
	path = path_of(paths, "ac");
	assert_int_equal(call_paths_at(paths, path)->total, 32);
	assert_int_equal(flame_value(time, path), 32);
	assert_int_equal(flame_own(time, path), 7);
	assert_int_equal(flame_value(counts, path), 6);
	assert_int_equal(flame_value(time, CALL_PATH_ROOT), 33);
	assert_int_equal(flame_value(counts, CALL_PATH_ROOT), 16);
	flame_free(time);
	flame_free(counts);
	call_paths_free(paths);
	text_fini(&folded);
}

/* Where there is no room for another path, what is on it counts for the nearest caller. */
static void paths_are_limited(void **state)
{
	struct call_paths *paths = call_paths_new(3);

	(void)state;
	call_paths_add(paths, path_of(paths, "abcd"), 5, 1);
	assert_int_equal(call_paths_nr(paths), 3);
	assert_int_equal(call_paths_at(paths, path_of(paths, "ab"))->self, 5);
	assert_false(call_paths_are_whole(paths));
	call_paths_free(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_are_one),
		cmocka_unit_test(paths_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
