/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of anybody: words and addresses, weights and counts, added up where they are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/functions/flame.h"
#include "src/stacks/stack_table.h"
#include "tests/lib/open_recorded.h"

struct of {
	const struct stack_table *table;
	struct trace *trace;
};

static void add_frame(const void *arg, const struct call_path *path, struct text *out)
{
	const struct of *of = arg;

	stack_table_frame(of->table, of->trace, 0, path->address, out);
}

static void assert_folded(const struct stack_table *table, struct trace *trace, uint32_t path,
			  const char *wanted)
{
	struct text t = { 0 };

	call_paths_folded(stack_table_paths(table), path, add_frame, &(struct of){ table, trace },
			  &t);
	assert_string_equal(text_str(&t), wanted);
	text_fini(&t);
}

static void equal_stacks_are_one(void **state)
{
	struct trace *trace = open_data("sched", 1);
	struct name_table *words = name_table_new();
	struct stack_table *table = stack_table_new(words);
	uint64_t a = stack_table_word(table, "a;b"), c = stack_table_word(table, "c");
	const uint64_t deep[] = { a, c, 0x10 }, shallow[] = { a, c }, other[] = { c };
	const struct call_paths *paths = stack_table_paths(table);
	struct flame *time, *counts;
	uint32_t path;

	(void)state;
	assert_true(a != c);
	assert_int_equal(stack_table_word(table, "c"), c);
	stack_table_add(table, deep, 3, 5, 1);
	stack_table_add(table, shallow, 2, 7, 2);
	stack_table_add(table, deep, 3, 20, 3);
	stack_table_add(table, other, 1, 1, 10);
	assert_int_equal(call_paths_nr(paths), 1 + 4);
	path = stack_table_path(table, deep, 3);
	assert_int_equal(call_paths_at(paths, path)->self, 25);
	assert_int_equal(call_paths_at(paths, path)->calls, 4);
	assert_folded(table, trace, path, "a:b;c;0x10");
	time = flame_new(paths, FLAME_SELF);
	counts = flame_new(paths, FLAME_CALLS);
	path = stack_table_path(table, shallow, 2);
	assert_int_equal(call_paths_at(paths, path)->total, 32);
	assert_int_equal(flame_value(time, path), 32);
	assert_int_equal(flame_own(time, path), 7);
	assert_int_equal(flame_value(counts, path), 6);
	assert_int_equal(flame_value(time, CALL_PATH_ROOT), 33);
	assert_int_equal(flame_value(counts, CALL_PATH_ROOT), 16);
	flame_free(time);
	flame_free(counts);
	stack_table_free(table);
	name_table_free(words);
	trace_close(trace);
}

/* Tables with the same words have the same numbers for them. */
static void words_are_shared(void **state)
{
	struct name_table *words = name_table_new();
	struct stack_table *table = stack_table_new(words), *alike;
	uint64_t a = stack_table_word(table, "a"), b = stack_table_word(table, "b");

	(void)state;
	stack_table_add(table, &a, 1, 1, 1);
	alike = stack_table_new(words);
	assert_int_equal(stack_table_word(alike, "b"), b);
	assert_int_equal(stack_table_word(alike, "a"), a);
	assert_int_equal(call_paths_nr(stack_table_paths(alike)), 1);
	stack_table_free(table);
	stack_table_free(alike);
	name_table_free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_are_one),
		cmocka_unit_test(words_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
