/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/places.h"

static struct place at(trace_ref ref)
{
	return (struct place){ ref, (int64_t)ref * 10 };
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

static void test_back_and_forward(void **state)
{
	struct places p;

	(void)state;
	places_init(&p);
	assert_int_equal(places_back(&p, at(1)).ref, TRACE_REF_NONE);
	places_leave(&p, at(1));		/* 1 -> 2 -> 3, now at 3 */
	places_leave(&p, at(2));
	assert_int_equal(places_back(&p, at(3)).ref, 2);
	assert_int_equal(places_back(&p, at(2)).ref, 1);
	assert_int_equal(places_back(&p, at(1)).ref, TRACE_REF_NONE);
	assert_int_equal(places_forward(&p, at(1)).ref, 2);
	assert_int_equal(places_forward(&p, at(2)).ref, 3);
	assert_int_equal(places_forward(&p, at(3)).ref, TRACE_REF_NONE);
	assert_int_equal(places_get(&p, '\'')->ref, 2);
	/* A jump from the middle forgets what lay ahead. */
	assert_int_equal(places_back(&p, at(3)).ref, 2);
	places_leave(&p, at(2));
	assert_int_equal(places_forward(&p, at(9)).ref, TRACE_REF_NONE);
	assert_int_equal(places_back(&p, at(9)).ref, 2);
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
		places_leave(&p, at(ref));
	for (struct place to; (to = places_back(&p, at(here))).ref != TRACE_REF_NONE; here = to.ref)
		steps++;
	assert_int_equal(steps, PLACE_HISTORY);
	places_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_back_and_forward),
		cmocka_unit_test(test_history_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
