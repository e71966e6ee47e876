/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each time off the CPU of a recorded trace, beside a plain walk over the switches of that CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/calls/away_story.h"
#include "src/calls/call_text.h"
#include "src/calls/call_window.h"

#define MAX_PIDS	4096

static struct trace *trace;
static struct graph_types *types;

static int32_t number(const struct trace_event *event, const char *name)
{
	const struct event_field *field = event_type_field(event->type, name);

	assert_non_null(field);
	return (int32_t)field_u64(field, event->data, event->size, event->swap);
}

static bool is_switch(const struct trace_event *event)
{
	return event->kind == TRACE_ROW_EVENT && event->type &&
	       !strcmp(event->type->name, "sched_switch");
}

/* Time of each pid on a CPU in (from, to]; the switch at @from is the first. */
static void walk(int cpu, trace_ref from, int64_t to, uint64_t *ns)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	int64_t since = 0;
	struct trace_event event;
	int32_t running = -1;

	memset(ns, 0, MAX_PIDS * sizeof(*ns));
	trace_cursor_seek(cursor, from);
	while (trace_cursor_next(cursor, &event)) {
		if (event.cpu != cpu)
			continue;
		if (event.kind == TRACE_ROW_LOST)
			running = -1;
		if (event.ts >= to)
			break;
		if (!is_switch(&event))
			continue;
		if (running >= 0)
			ns[running] += (uint64_t)(event.ts - since);
		running = number(&event, "next_pid");
		assert_in_range(running, 0, MAX_PIDS - 1);
		since = event.ts;
	}
	if (running >= 0)
		ns[running] += (uint64_t)(to - since);
	trace_cursor_free(cursor);
}

static void check_who(const struct away_story *story, const uint64_t *ns)
{
	unsigned int nr = 0;

	for (int pid = 0; pid < MAX_PIDS; pid++)
		nr += ns[pid] != 0;
	assert_int_equal(story->nr, nr < AWAY_WHO ? nr : AWAY_WHO);
	for (unsigned int i = 0; i < story->nr; i++) {
		assert_int_equal(story->who[i].ns, ns[story->who[i].pid]);
		assert_true(!i || story->who[i].ns <= story->who[i - 1].ns);
	}
	for (int pid = 0; pid < MAX_PIDS && story->nr == AWAY_WHO; pid++) {
		bool named = false;

		for (unsigned int i = 0; i < story->nr; i++)
			named |= story->who[i].pid == pid;
		assert_true(named || ns[pid] <= story->who[AWAY_WHO - 1].ns);
	}
}

static void check_waker(const struct call *away, const struct away_story *story)
{
	struct trace_event event;
	char name[32];

	assert_int_equal(story->woken, away->away_woken != 0);
	if (!story->woken)
		return;
	assert_true(trace_event_at(trace, away->away_wakeup, &event));
	snprintf(name, sizeof(name), "%s", event.type->name);
	assert_true(!strcmp(name, "sched_waking") || !strncmp(name, "sched_wakeup", 12));
	assert_int_equal(story->waker, event.pid);
	assert_int_equal(story->waker_cpu, event.cpu);
}

static void every_time_off_the_cpu(void **state)
{
	const struct call_window_options how = { .trace = trace, .types = types };
	const struct away_options options = { .trace = trace, .types = types };
	struct call_window *window = call_window_new(&how);
	struct call_text *text = call_text_new(trace, 0, 0);
	unsigned int nr = 0, busy = 0, waits = 0;
	const struct call_tree *tree;
	uint64_t ns[MAX_PIDS];

	(void)state;
	call_window_seek(window, 0);
	while (call_window_work(window, 1000000000))
		;
	tree = call_window_tree(window);
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);
		struct away_story story;

		if (call->kind != CALL_AWAY)
			continue;
		away_story_tell(&options, call, call_text_start(text, call), &story);
		assert_int_equal(story.cpu, call_text_cpu(text, call, false));
		assert_false(story.cut);
		walk(story.cpu, call->entry, call_text_end(text, call), ns);
		check_who(&story, ns);
		check_waker(call, &story);
		nr++;
		busy += story.nr > 1;
		waits += story.woken;
	}
	assert_true(nr > 100 && busy > 10 && waits > 100);
	call_text_free(text);
	call_window_free(window);
}

static void long_ones_are_looked_at_in_part(void **state)
{
	const struct call_window_options how = { .trace = trace, .types = types };
	const struct away_options options = { .trace = trace, .types = types, .max_records = 700 };
	struct call_window *window = call_window_new(&how);
	struct call_text *text = call_text_new(trace, 0, 0);
	const struct call_tree *tree;
	unsigned int cut = 0;

	(void)state;
	call_window_seek(window, 0);
	while (call_window_work(window, 1000000000))
		;
	tree = call_window_tree(window);
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);
		struct away_story story;
		uint64_t sum = 0;

		if (call->kind != CALL_AWAY)
			continue;
		away_story_tell(&options, call, call_text_start(text, call), &story);
		for (unsigned int i = 0; i < story.nr; i++)
			sum += story.who[i].ns;
		assert_true(story.cut ? sum < call_duration(call) : sum <= call_duration(call));
		cut += story.cut;
	}
	assert_true(cut > 5);
	call_text_free(text);
	call_window_free(window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_time_off_the_cpu),
		cmocka_unit_test(long_ones_are_looked_at_in_part),
	};
	const char *data = getenv("FTOP_TEST_DATA"), *paths[1];
	struct trace_options options = { .nr_workers = 1, .hold_permille = -1 };
	char path[4096];
	int failed;

	snprintf(path, sizeof(path), "%s/good/cpu4/trace.dat", data ? data : "tests/data");
	paths[0] = path;
	trace = trace_open(paths, 1, false, &options, NULL);
	if (!trace)
		return 1;
	trace_wait(trace);
	types = graph_types_new(trace, 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	graph_types_free(types);
	trace_close(trace);
	return failed;
}
