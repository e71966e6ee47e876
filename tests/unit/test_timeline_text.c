/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture as text: its form; what is in it is test_timeline's and test_timeline_plot's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/timeline/timeline_text.h"
#include "tests/lib/open_recorded.h"

/*
 * The sample's picture of this moment, at 80 cells.  Shares by awk over trace-cmd report -t: CPU 1
 * and on-cpu-1 run 10.387 of 30.5 ms.
 */
static const char expected[] =
	" busy in the window                   500 µs a column\n"
	"                   7.550     7.555     7.560     7.565     7.570     7.575\n"
	" CPU 1         34% on-cpu-1▃·······································▃on-cpu-1████\n"
	" on-cpu-1-80   34% ████████▃┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈▃████████████\n"
	" 252 idle CPUs\n"
	"                                                       7.574266781 ▲\n"
	" ▃█ runs  ┈ sleeps  · idle\n"
	" Waiting since 7.574227913: woken by an interrupt on CPU 1 (interrupting\n"
	" <idle>), after 20.02 ms asleep (S) in do_nanosleep. It runs 93.43 µs later, at\n"
	" 7.574321342, on CPU 1; exits after 51.87 ms, at 7.626190119.\n";

static const char ascii[] =
	" busy in the window                   500 us a column\n"
	"                   7.550     7.555     7.560     7.565     7.570     7.575\n"
	" CPU 1         34% on-cpu-1-                                       -on-cpu-1####\n"
	" -# runs\n";

static void pictures_are_lines(void **state)
{
	struct timeline_row rows[] = { { TIMELINE_CPU, 1 },
				       { TIMELINE_OF_TASK, 0 },
				       { TIMELINE_IDLE_CPUS, 252 } };
	struct timeline_text picture = { .rows = rows, .nr_rows = 3, .label = TIMELINE_TEXT_LABEL,
					 .has_at = true, .at_ts = 7574266781, .at = 1 };
	struct timeline timeline = { 0 };
	struct trace *trace = open_recorded("cpu4", 2);
	struct text t = { 0 };
	struct sched *sched;

	(void)state;
	trace_wait(trace);
	sched = sched_new(trace, 0, 0);
	sched_wait(sched);
	sched_lock(sched);
	rows[1].index = sched_rules_find(sched_pass_rules(sched_pass_of(sched)), 80, 7550000000);
	timeline_set(&timeline, sched, 7550000000, 500000, 61);
	timeline_text_picture(&timeline, &picture, &t);
	assert_string_equal(text_str(&t), expected);
	text_clear(&t);
	timeline.ascii = true;
	picture.nr_rows = 1;
	picture.has_at = false;
	timeline_text_picture(&timeline, &picture, &t);
	assert_string_equal(text_str(&t), ascii);
	text_fini(&t);
	timeline_fini(&timeline);
	sched_unlock(sched);
	sched_free(sched);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_are_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
