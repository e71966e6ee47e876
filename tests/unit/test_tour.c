/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/open_recorded.h"
#include "ui/view/tour.h"

static void stand_at(struct shared *shared, trace_ref ref)
{
	struct trace_event event;

	assert_true(trace_event_at(shared->trace, ref, &event));
	shared->here = place_of_event(&event);
}

/* Every step is reached by what it says, in this trace; and not before. */
static void test_all_steps(void **state)
{
	struct shared shared = { .trace = open_data("cpu4", 1) };
	struct tour_screen screen = { 0 };
	struct tour tour;
	bool wrapped;

	(void)state;
	places_init(&shared.places);
	stand_at(&shared, trace_first(shared.trace));
	tour_begin(&tour);
	assert_false(tour_follow(&tour, &shared, &screen));	/* the end was not visited */
	stand_at(&shared, trace_last(shared.trace));
	assert_false(tour_follow(&tour, &shared, &screen));
	stand_at(&shared, trace_first(shared.trace));
	assert_true(tour_follow(&tour, &shared, &screen));
	assert_int_equal(tour.step, 1);

	shared.threshold = 100000000;
	assert_false(tour_follow(&tour, &shared, &screen));
	/* } schedule: 139.5 ms */
	stand_at(&shared, trace_seek_time(shared.trace, 7487193896, 1));
	assert_true(tour_follow(&tour, &shared, &screen));
	assert_false(tour_follow(&tour, &shared, &screen));
	stand_at(&shared, trace_next_trouble(shared.trace, shared.here.ref, &wrapped));
	assert_true(tour_follow(&tour, &shared, &screen));

	assert_false(tour_follow(&tour, &shared, &screen));
	stand_at(&shared, trace_seek_time(shared.trace, 7574227500, -1));
	assert_true(tour_follow(&tour, &shared, &screen));
	assert_false(tour_follow(&tour, &shared, &screen));
	places_mark(&shared.places, 'a', shared.here);
	assert_true(tour_follow(&tour, &shared, &screen));
	stand_at(&shared, trace_seek_time(shared.trace, 7574320000, -1));
	assert_false(tour_follow(&tour, &shared, &screen));	/* B is not set */
	places_mark(&shared.places, 'b', shared.here);
	assert_true(tour_follow(&tour, &shared, &screen));

	assert_false(tour_follow(&tour, &shared, &screen));
	screen.fields = true;
	assert_true(tour_follow(&tour, &shared, &screen));
	assert_false(tour_follow(&tour, &shared, &screen));
	shared.pattern = search_pattern_new("on-cpu-1", NULL);
	assert_true(tour_follow(&tour, &shared, &screen));
	screen.help = true;
	assert_false(tour_follow(&tour, &shared, &screen));	/* it is read first */
	screen.help = false;
	assert_true(tour_follow(&tour, &shared, &screen));
	screen.saving = true;
	assert_false(tour_follow(&tour, &shared, &screen));
	assert_true(tour.on);
	screen.saving = false;
	assert_true(tour_follow(&tour, &shared, &screen));
	assert_false(tour.on);
	assert_false(tour_follow(&tour, &shared, &screen));
	search_pattern_free(shared.pattern);
	trace_close(shared.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
