/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
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

	(void)state;
	see(table, 3, 200, "b");
	see(table, 3, 100, "a");
	see(table, 4, 100, "c");
	comm_table_saved(table, "3 saved\n5 other\n", 16);
	assert_string_equal(comm_table_at(table, 3, 0), "a");
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
	/* the names that it has at any time */
	see(table, 7, 100, "a");
	see(table, 7, 120, "a");
	see(table, 7, 200, "a");
	see(table, 7, 150, "b");
	see(table, 7, 150, "c");
	comm_table_settle(table);
	assert_string_equal(names_of(table, 7), "a c a ");
	assert_string_equal(names_of(table, 3), "a b saved ");
	assert_string_equal(names_of(table, 5), "other ");
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
	see(table, 3, 300, "c");
	see(table, 3, 100, "a");
	see(table, 3, 200, "b");
	see(table, 3, 150, "a");
	assert_span(table, 3, 99, "a", INT64_MIN, 99);
	assert_span(table, 3, 100, "a", 100, 149);
	assert_span(table, 3, 199, "a", 150, 199);
	assert_span(table, 3, 200, "b", 200, 299);
	assert_span(table, 3, 300, "c", 300, INT64_MAX);
	comm_table_settle(table);
	assert_span(table, 3, 99, "a", INT64_MIN, 99);
	assert_span(table, 3, 199, "a", 100, 199);
	assert_span(table, 3, 299, "b", 200, 299);
	comm_table_free(table);
}

/* --- of a window --------------------------------------------------------------- */

static void write_name(void *arg, int64_t ts, int pid, const char *name)
{
	char *out = arg;

	sprintf(out + strlen(out), "%d %s %d,", (int)ts, name, pid);
}

static void assert_between(struct comm_table *table, int64_t from, int64_t to, const char *expected)
{
	char got[200] = "";

	comm_table_between(table, from, to, write_name, got);
	assert_string_equal(got, expected);
}

/* The name at its beginning, and the changes in it. */
static void test_names_of_a_window(void **state)
{
	struct comm_table *table = comm_table_new();

	(void)state;
	comm_table_saved(table, "4 same\n5 only-saved\n6 later\n", 29);
	see(table, 3, 300, "c");
	see(table, 3, 100, "a");
	see(table, 3, 150, "a");
	see(table, 3, 200, "b");
	see(table, 4, 250, "same");
	see(table, 6, 120, "was");
	assert_between(table, 0, 50, "120 was 6,100 a 3,");	/* seen first behind it */
	assert_between(table, 160, 199, "120 was 6,150 a 3,");
	assert_between(table, 160, 200, "120 was 6,150 a 3,200 b 3,");
	assert_between(table, 250, INT64_MAX, "120 was 6,200 b 3,300 c 3,");
	assert_between(table, INT64_MIN, INT64_MAX, "120 was 6,100 a 3,200 b 3,300 c 3,");
	comm_table_free(table);
}

/* --- changes ------------------------------------------------------------------- */

#define MOMENTS		14

/*
 * Names at random moments, in any order: an answer that is another than before is counted, and
 * holds as long as it says.
 */
static void test_changes_are_counted(void **state)
{
	unsigned int nr_others = 0;

	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		struct comm_table *table = comm_table_new();
		const char *before[MOMENTS];
		int64_t from[MOMENTS], to[MOMENTS];

		for (unsigned int nr = 0; nr < 12; nr++) {
			char name[2] = { (char)('a' + random_below(1 + round % 5)) };
			uint64_t changes = comm_table_changes(table);
			bool other = false;

			for (int64_t at = 0; at < MOMENTS; at++)
				before[at] = comm_table_span(table, 7, at, &from[at], &to[at]);
			for (int64_t at = 0; at < MOMENTS; at++) {
				assert_true(from[at] <= at && to[at] >= at);
				for (int64_t k = from[at] < 0 ? 0 : from[at];
				     k < MOMENTS && k <= to[at]; k++)
					assert_ptr_equal(before[k], before[at]);
			}
			see(table, 7, random_below(MOMENTS), name);
			for (int64_t at = 0; at < MOMENTS; at++)
				other |= comm_table_at(table, 7, at) != before[at];
			if (other)
				assert_int_equal(comm_table_changes(table), changes + 1);
			nr_others += other;
		}
		comm_table_free(table);
	}
	assert_true(nr_others > 3000);	/* the first name of each round is one */
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
	comm_table_settle(table);
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
	assert_string_equal(comm_table_at(table, 7, 1000), "n99999");
	assert_string_equal(comm_table_at(table, 7, 1001), "n199999");
	comm_table_settle(table);
	assert_string_equal(comm_table_at(table, 7, 1000), "n99999");
	comm_table_free(table);
}

/* --- any order, any thread --------------------------------------------------------------- */

#define SIGHTINGS	160
#define READERS		4
#define TIMES		120

/* What several readers see: each one the names of a task that come and go. */
struct sight {
	struct comm_sighting all[SIGHTINGS];
	unsigned int	 nr;
	unsigned int	 first[READERS + 1];	/* of each reader, in its order */
	struct comm_table *table;
};

static bool was_at(const struct sight *s, int64_t ts, const char *name)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (s->all[i].ts == ts && (!name || !strcmp(s->all[i].comm, name)))
			return true;
	return false;
}

/* The last sighting up to ts, else the first one; of several by the rule of comm_table.h. */
static const char *slow_answer(const struct sight *s, int64_t ts)
{
	int64_t at = ts, before, after;
	const char *best = NULL;
	int best_rank = -1;

	while (at >= 0 && !was_at(s, at, NULL))
		at--;
	while (at < 0 || !was_at(s, at, NULL))
		at++;
	for (before = at - 1; before >= 0 && !was_at(s, before, NULL);)
		before--;
	for (after = at + 1; after <= TIMES && !was_at(s, after, NULL);)
		after++;
	for (unsigned int i = 0; i < s->nr; i++) {
		const char *name = s->all[i].comm;
		int rank = was_at(s, after, name) ? 2 : 0;

		rank += !was_at(s, before, name);
		if (s->all[i].ts == at &&
		    (rank > best_rank || (rank == best_rank && strcmp(name, best) > 0))) {
			best_rank = rank;
			best = name;
		}
	}
	return best;
}

static void make_sight(struct sight *s, unsigned int names, unsigned int step)
{
	s->nr = 0;
	for (unsigned int reader = 0; reader < READERS; reader++) {
		int64_t ts = 0;

		s->first[reader] = s->nr;
		for (unsigned int i = 0; i < SIGHTINGS / READERS; i++) {
			struct comm_sighting *seen = &s->all[s->nr];
			char name[2] = { (char)('a' + random_below(names)) };

			ts += random_below(1 + step);
			/* a reader tells what is new to it */
			if (ts >= TIMES || (i && !strcmp(seen[-1].comm, name)))
				continue;
			*seen = (struct comm_sighting){ .pid = 7, .ts = ts };
			memcpy(seen->comm, name, sizeof(name));
			s->nr++;
		}
	}
	s->first[READERS] = s->nr;
}

static void check_sight(const struct sight *s)
{
	for (int64_t ts = 0; ts < TIMES; ts++)
		assert_string_equal(comm_table_at(s->table, 7, ts), slow_answer(s, ts));
}

/* All is there: the answers are right, then also for as long as can be. */
static void end_sight(struct sight *s)
{
	int64_t from, to;
	const char *name;

	check_sight(s);
	comm_table_settle(s->table);
	check_sight(s);
	for (int64_t ts = INT64_MIN;; ts = to + 1) {
		name = comm_table_span(s->table, 7, ts, &from, &to);
		assert_int_equal(from, ts);
		if (to == INT64_MAX)
			break;
		if (ts != INT64_MIN)
			assert_string_not_equal(name, comm_table_at(s->table, 7, to + 1));
	}
	comm_table_free(s->table);
}

static void test_any_order_gives_the_same(void **state)
{
	unsigned int rounds = getenv("FTOP_TEST_LONG") ? 300 : 54;

	(void)state;
	for (unsigned int round = 0; round < rounds; round++) {
		unsigned int order[SIGHTINGS];
		struct sight s = { .table = comm_table_new() };

		make_sight(&s, 1 + round % 6, 1 + round % 9);
		for (unsigned int i = 0; i < s.nr; i++) {
			unsigned int k = random_below(i + 1);

			order[i] = order[k];
			order[k] = i;
		}
		for (unsigned int i = 0; i < s.nr; i++) {
			see(s.table, 7, s.all[order[i]].ts, s.all[order[i]].comm);
			if (round % 2)		/* look in between */
				comm_table_at(s.table, 7, random_below(TIMES));
		}
		end_sight(&s);
	}
}

struct reader {
	struct sight	*sight;
	unsigned int	 nr;
};

static void *tell(void *arg)
{
	const struct reader *reader = arg;
	unsigned int first = reader->sight->first[reader->nr],
		     end = reader->sight->first[reader->nr + 1], nr;

	for (; first < end; first += nr) {
		nr = 1 + (first * 7 + reader->nr) % 5;
		nr = nr < end - first ? nr : end - first;
		comm_table_add(reader->sight->table, &reader->sight->all[first], nr);
	}
	return NULL;
}

/* What is known before all is told may be less, but nothing else. */
static void test_any_thread_gives_the_same(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 60; round++) {
		struct sight s = { .table = comm_table_new() };
		struct reader readers[READERS];
		pthread_t threads[READERS];

		make_sight(&s, 1 + round % 6, 1 + round % 9);
		for (unsigned int i = 0; i < READERS; i++) {
			readers[i] = (struct reader){ &s, i };
			assert_int_equal(pthread_create(&threads[i], NULL, tell, &readers[i]), 0);
		}
		for (unsigned int i = 0; i < 100; i++) {
			int64_t ts = random_below(TIMES), from, to;
			const char *name = comm_table_span(s.table, 7, ts, &from, &to);

			assert_true(from <= ts && to >= ts);
			if (from != INT64_MIN)
				assert_true(was_at(&s, from, name));
		}
		for (unsigned int i = 0; i < READERS; i++)
			pthread_join(threads[i], NULL);
		end_sight(&s);
	}
}

/* A reader that sees the same names again and again adds them once. */
static void test_unchanged_names(void **state)
{
	struct comm_sighting seen[1000];
	struct comm_table *table = comm_table_new();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		seen[i] = (struct comm_sighting){ .ts = i, .pid = 1 + i % 2 * 8192 };
		memcpy(seen[i].comm, i % 2 ? "sixteen bytes of" : "a", i % 2 ? 16 : 1);
	}
	comm_table_add(table, seen, 1000);
	assert_span(table, 1, 500, "a", 0, INT64_MAX);
	assert_span(table, 8193, 500, "sixteen bytes of", 1, INT64_MAX);
	/* in the next call it may have passed some time */
	comm_table_add(table, seen + 998, 2);
	assert_span(table, 1, 500, "a", 0, 997);
	comm_table_settle(table);
	assert_span(table, 1, 500, "a", 0, INT64_MAX);
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
		cmocka_unit_test(test_names_of_a_window),
		cmocka_unit_test(test_changes_are_counted),
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_many_names_of_a_task),
		cmocka_unit_test(test_names_at_one_moment),
		cmocka_unit_test(test_many_names_at_one_moment),
		cmocka_unit_test(test_any_order_gives_the_same),
		cmocka_unit_test(test_any_thread_gives_the_same),
		cmocka_unit_test(test_unchanged_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
