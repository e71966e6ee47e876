/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names: from texts of tracefs, looked for, sorted, and the one that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recorder/tracefs/name_list.h"

static void check(const struct name_list *list, const char *const *expected, size_t nr)
{
	assert_int_equal(list->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(list->names[i], expected[i]);
}

#define CHECK(list, ...) do { \
		static const char *const expected[] = { __VA_ARGS__ }; \
		check(list, expected, sizeof(expected) / sizeof(expected[0])); \
	} while (0)

static void texts_are_split(void **state)
{
	struct name_list list = { 0 };

	(void)state;
	name_list_lines(
		&list,
		"#### all functions enabled ####\nvfs_read [ext4]\n\nvfs_write\n# more\nlast");
	CHECK(&list, "vfs_read [ext4]", "vfs_write", "last");
	name_list_words(&list, "  local\tglobal \n[mono]  ");
	CHECK(&list, "vfs_read [ext4]", "vfs_write", "last", "local", "global", "[mono]");
	name_list_fini(&list);
	name_list_lines(&list, "");
	name_list_words(&list, " \n\t ");
	assert_int_equal(list.nr, 0);
	assert_null(list.names);
}

static void names_are_found(void **state)
{
	struct name_list list = { 0 };

	(void)state;
	name_list_add(&list, "sched");
	name_list_add_bytes(&list, "irq:rest", 3);
	name_list_add(&list, "");
	CHECK(&list, "sched", "irq", "");
	assert_true(name_list_has(&list, "irq"));
	assert_true(name_list_has(&list, ""));
	assert_false(name_list_has(&list, "irq:rest"));
	assert_false(name_list_has(&list, "sche"));
	name_list_sort(&list);
	CHECK(&list, "", "irq", "sched");
	assert_string_equal(name_list_nearest(&list, "shced"), "sched");
	assert_null(name_list_nearest(&list, "something else"));
	name_list_fini(&list);
	name_list_sort(&list);
	assert_false(name_list_has(&list, "irq"));
	assert_null(name_list_nearest(&list, "irq"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_split),
		cmocka_unit_test(names_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
