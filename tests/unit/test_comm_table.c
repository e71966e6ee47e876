/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/comm_table.h"

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

/* --- clocks that stand still while tasks get other names ------------------------------- */

struct seen {
	int64_t	   ts;
	char	   name[4];
};

static unsigned int random_below(unsigned int n)
{
	static uint64_t seed = 20240501;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(seed >> 33) % n;
}

/* Of the names seen at the last moment up to ts: by their first and last sighting in the list, then by name. */
static const char *plain_answer(const struct seen *seen, unsigned int nr, int64_t ts)
{
	int64_t at = INT64_MIN, best_first = 0, best_last = 0;
	const char *best = NULL;

	for (unsigned int i = 0; i < nr; i++)
		if (seen[i].ts <= ts && seen[i].ts > at)
			at = seen[i].ts;
	for (unsigned int i = 0; i < nr; i++) {
		int64_t first = INT64_MAX, last = INT64_MIN;

		if (seen[i].ts != at)
			continue;
		for (unsigned int k = 0; k < nr; k++)
			if (!strcmp(seen[k].name, seen[i].name)) {
				first = seen[k].ts < first ? seen[k].ts : first;
				last = seen[k].ts > last ? seen[k].ts : last;
			}
		if (!best || first > best_first || (first == best_first && (last > best_last ||
		    (last == best_last && strcmp(seen[i].name, best) > 0)))) {
			best = seen[i].name;
			best_first = first;
			best_last = last;
		}
	}
	return best;
}

static void test_names_at_one_moment(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		struct comm_table *table = comm_table_new();
		unsigned int nr = 1 + random_below(14), letter = 0, names[26];
		struct seen seen[14];
		int64_t ts = 5;

		for (unsigned int i = 0; i < 26; i++)
			names[i] = i;
		for (unsigned int i = 25; i; i--) {
			unsigned int j = random_below(i + 1), was = names[i];

			names[i] = names[j];
			names[j] = was;
		}
		for (unsigned int i = 0; i < nr; i++) {
			letter += i && !random_below(2);
			ts += random_below(3) ? 0 : 1 + random_below(3);
			seen[i] = (struct seen){ ts, { 'n', (char)('a' + names[letter]) } };
		}
		for (unsigned int i = nr - 1; i; i--) {
			unsigned int j = random_below(i + 1);
			struct seen was = seen[i];

			seen[i] = seen[j];
			seen[j] = was;
		}
		for (unsigned int i = 0; i < nr; i++)
			see(table, 7, seen[i].ts, seen[i].name);
		for (int64_t at = 5; at <= ts + 1; at++) {
			const char *expected = plain_answer(seen, nr, at);

			if (expected)
				assert_string_equal(comm_table_at(table, 7, at), expected);
		}
		comm_table_free(table);
	}
}

/* A file may tell any number of names of one moment. */
static void test_many_names_at_one_moment(void **state)
{
	struct comm_table *table = comm_table_new();
	char name[16];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		see(table, 7, 1000 + i / 100000, name);
	}
	assert_string_not_equal(comm_table_at(table, 7, 1000), "<...>");
	comm_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved_names),
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_any_order_gives_the_same),
		cmocka_unit_test(test_names_at_one_moment),
		cmocka_unit_test(test_many_names_at_one_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
