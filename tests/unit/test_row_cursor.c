/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows that are listed, with rows around those that filters keep: against a plain list of all
 * rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "tests/lib/open_recorded.h"
#include "ui/rows/row_cursor.h"

struct subject {
	struct shared	 shared;
	trace_ref	*refs;		/* of the streams listed, in order, [nr] */
	bool		*kept;		/* by a look at the event itself */
	size_t		 nr, cap, kept_cap;
	size_t		*listed;	/* indices of those that must be listed, [nr_listed] */
	size_t		 nr_listed;
};

struct rule {
	const char	*filter;
	const char	*name;		/* of the event; NULL: any */
	int		 cpu, pid;	/* -1: any */
};

static const struct rule rules[] = {
	{ "sched_switch", "sched_switch", -1, -1 },
	{ "sched_switch && cpu == 2", "sched_switch", 2, -1 },
	{ "pid == 80", NULL, -1, 80 },
	{ "pid == 80 && hrtimer_start", "hrtimer_start", -1, 80 },
	{ "sched_process_exec && cpu == 1", "sched_process_exec", 1, -1 },
	{ "cpu in 0-3", NULL, -1, -1 },
};

static bool holds(const struct rule *rule, const struct trace_event *event)
{
	return event->kind == TRACE_ROW_EVENT &&
	       (!rule->name || !strcmp(trace_event_name(event), rule->name)) &&
	       (rule->cpu < 0 || event->cpu == rule->cpu) &&
	       (rule->pid < 0 || event->pid == rule->pid);
}

static void open_demo(struct subject *s)
{
	memset(s, 0, sizeof(*s));
	s->shared.trace = open_data("cpu4", 1);
	places_init(&s->shared.at.places);
	filters_init(&s->shared.chosen.filters, s->shared.trace);
}

static void close_demo(struct subject *s)
{
	filters_fini(&s->shared.chosen.filters);
	trace_close(s->shared.trace);
	free(s->shared.chosen.streams);
	free(s->refs);
	free(s->kept);
	free(s->listed);
}

static void list_rows(struct subject *s, const struct rule *rule)
{
	struct trace_cursor *cursor = trace_cursor_new(s->shared.trace);
	struct trace_event event;

	s->nr = 0;
	trace_cursor_only_streams(cursor, s->shared.chosen.streams,
				  trace_nr_streams(s->shared.trace));
	trace_cursor_seek(cursor, trace_first(s->shared.trace));
	while (trace_cursor_next(cursor, &event)) {
		mem_grow(&s->refs, s->nr, &s->cap);
		mem_grow(&s->kept, s->nr, &s->kept_cap);
		s->refs[s->nr] = event.ref;
		s->kept[s->nr++] = holds(rule, &event);
	}
	trace_cursor_free(cursor);
}

static void list_around(struct subject *s, size_t around)
{
	free(s->listed);
	s->listed = mem_array(s->nr, sizeof(*s->listed));
	s->nr_listed = 0;
	for (size_t i = 0; i < s->nr; i++) {
		bool shown = false;

		for (size_t j = i > around ? i - around : 0; j <= i + around && j < s->nr; j++)
			shown = shown || s->kept[j];
		if (shown)
			s->listed[s->nr_listed++] = i;
	}
}

/* The next row; where there was no time, again and again. */
static bool step(struct subject *s, struct row_cursor *c, bool forward, struct trace_event *event)
{
	do {
		filters_budget(&s->shared.chosen.filters, 1000);
		if (forward ? row_cursor_next(c, event) : row_cursor_prev(c, event))
			return true;
	} while (row_cursor_is_later(c));
	return false;
}

static void walk(struct subject *s, struct row_cursor *c)
{
	struct trace_event event;
	size_t i = 0;

	row_cursor_seek(c, trace_first(s->shared.trace));
	while (step(s, c, true, &event)) {
		assert_in_range(i, 0, s->nr_listed - 1);
		assert_int_equal(event.ref, s->refs[s->listed[i++]]);
	}
	assert_int_equal(i, s->nr_listed);
	while (step(s, c, false, &event))
		assert_int_equal(event.ref, s->refs[s->listed[--i]]);
	assert_int_equal(i, 0);
}

/*
 * Seeks and steps to and fro, and turns in the middle of a way that was too long for the time there
 * was.
 */
static void wander(struct subject *s, struct row_cursor *c)
{
	struct trace_event event;

	srand(4);
	for (int n = 0; n < (getenv("FTOP_TEST_LONG") ? 300 : 120); n++) {
		size_t from = (size_t)rand() % s->nr, at = 0;

		row_cursor_seek(c, s->refs[from]);
		while (at < s->nr_listed && s->listed[at] < from)
			at++;
		filters_budget(&s->shared.chosen.filters, 0);
		if (n % 3 == 0 && row_cursor_next(c, &event))
			at++;
		for (int k = 0; k < 12; k++) {
			if (rand() % 2) {
				assert_int_equal(step(s, c, true, &event), at < s->nr_listed);
				if (at < s->nr_listed)
					assert_int_equal(event.ref, s->refs[s->listed[at++]]);
			} else {
				assert_int_equal(step(s, c, false, &event), at > 0);
				if (at > 0)
					assert_int_equal(event.ref, s->refs[s->listed[--at]]);
			}
		}
	}
}

struct obstacle {
	atomic_bool	there, away;
};

/* The only worker does nothing else meanwhile. */
static void stand_in_the_way(void *arg, unsigned int worker, bool cancelled)
{
	struct obstacle *o = arg;

	(void)worker;
	atomic_store(&o->there, true);
	while (!cancelled && !atomic_load(&o->away))
		usleep(1000);
}

/*
 * The first filter has no more time than others: with none nothing is found on the spot, and
 * nothing is waited for.
 */
static void test_first_budget(void **state)
{
	static const char *const texts[] = { "pid == 80", "wait > 0" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct worker_group group = { 0 };
		struct filter_error err = { 0 };
		struct trace_event event;
		struct row_cursor *c;
		struct subject s;
		struct obstacle obstacle = { false, false };

		open_demo(&s);
		trace_wait(s.shared.trace);
		workers_add(trace_workers(s.shared.trace), &group, WORKER_REQUESTED,
			    stand_in_the_way, &obstacle);
		while (!atomic_load(&obstacle.there))
			usleep(1000);
		filters_budget(&s.shared.chosen.filters, 0);
		assert_int_equal(filters_set(&s.shared.chosen.filters, 0, texts[i],
					     &s.shared.at.places, &err),
				 0);
		c = row_cursor_new(&s.shared);
		row_cursor_take(c);
		row_cursor_seek(c, trace_first(s.shared.trace));
		assert_false(row_cursor_next(c, &event));
		assert_true(row_cursor_is_later(c));
		atomic_store(&obstacle.away, true);
		workers_wait(trace_workers(s.shared.trace), &group);
		assert_true(step(&s, c, true, &event));
		row_cursor_free(c);
		close_demo(&s);
	}
}

static void check_rules(struct subject *s)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct filter_error err = { 0 };

		list_rows(s, &rules[i]);
		for (unsigned int around = 0; around <= 5; around += around < 2 ? 1 : 3) {
			struct row_cursor *c = row_cursor_new(&s->shared);

			if (filters_set(&s->shared.chosen.filters, 0, rules[i].filter,
					&s->shared.at.places, &err))
				fail_msg("%s: %s", rules[i].filter, text_str(&err.message));
			s->shared.chosen.filters.around = around;
			list_around(s, around);
			row_cursor_take(c);
			walk(s, c);
			wander(s, c);
			row_cursor_free(c);
		}
	}
}

static void test_rows_around(void **state)
{
	struct subject s;

	(void)state;
	open_demo(&s);
	check_rules(&s);
	close_demo(&s);
}

/* Rows that are not listed do not count as rows between. */
static void test_of_some_streams(void **state)
{
	struct subject s;

	(void)state;
	open_demo(&s);
	s.shared.chosen.streams = mem_array(trace_nr_streams(s.shared.trace), sizeof(bool));
	s.shared.chosen.streams[1] = s.shared.chosen.streams[2] = true;
	check_rules(&s);
	close_demo(&s);
}

/* Where nothing is hidden, nothing stands around it. */
static void test_all_rows(void **state)
{
	const struct rule all = { "", NULL, -1, -1 };
	struct subject s;
	struct row_cursor *c;

	(void)state;
	open_demo(&s);
	list_rows(&s, &all);
	memset(s.kept, 1, s.nr);
	list_around(&s, 0);
	s.shared.chosen.filters.around = 3;
	c = row_cursor_new(&s.shared);
	row_cursor_take(c);
	walk(&s, c);
	row_cursor_free(c);
	close_demo(&s);
}

/* As many rows as the kernel's text has lines of calls, in both directions. */
static void test_leaf_calls_are_one_row(void **state)
{
	/* zcat tests/data/good/cpu4/kernel-trace.txt.gz | grep -c '();' */
	const unsigned int leaves = 4255;
	struct subject s;
	struct row_cursor *cursor;
	struct trace_event event;
	struct trace_status status;
	unsigned int forward = 0, backward = 0;
	trace_ref last = TRACE_REF_NONE;

	(void)state;
	open_demo(&s);
	s.shared.leaves = leaf_calls_new(s.shared.trace);
	trace_wait(s.shared.trace);
	status = trace_status(s.shared.trace);
	cursor = row_cursor_new(&s.shared);
	row_cursor_seek(cursor, trace_first(s.shared.trace));
	for (; row_cursor_next(cursor, &event); forward++)
		last = event.ref;
	assert_int_equal(forward, status.rows - leaves);
	row_cursor_seek(cursor, TRACE_REF_NONE);
	while (row_cursor_prev(cursor, &event)) {
		assert_true(backward++ || event.ref == last);
		last = event.ref;
	}
	assert_int_equal(backward, forward);
	row_cursor_free(cursor);
	leaf_calls_free(s.shared.leaves);
	close_demo(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf_calls_are_one_row),
		cmocka_unit_test(test_rows_around),
		cmocka_unit_test(test_of_some_streams),
		cmocka_unit_test(test_all_rows),
		cmocka_unit_test(test_first_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
