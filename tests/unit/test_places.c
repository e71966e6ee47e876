/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/rows/places.h"

static struct place at(trace_ref ref)
{
	return (struct place){
		.set = true, .ref = ref, .ts = (int64_t)ref * 10, .pid = -1, .cpu = -1
	};
}

static void test_marks(void **state)
{
	struct places p;
	int64_t delta;

	(void)state;
	places_init(&p);
	assert_false(places_delta(&p, 5, &delta));
	assert_true(places_mark(&p, 'a', at(1)));
	assert_true(places_delta(&p, 30, &delta));
	assert_int_equal(delta, 20);
	assert_true(places_mark(&p, 'b', at(7)));
	assert_true(places_delta(&p, 30, &delta));
	assert_int_equal(delta, 60);
	assert_true(places_mark(&p, 'c', at(3)));
	assert_int_equal(places_letter(&p, 1), 'A');
	assert_int_equal(places_letter(&p, 7), 'B');
	assert_int_equal(places_letter(&p, 3), 'c');
	assert_int_equal(places_letter(&p, 4), 0);
	assert_false(places_mark(&p, 'a', at(1)));	/* on its own row it goes away */
	assert_null(places_get(&p, 'a'));
	assert_null(places_get(&p, '\''));
	places_fini(&p);
}

static void test_notes(void **state)
{
	struct places p;

	(void)state;
	places_init(&p);
	for (trace_ref ref = 0; ref < 40; ref++)
		places_note(&p, at(ref), "note");
	places_note(&p, at(3), "other");
	assert_string_equal(places_note_at(&p, 3), "other");
	assert_int_equal(p.nr_notes, 40);
	places_note(&p, at(3), "");
	assert_null(places_note_at(&p, 3));
	assert_int_equal(p.nr_notes, 39);
	places_fini(&p);
}

/* A moment between rows is itself by its time, and by what the cursor was on. */
static void test_moments(void **state)
{
	struct place a = { .set = true, .ref = TRACE_REF_NONE, .ts = 5, .pid = 1, .cpu = -1 },
		     b = a, none = { 0 };
	struct places p;

	(void)state;
	assert_true(place_same(&a, &b));
	b.pid = 2;
	assert_false(place_same(&a, &b));
	b = a;
	b.file = 1;
	assert_false(place_same(&a, &b));
	b = a;
	b.ref = 5;
	assert_false(place_same(&a, &b));
	assert_false(place_same(&none, &none));
	places_init(&p);
	assert_true(places_mark(&p, 'b', a));
	assert_int_equal(places_letter(&p, TRACE_REF_NONE), 0);
	assert_false(places_mark(&p, 'b', a));
	places_note(&p, a, "between");
	assert_string_equal(places_note_of(&p, &a), "between");
	assert_null(places_note_at(&p, TRACE_REF_NONE));
	places_fini(&p);
}

static struct step step(trace_ref ref, unsigned int view)
{
	return (struct step){ .place = at(ref), .view = view };
}

/* Where it leads from here; TRACE_REF_NONE: nowhere. */
static trace_ref back(struct places *p, trace_ref here)
{
	struct step now = step(here, 0), to;

	return places_back(p, &now, &to) ? to.place.ref : TRACE_REF_NONE;
}

static trace_ref forward(struct places *p, trace_ref here)
{
	struct step now = step(here, 0), to;

	return places_forward(p, &now, &to) ? to.place.ref : TRACE_REF_NONE;
}

static void leave(struct places *p, trace_ref here)
{
	struct step now = step(here, 0);

	places_leave(p, &now);
}

static void test_back_and_forward(void **state)
{
	struct places p;

	(void)state;
	places_init(&p);
	assert_int_equal(back(&p, 1), TRACE_REF_NONE);
	leave(&p, 1);		/* 1 -> 2 -> 3, now at 3 */
	leave(&p, 2);
	assert_int_equal(back(&p, 3), 2);
	assert_int_equal(back(&p, 2), 1);
	assert_int_equal(back(&p, 1), TRACE_REF_NONE);
	assert_int_equal(forward(&p, 1), 2);
	assert_int_equal(forward(&p, 2), 3);
	assert_int_equal(forward(&p, 3), TRACE_REF_NONE);
	assert_int_equal(places_get(&p, '\'')->ref, 2);
	/* A jump from the middle forgets what lay ahead. */
	assert_int_equal(back(&p, 3), 2);
	leave(&p, 2);
	assert_int_equal(forward(&p, 9), TRACE_REF_NONE);
	assert_int_equal(back(&p, 9), 2);
	places_fini(&p);
}

/*
 * The same place in another view, or with another range, is a step of its own; a row of zooms is
 * one.
 */
static void test_steps(void **state)
{
	struct step events = step(1, 0), timeline = step(1, 2), ranged = step(1, 2), to;
	struct places p;

	(void)state;
	places_init(&p);
	ranged.range = (struct range){ true, 5, 9 };
	places_leave(&p, &events);
	places_leave(&p, &events);
	places_leave(&p, &timeline);
	timeline.window_from = 100;
	places_leave_zoom(&p, &timeline);
	timeline.window_from = 200;
	places_leave_zoom(&p, &timeline);
	places_leave(&p, &ranged);
	assert_true(places_back(&p, &ranged, &to));
	assert_true(to.range.set);
	assert_int_equal(to.range.from, 5);
	assert_true(places_back(&p, &to, &to));
	assert_int_equal(to.window_from, 100);
	assert_true(places_back(&p, &to, &to));
	assert_int_equal(to.view, 2);
	assert_int_equal(to.window_from, 0);
	assert_true(places_back(&p, &to, &to));
	assert_int_equal(to.view, 0);
	assert_false(places_back(&p, &to, &to));
	places_fini(&p);
}

static void test_history_has_an_end(void **state)
{
	struct places p;
	unsigned int steps = 0;
	trace_ref here = 3 * PLACE_HISTORY;

	(void)state;
	places_init(&p);
	for (trace_ref ref = 0; ref < 3 * PLACE_HISTORY; ref++)
		leave(&p, ref);
	for (trace_ref to; (to = back(&p, here)) != TRACE_REF_NONE; here = to)
		steps++;
	assert_int_equal(steps, PLACE_HISTORY);
	places_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_back_and_forward),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_history_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
