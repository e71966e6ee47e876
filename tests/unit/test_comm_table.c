/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

static unsigned int random_below(unsigned int n)
{
	static uint64_t seed = 20240501;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(seed >> 33) % n;
}

static void test_saved_names(void **state)
{
	static const char saved[] =
		"12 bash\n160 a b:c-1\n7 \n5 caf\xe9\nrubbish\n99999999999 x\n20 last";
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

/* What a file may hold instead of "pid comm". */
static void test_odd_saved_names(void **state)
{
	static const char lines[] =
		"   30 padded\n99 nine\n2147483647 top\n2147483648 over\n41x name\n3: colon\n-5 minus\n"
		" 50  two blanks\n60\n";
	static const int none[] = { 1, 3, 5, 9, 40, 41, 60, -5, INT32_MIN };
	struct comm_table *table = comm_table_new();
	char *text, saved[2][4200], name[4200] = "";

	(void)state;
	text = malloc(sizeof(lines) - 1);
	memcpy(text, lines, sizeof(lines) - 1);
	comm_table_saved(table, text, sizeof(lines) - 1);
	free(text);
	assert_string_equal(comm_table_at(table, 30, 0), "padded");
	assert_string_equal(comm_table_at(table, 99, 0), "nine");
	assert_string_equal(comm_table_at(table, INT32_MAX, 0), "top");
	assert_string_equal(comm_table_at(table, 50, 0), " two blanks");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_null(comm_table_saved_name(table, none[i]));
	/* what lies behind the end of the text is not looked at */
	text = malloc(2);
	memcpy(text, "70", 2);
	comm_table_saved(table, text, 2);
	memcpy(text, "  ", 2);
	comm_table_saved(table, text, 2);
	free(text);
	comm_table_saved(table, "   71 x", 3);
	comm_table_saved(table, "72 x", 2);
	comm_table_saved(table, "72 x", 3);
	assert_null(comm_table_saved_name(table, 71));
	assert_null(comm_table_saved_name(table, 72));
	/* a page of letters is a name, more is none */
	memset(name, 'n', 4096);
	comm_table_saved(table, saved[0],
			 (uint64_t)snprintf(saved[0], sizeof(saved[0]), "80 %s\n", name));
	comm_table_saved(table, saved[1],
			 (uint64_t)snprintf(saved[1], sizeof(saved[1]), "81 %sn\n", name));
	assert_string_equal(comm_table_saved_name(table, 80), name);
	assert_null(comm_table_saved_name(table, 81));
	comm_table_free(table);
	comm_table_free(NULL);
}

/* Equal names are one string, different ones are not, whatever their hashes and lengths are. */
static void test_many_names(void **state)
{
	struct comm_table *table = comm_table_new();
	const char *first;
	char name[80];

	(void)state;
	for (int pid = 6000; pid > 0; pid--) {
		snprintf(name, sizeof(name), "%0*d", 1 + pid % 70, pid);
		see(table, pid, 0, name);
	}
	for (int pid = 1; pid <= 6000; pid++) {
		snprintf(name, sizeof(name), "%0*d", 1 + pid % 70, pid);
		first = comm_table_at(table, pid, 0);
		assert_string_equal(first, name);
		see(table, pid + 10000, 0, name);
		assert_ptr_equal(comm_table_at(table, pid + 10000, 0), first);
	}
	/* a name is as long as the caller says */
	comm_table_seen(table, 20001, 0, "shell", 2);
	comm_table_seen(table, 20002, 0, "shrub", 2);
	assert_string_equal(comm_table_at(table, 20001, 0), "sh");
	assert_ptr_equal(comm_table_at(table, 20001, 0), comm_table_at(table, 20002, 0));
	comm_table_free(table);
}

struct listing {
	int	pid;
	char	names[400];		/* each with a blank behind it */
};

static void list_name(void *arg, int pid, const char *name)
{
	struct listing *l = arg;
	size_t len = strlen(l->names);

	if (pid == l->pid)
		snprintf(l->names + len, sizeof(l->names) - len, "%s ", name);
	else
		assert_true(pid > 0);
}

static const char *names_of(struct comm_table *table, int pid)
{
	static struct listing l;

	l = (struct listing){ .pid = pid };
	comm_table_each(table, list_name, &l);
	return l.names;
}

static void test_each(void **state)
{
	struct comm_table *table = comm_table_new();
	char name[8];

	(void)state;
	see(table, 3, 200, "b");
	see(table, 3, 100, "a");
	see(table, 4, 100, "c");
	comm_table_saved(table, "3 saved\n5 other\n", 16);
	assert_string_equal(names_of(table, 3), "a b saved ");
	assert_string_equal(names_of(table, 4), "c ");
	assert_string_equal(names_of(table, 5), "other ");
	/* idle tasks have one name, a name has letters, pid 1 is a task as any */
	see(table, 0, 100, "swapper/0");
	see(table, -1, 100, "x");
	see(table, 6, 100, "");
	see(table, 1, 100, "init");
	assert_string_equal(names_of(table, 0), "");
	assert_string_equal(names_of(table, -1), "");
	assert_string_equal(names_of(table, 6), "");
	assert_string_equal(comm_table_at(table, 6, 100), "<...>");
	assert_string_equal(names_of(table, 1), "init ");
	/*
	 * another name parts the sightings of the first once, however many there are at that moment
	 */
	see(table, 7, 100, "a");
	see(table, 7, 200, "a");
	see(table, 7, 150, "b");
	assert_string_equal(names_of(table, 7), "a b a ");
	see(table, 7, 150, "c");
	assert_string_equal(names_of(table, 7), "a b c a ");
	assert_string_equal(comm_table_at(table, 7, 199), "c");
	/* a name that was there earlier than known is still one */
	see(table, 9, 400, "b");
	see(table, 9, 350, "b");
	assert_string_equal(names_of(table, 9), "b ");
	/* sixteen names of one moment are kept */
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%c", 'a' + i);
		see(table, 8, 100, name);
	}
	assert_string_equal(names_of(table, 8), "a b c d e f g h i j k l m n o p ");
	comm_table_free(table);
}

/* When a name comes back the last sighting up to a moment still says what the name is. */
static void test_names_that_come_back(void **state)
{
	struct comm_table *table = comm_table_new();

	(void)state;
	see(table, 1, 1, "b");
	see(table, 1, 2, "b");
	see(table, 1, 3, "a");
	see(table, 1, 5, "a");
	see(table, 1, 5, "b");
	see(table, 1, 8, "b");
	assert_string_equal(comm_table_at(table, 1, 4), "a");
	/* of both at 5 it is the one that was seen again */
	assert_string_equal(comm_table_at(table, 1, 6), "b");
	assert_string_equal(comm_table_at(table, 1, 8), "b");
	see(table, 2, 1, "a");
	see(table, 2, 5, "a");
	see(table, 2, 5, "c");
	see(table, 2, 9, "c");
	see(table, 2, 10, "b");
	see(table, 2, 12, "b");
	see(table, 2, 5, "b");
	assert_string_equal(comm_table_at(table, 2, 4), "a");
	assert_string_equal(comm_table_at(table, 2, 9), "c");
	assert_string_equal(comm_table_at(table, 2, 10), "b");
	comm_table_free(table);
}

static void assert_span(struct comm_table *table, int pid, int64_t ts, const char *name,
			int64_t from, int64_t to)
{
	int64_t got_from = 1, got_to = 1;

	assert_string_equal(comm_table_span(table, pid, ts, &got_from, &got_to), name);
	assert_int_equal(got_from, from);
	assert_int_equal(got_to, to);
}

static void test_spans(void **state)
{
	struct comm_table *table = comm_table_new();

	(void)state;
	comm_table_saved(table, "3 saved\n4 other\n", 16);
	assert_span(table, 0, 5, "<idle>", INT64_MIN, INT64_MAX);
	assert_span(table, 2, 5, "<...>", INT64_MIN, INT64_MAX);
	assert_span(table, 4, 5, "other", INT64_MIN, INT64_MAX);
	comm_table_seen_span(table, 3, 100, 150, "a", 1);
	comm_table_seen_span(table, 3, 200, 200, "b", 1);
	comm_table_seen_span(table, 3, 300, 400, "c", 1);
	assert_span(table, 3, 99, "a", INT64_MIN, 99);
	assert_span(table, 3, 100, "a", 100, 199);
	assert_span(table, 3, 199, "a", 100, 199);
	assert_span(table, 3, 200, "b", 200, 299);
	assert_span(table, 3, 300, "c", 300, INT64_MAX);
	/* both ends of a span are sightings */
	see(table, 3, 120, "x");
	assert_span(table, 3, 150, "a", 150, 199);
	comm_table_free(table);
}

/* --- changes ------------------------------------------------------------------- */

static void test_what_is_a_change(void **state)
{
	struct comm_table *table = comm_table_new();
	char name[8];

	(void)state;
	assert_int_equal(comm_table_changes(table), 0);
	comm_table_seen_span(table, 3, 100, 200, "a", 1);
	assert_int_equal(comm_table_changes(table), 1);
	see(table, 3, 100, "a");		/* known */
	see(table, 3, 150, "a");
	see(table, 3, 200, "a");
	see(table, 3, 300, "a");		/* the answer for that time was "a" already */
	assert_int_equal(comm_table_changes(table), 1);
	see(table, 3, 400, "b");		/* behind all */
	assert_int_equal(comm_table_changes(table), 2);
	see(table, 3, 350, "b");		/* it was so earlier */
	assert_int_equal(comm_table_changes(table), 3);
	see(table, 3, 320, "a");		/* the answer was that, too */
	assert_int_equal(comm_table_changes(table), 3);
	see(table, 3, 200, "c");		/* amid "a" */
	assert_int_equal(comm_table_changes(table), 4);
	comm_table_seen_span(table, 3, 400, 500, "d", 1);
	assert_int_equal(comm_table_changes(table), 5);
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "%c", 'a' + i);
		see(table, 4, 100, name);
		assert_int_equal(comm_table_changes(table), 6 + i);
	}
	see(table, 4, 100, "more");		/* too many for one moment */
	assert_int_equal(comm_table_changes(table), 21);
	comm_table_free(table);
}

#define MOMENTS		14

/*
 * Names at random moments, in any order: an answer that is another than before is counted, and
 * holds as long as it says.
 */
static void test_changes_are_counted(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		struct comm_table *table = comm_table_new();
		const char *before[MOMENTS];
		int64_t from[MOMENTS], to[MOMENTS];

		for (unsigned int nr = 0; nr < 12; nr++) {
			char name[2] = { (char)('a' + random_below(1 + round % 5)) };
			uint64_t changes = comm_table_changes(table);
			int64_t ts = random_below(MOMENTS),
				end = random_below(4) ? ts : ts + random_below(MOMENTS);
			bool other = false;

			for (int64_t at = 0; at < MOMENTS; at++)
				before[at] = comm_table_span(table, 7, at, &from[at], &to[at]);
			for (int64_t at = 0; at < MOMENTS; at++) {
				assert_true(from[at] <= at && to[at] >= at);
				for (int64_t k = from[at] < 0 ? 0 : from[at];
				     k < MOMENTS && k <= to[at]; k++)
					assert_ptr_equal(before[k], before[at]);
			}
			comm_table_seen_span(table, 7, ts, end, name, 1);
			for (int64_t at = 0; at < MOMENTS; at++)
				other |= comm_table_at(table, 7, at) != before[at];
			assert_true(comm_table_changes(table) - changes <= 1);
			if (other)
				assert_int_equal(comm_table_changes(table), changes + 1);
		}
		comm_table_free(table);
	}
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

/*
 * Sightings of a task that changes its name now and then, told in any order: the answers are those
 * of the full list.
 */
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
		assert_string_equal(comm_table_at(table, 9, ts),
				    names[ts / 1000 < 4 ? ts / 1000 : 3]);
	comm_table_free(table);
}

/* The name of moment @i; every seventh moment is one of two names, as with coarse clocks. */
static void rename_at(struct comm_table *table, int64_t i)
{
	char name[16];

	snprintf(name, sizeof(name), "n%d", (int)i);
	see(table, 5, 10 * i, name);
	if (i % 7 == 0)
		see(table, 5, 10 * i + 10, name);
}

/* A task that changes its name all the time, as several readers tell of it in turn. */
static void test_many_names_of_a_task(void **state)
{
	enum { READERS = 3, RENAMES = 2000 };
	struct comm_table *table = comm_table_new();
	char name[16];

	(void)state;
	for (int64_t i = 0; i < RENAMES; i++)
		for (int64_t reader = READERS; reader-- > 0;)
			rename_at(table, reader * RENAMES + i);
	for (int64_t i = 0; i < READERS * RENAMES; i++) {
		snprintf(name, sizeof(name), "n%d", (int)i);
		assert_span(table, 5, 10 * i + 5, name, 10 * i,
			    i + 1 < READERS * RENAMES ? 10 * i + 9 : INT64_MAX);
	}
	comm_table_free(table);
}

/* --- clocks that stand still while tasks get other names ------------------------------- */

struct seen {
	int64_t	   ts;
	char	   name[4];
};

/*
 * Of the names seen at the last moment up to ts: by their first and last sighting in the list, then
 * by name.
 */
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
		if (!best || first > best_first ||
		    (first == best_first &&
		     (last > best_last || (last == best_last && strcmp(seen[i].name, best) > 0)))) {
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
		cmocka_unit_test(test_odd_saved_names),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_names_that_come_back),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_what_is_a_change),
		cmocka_unit_test(test_changes_are_counted),
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_any_order_gives_the_same),
		cmocka_unit_test(test_many_names_of_a_task),
		cmocka_unit_test(test_names_at_one_moment),
		cmocka_unit_test(test_many_names_at_one_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
