/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/types/event_types.h"
#include "parsers/types/tgid_table.h"

#define UNKNOWN	-1

static int at(struct tgid_table *table, int pid, int64_t ts)
{
	int64_t from, to;
	int tgid, again;
	bool known = tgid_table_at(table, pid, ts, &tgid, &from, &to);

	assert_true(from <= ts && ts <= to);
	/* What is said to be the same is. */
	if (from != INT64_MIN)
		assert_int_equal(tgid_table_at(table, pid, from, &again, &from, &to), known);
	return known ? tgid : UNKNOWN;
}

static void test_saved(void **state)
{
	static const char saved[] =
		"1 1\n   12 10\n99999999999 1\n7\nx 3\n8 9 9\n11 \n14 14\n20 12";
	struct tgid_table *table = tgid_table_new();

	(void)state;
	assert_true(tgid_table_is_empty(table));
	assert_int_equal(at(table, 0, 5), 0);
	assert_int_equal(at(table, -1, 5), UNKNOWN);
	tgid_table_saved(table, saved, sizeof(saved) - 1);
	assert_false(tgid_table_is_empty(table));
	assert_int_equal(at(table, 1, 0), 1);
	assert_int_equal(at(table, 12, INT64_MIN), 10);
	assert_int_equal(at(table, 12, INT64_MAX), 10);
	assert_int_equal(at(table, 20, 0), 12);
	assert_int_equal(at(table, 14, 0), 14);
	assert_int_equal(at(table, 7, 0), UNKNOWN);
	assert_int_equal(at(table, 8, 0), UNKNOWN);
	assert_int_equal(at(table, 11, 0), UNKNOWN);
	tgid_table_free(table);
}

static void test_births(void **state)
{
	struct tgid_table *table = tgid_table_new();

	(void)state;
	tgid_table_saved(table, "50 50\n60 50\n", 12);
	tgid_table_born(table, 60, 100, 50, true);
	/* Before its birth the pid was another task's, of which nothing is known. */
	assert_int_equal(at(table, 60, 99), UNKNOWN);
	assert_int_equal(at(table, 60, 100), 50);
	tgid_table_born(table, 61, 200, 60, true);	/* a thread's thread */
	assert_int_equal(at(table, 61, 200), 50);
	assert_int_equal(at(table, 61, 199), UNKNOWN);
	tgid_table_born(table, 60, 300, 1, false);	/* the pid again, a process */
	assert_int_equal(at(table, 60, 300), 60);
	assert_int_equal(at(table, 61, 400), 50);       /* of the one that cloned it,
							   not of who has the pid now */
	tgid_table_born(table, 70, 300, 999, true);	/* of who nothing is known */
	assert_int_equal(at(table, 70, 300), UNKNOWN);
	tgid_table_born(table, 80, 300, 80, true);	/* its own child: nonsense that ends */
	assert_int_equal(at(table, 80, 300), UNKNOWN);
	tgid_table_free(table);
}

static void test_seen(void **state)
{
	struct tgid_table *table = tgid_table_new();

	(void)state;
	tgid_table_seen(table, 5, 100, 4);
	assert_int_equal(at(table, 5, 0), 4);		/* all its life */
	assert_int_equal(at(table, 5, 500), 4);
	tgid_table_born(table, 6, 50, 5, true);
	assert_int_equal(at(table, 6, 60), 4);
	tgid_table_seen(table, 5, 200, 4);
	tgid_table_born(table, 5, 150, 1, true); /* between the two: two
							   tasks that were told */
	assert_int_equal(at(table, 5, 149), 4);
	assert_int_equal(at(table, 5, 150), 4);
	tgid_table_born(table, 5, 300, 2, true);
	assert_int_equal(at(table, 5, 300), UNKNOWN);
	tgid_table_free(table);
}

/* --- any order, beside a slow computation -------------------------------------------- */

#define PIDS	12
#define LIVES	400

struct life {
	int	pid, parent, tgid;
	int64_t	from;
	bool	thread, told;
	int64_t	seen;		/* when its group was told; 0: never */
};

static unsigned int seed;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static const struct life *life_at(const struct life *lives, int nr, int pid, int64_t ts)
{
	const struct life *found = NULL;

	for (int i = 0; i < nr; i++)
		if (lives[i].pid == pid && lives[i].from <= ts)
			found = &lives[i];
	return found;
}

/*
 * What can be known of a task: its own birth as a process, its group told, its last life saved, or
 * its parent's.
 */
static int expected(const struct life *lives, int nr, int pid, int64_t ts, bool saved)
{
	const struct life *l = life_at(lives, nr, pid, ts);
	int parents;

	if (!l)
		return UNKNOWN;
	if (!l->thread || l->seen)
		return l->tgid;
	parents = expected(lives, nr, l->parent, l->from, saved);
	return parents != UNKNOWN || !saved || life_at(lives, nr, pid, INT64_MAX) != l ? parents :
											 l->tgid;
}

static int make_lives(struct life *lives)
{
	for (int i = 0; i < LIVES; i++) {
		struct life *l = &lives[i];

		*l = (struct life){ .pid = 100 + (int)rnd(PIDS),
				    .from = 10 * (i + 1),
				    .thread = rnd(3) };
		l->parent = 100 + (int)rnd(PIDS);
		while (l->parent == l->pid)
			l->parent = 100 + (int)rnd(PIDS);
		l->tgid = l->pid;
		if (l->thread && life_at(lives, i, l->parent, l->from))
			l->tgid = life_at(lives, i, l->parent, l->from)->tgid;
		else if (l->thread)
			l->tgid = 5000 + l->parent;	/* begun before the trace */
		l->seen = !rnd(4) ? l->from + (int)rnd(10) : 0;
	}
	return LIVES;
}

static void shuffle(int *order, int from, int to)
{
	for (int i = to - 1; i > from; i--) {
		int j = from + (int)rnd((unsigned int)(i - from) + 1), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
}

static void tell(struct tgid_table *table, const struct life *lives, const int *order, int nr)
{
	for (int i = 0; i < 2 * nr; i++) {
		const struct life *l = &lives[order[i] % nr];

		if (order[i] < nr)
			tgid_table_born(table, l->pid, l->from, l->parent, l->thread);
		else if (l->seen)
			tgid_table_seen(table, l->pid, l->seen, l->tgid);
	}
}

static void tell_saved(struct tgid_table *table, const struct life *lives, int nr)
{
	char text[PIDS * 32] = "";

	for (int pid = 100; pid < 100 + PIDS; pid++) {
		const struct life *l = life_at(lives, nr, pid, INT64_MAX);

		if (l)
			sprintf(text + strlen(text), "%d %d\n", pid, l->tgid);
	}
	tgid_table_saved(table, text, strlen(text));
}

/*
 * Births in any order, then groups in any order: all is known.  Both mixed: what is known is right.
 */
static void test_any_order(void **state)
{
	static struct life lives[LIVES];
	int order[2 * LIVES], known = 0, unknown = 0;

	(void)state;
	for (unsigned int round = 0; round < 40; round++) {
		struct tgid_table *table = tgid_table_new();
		bool saved = round & 1, mixed = round & 2;
		int nr;

		seed = round * 65536;
		nr = make_lives(lives);
		if (saved)
			tell_saved(table, lives, nr);
		for (int i = 0; i < 2 * nr; i++)
			order[i] = i;
		shuffle(order, 0, mixed ? 2 * nr : nr);
		shuffle(order, mixed ? 0 : nr, 2 * nr);
		tell(table, lives, order, nr);
		for (int64_t ts = 0; ts < 10 * LIVES + 20; ts += 7)
			for (int pid = 100; pid < 100 + PIDS; pid++) {
				int got = at(table, pid, ts),
				    want = expected(lives, nr, pid, ts, saved);

				if (!mixed)
					assert_int_equal(got, want);
				else if (got != UNKNOWN)
					assert_int_equal(got, life_at(lives, nr, pid, ts)->tgid);
				known += mixed && got != UNKNOWN;
				unknown += mixed && got == UNKNOWN && want != UNKNOWN;
			}
		tgid_table_free(table);
	}
	assert_true(unknown * 20 < known);
}

/* Nothing that records tell makes it grow without end, or slow. */
static void test_hostile_births(void **state)
{
	struct tgid_table *table = tgid_table_new();

	(void)state;
	for (int i = 0; i < 300000; i++) {
		tgid_table_born(table, 5, 1000000 - i, 4, i & 1);
		tgid_table_seen(table, 5, i * 3, i);
		tgid_table_born(table, i - 100000, i, i + 1, true);
	}
	at(table, 1000, 150000);
	at(table, 5, 0);
	tgid_table_free(table);
}

/* --- records ------------------------------------------------------------------------- */

static struct event_field fields[3];

static struct event_type type_of(const char *system, const char *name, unsigned int nr)
{
	return (struct event_type){
		.system = system, .name = name, .fields = fields, .nr_fields = (uint16_t)nr
	};
}

static void test_records(void **state)
{
	static const struct common_layout common = { .pid_offset = 4, .pid_size = 4 };
	static struct tgid_cache cache;
	struct tgid_table *table = tgid_table_new();
	struct event_type type;
	struct tgid_rule rule;
	/* task_newtask: pid at 8, comm[16], clone_flags at 32 */
	uint8_t newtask[48] = { 0 };
	/* pid 258, tgid 256, big endian */
	uint8_t big[16] = { 0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 1, 2, 0, 0, 1, 0 };
	uint8_t exec[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 41, 0, 0, 0 };

	(void)state;
	fields[0] = (struct event_field){
		.name = "pid", .kind = FIELD_SINT, .offset = 8, .size = 4
	};
	fields[1] = (struct event_field){
		.name = "clone_flags", .kind = FIELD_UINT, .offset = 32, .size = 8
	};
	type = type_of("task", "task_newtask", 2);
	assert_true(tgid_rule_of(&type, &common, &rule));
	newtask[8] = 30;
	tgid_cache_see(&cache, table, &rule, 100, 29, newtask, sizeof(newtask), HOST_BIG_ENDIAN);
	assert_int_equal(at(table, 30, 100), 30);
	newtask[8] = 31;
	newtask[34] = 1;		/* CLONE_THREAD is 0x10000 */
	tgid_cache_see(&cache, table, &rule, 110, 30, newtask, sizeof(newtask), HOST_BIG_ENDIAN);
	assert_int_equal(at(table, 31, 110), 30);
	/* too short: no crash */
	tgid_cache_see(&cache, table, &rule, 120, 30, newtask, 10, HOST_BIG_ENDIAN);

	fields[1] = (struct event_field){
		.name = "tgid", .kind = FIELD_SINT, .offset = 12, .size = 4
	};
	type = type_of("sched", "sched_move_numa", 2);
	assert_true(tgid_rule_of(&type, &common, &rule));
	tgid_cache_see(&cache, table, &rule, 100, 1, big, sizeof(big), !HOST_BIG_ENDIAN);
	assert_int_equal(at(table, 258, 0), 256);

	fields[1].name = "old_pid";
	type = type_of("sched", "sched_process_exec", 2);
	assert_true(tgid_rule_of(&type, &common, &rule));
	tgid_cache_see(&cache, table, &rule, 100, 40, exec, sizeof(exec), HOST_BIG_ENDIAN);
	assert_int_equal(at(table, 40, 0), 40);
	assert_int_equal(at(table, 41, 0), 40);

	type = type_of("ftrace", "user_stack", 2);
	assert_false(tgid_rule_of(&type, &common, &rule));	/* without the field */
	fields[1].name = "tgid";
	assert_true(tgid_rule_of(&type, &common, &rule));
	tgid_cache_see(&cache, table, &rule, 100, 77, big, sizeof(big), !HOST_BIG_ENDIAN);
	assert_int_equal(at(table, 77, 0), 256);
	type = type_of("sched", "sched_switch", 2);
	assert_false(tgid_rule_of(&type, &common, &rule));
	tgid_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_births),
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_hostile_births),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
