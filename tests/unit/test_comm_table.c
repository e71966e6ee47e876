/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/comm_table.h"

static void see(struct comm_table *table, int pid, int64_t ts, const char *comm)
{
	comm_table_seen(table, pid, ts, comm, (unsigned int)strlen(comm));
}

static void test_saved_names(void **state)
{
	static const char saved[] = "12 bash\n160 a b:c-1\n7 \n5 caf\xe9\nrubbish\n99999999999 x\n20 last";
	struct comm_table *table = comm_table_new();

	(void)state;
	comm_table_saved(table, saved, sizeof(saved) - 1);
	assert_string_equal(comm_table_at(table, 12, 5), "bash");
	assert_string_equal(comm_table_at(table, 160, 0), "a b:c-1");
	assert_string_equal(comm_table_at(table, 5, 0), "caf\xe9");
	assert_string_equal(comm_table_at(table, 20, 0), "last");
	assert_string_equal(comm_table_at(table, 0, 0), "<idle>");
	assert_string_equal(comm_table_at(table, 13, 0), "<...>");
	assert_string_equal(comm_table_at(table, 7, 0), "<...>");
	assert_null(comm_table_saved_name(table, 13));
	assert_string_equal(comm_table_saved_name(table, 12), "bash");
	comm_table_free(table);
}

static void test_names_by_time(void **state)
{
	struct comm_table *table = comm_table_new();

	(void)state;
	comm_table_saved(table, "3 saved\n", 8);
	see(table, 3, 100, "sh");
	see(table, 3, 300, "cat");
	see(table, 3, 200, "sh");	/* in any order */
	see(table, 3, 400, "cat");
	assert_string_equal(comm_table_at(table, 3, 100), "sh");
	assert_string_equal(comm_table_at(table, 3, 299), "sh");
	assert_string_equal(comm_table_at(table, 3, 300), "cat");
	assert_string_equal(comm_table_at(table, 3, INT64_MAX), "cat");
	assert_string_equal(comm_table_at(table, 3, -5), "sh");	/* before all: the first one */
	assert_string_equal(comm_table_saved_name(table, 3), "saved");
	see(table, 3, 50, "init");
	assert_string_equal(comm_table_at(table, 3, 99), "init");
	see(table, 3, 150, "odd");	/* inside a run of "sh" */
	assert_string_equal(comm_table_at(table, 3, 149), "sh");
	assert_string_equal(comm_table_at(table, 3, 150), "odd");
	assert_string_equal(comm_table_at(table, 3, 199), "odd");
	assert_string_equal(comm_table_at(table, 3, 200), "sh");
	assert_ptr_equal(comm_table_at(table, 3, 100), comm_table_at(table, 3, 200));
	comm_table_free(table);
}

/* Sightings of a task that changes its name now and then, told in any order: the answers are those of the full list. */
static void test_any_order_gives_the_same(void **state)
{
	static const char *const names[] = { "a", "bb", "ccc", "dddd" };
	struct comm_table *table = comm_table_new();
	int order[400];
	unsigned int seed = 7;

	(void)state;
	for (int i = 0; i < 400; i++)
		order[i] = i;
	for (int i = 399; i > 0; i--) {
		int j, t;

		seed = seed * 1103515245 + 12345;
		j = (int)(seed >> 16) % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	/* time 10 * i, name by quarter: each name in one piece, so the order cannot matter */
	for (int i = 0; i < 400; i++)
		see(table, 9, 10 * order[i], names[order[i] / 100]);
	for (int64_t ts = 0; ts < 4100; ts += 3)
		assert_string_equal(comm_table_at(table, 9, ts), names[ts / 1000 < 4 ? ts / 1000 : 3]);
	comm_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved_names),
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_any_order_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
