/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks and calls in traces that grow, page by page, in cases made by hand: of some pages only the
 * first records are settled, and events are lost before them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/base/memory.h"
#include "src/calls/graph_records.h"
#include "src/sched/sched.h"
#include "src/sched/task_table.h"
#include "tests/lib/gen_sched.h"
#include "tests/lib/growing.h"

#define MOST	6u
#define PAGES	8u

struct made {				/* a record */
	uint64_t	ts;
	uint16_t	type;		/* GEN_SCHED_SWITCH, _WAKING, _WAKEUP; 0: none */
	int32_t		by, pid;	/* the task that records; switched to, or woken up */
};

struct made_page {
	int		cpu;
	enum gen_lost	lost;		/* before its records */
	struct made	records[MOST];
};

#define SWITCH(ts, from, to)	{ ts, GEN_SCHED_SWITCH, from, to }
#define WAKING(ts, by, pid)	{ ts, GEN_SCHED_WAKING, by, pid }
#define WAKEUP(ts, by, pid)	{ ts, GEN_SCHED_WAKEUP, by, pid }

static const struct gen_layout layout = { 4096, 8, false };

static uint8_t *make_page(const struct made_page *made)
{
	uint8_t *bytes = mem_alloc(layout.page_size), payload[128], body[56];
	struct gen_page page;
	uint64_t last = made->records[0].ts;

	gen_page_begin(&page, &layout, bytes, last);
	for (const struct made *r = made->records; r < made->records + MOST && r->type; r++) {
		int32_t of = r->type == GEN_SCHED_SWITCH ? r->by : r->pid, prio = 120;
		int64_t sleeps = 1;
		uint32_t size = 28;

		memset(body, 0, sizeof(body));
		memcpy(body + 16, &of, 4);
		memcpy(body + 20, &prio, 4);
		if (r->type == GEN_SCHED_SWITCH) {
			memcpy(body + 24, &sleeps, 8);
			memcpy(body + 48, &r->pid, 4);
			memcpy(body + 52, &prio, 4);
			size = sizeof(body);
		} else {
			memcpy(body + 24, &made->cpu, 4);
		}
		size = gen_payload(&layout, payload, r->type, r->by, body, size);
		assert_true(gen_page_record(&page, (uint32_t)(r->ts - last), payload, size, false));
		last = r->ts;
	}
	gen_page_end(&page, made->lost, 0);
	return bytes;
}

/* A recording of these pages, of which none is there yet. */
static void begin(struct growing *g, const struct made_page *made, unsigned int nr, bool is_ring)
{
	struct gen_sched_page pages[PAGES];
	struct gen_sched gen = {
		.options = { .layout = layout, .era = GEN_SCHED_4_14, .nr_cpus = 2 },
		.pages = pages, .nr_pages = nr,
	};
	struct ft_error err = { 0 };
	char path[128];

	for (unsigned int i = 0; i < nr; i++)
		pages[i] = (struct gen_sched_page){ made[i].cpu, make_page(&made[i]) };
	snprintf(path, sizeof(path), "%s/t.dat", growing_dir);
	if (gen_sched_write(&gen, path, &err))
		fail_msg("%s", err.message);
	for (unsigned int i = 0; i < nr; i++)
		free(pages[i].bytes);
	growing_begin(g, path, 1, is_ring);
}

static void end(struct growing *g, struct trace *trace)
{
	output_abort(g->o, true);
	trace_close(trace);
	growing_end(g);
}

/* So many more pages of each CPU, and the trace has them, if it is open. */
static void append(struct growing *g, struct trace *trace, uint64_t of_0, uint64_t of_1)
{
	struct ft_error err = { 0 };

	growing_append(g, 0, of_0);
	growing_append(g, 1, of_1);
	assert_int_equal(output_update(g->o, &err), 0);
	if (trace)
		growing_catch_up(trace);
}

static void drop(struct growing *g, struct trace *trace, unsigned int stream)
{
	struct ft_error err = { 0 };

	growing_drop(g, stream, 1);
	assert_int_equal(output_update(g->o, &err), 0);
	growing_catch_up(trace);
}

static struct sched *follow(struct trace *trace)
{
	struct sched *sched = sched_new(trace, 0, 0);

	sched_wait(sched);
	return sched;
}

/* The task that runs on a CPU then; 0: none, or it is not known. */
static uint32_t runs_at(const struct sched *sched, unsigned int cpu, int64_t ts)
{
	struct pyramid_state state;

	if (!pyramid_at(sched_cpu(sched, cpu), sched_end(sched), ts, &state) ||
	    state.kind != SCHED_CPU_RUNS)
		return 0;
	return sched_rules_task(sched_pass_rules(sched_pass_of(sched)), state.arg)->pid;
}

static void grow(struct sched *sched)
{
	assert_true(sched_grow(sched, SCHED_IN_TRACE));
	sched_wait(sched);
	assert_false(sched_progress(sched).stale);
}

/* --- what a ring has left begins with a loss --------------------------------------------- */

/* CPU 1 decides what is settled: 25, then all. */
static const struct made_page lost_at_first[] = {
	{ 0, GEN_LOST_NONE, { SWITCH(1, 10, 11), SWITCH(2, 11, 10) } },
	{ 0, GEN_LOST_UNKNOWN, { SWITCH(20, 10, 12), SWITCH(30, 12, 13) } },
	{ 0, GEN_LOST_NONE, { SWITCH(40, 13, 14), SWITCH(50, 14, 10) } },
	{ 1, GEN_LOST_NONE, { SWITCH(3, 20, 21), SWITCH(22, 21, 20) } },
	{ 1, GEN_LOST_NONE, { SWITCH(25, 20, 22), SWITCH(60, 22, 20) } },
};

/* A part of the first page is settled, then all of it. */
static struct trace *begin_lost(struct growing *g)
{
	struct trace *trace;

	begin(g, lost_at_first, sizeof(lost_at_first) / sizeof(lost_at_first[0]), true);
	append(g, NULL, 2, 1);
	trace = growing_open();
	growing_catch_up(trace);
	drop(g, trace, 0);
	assert_int_equal(trace_end(trace), 25);
	return trace;
}

static void nothing_is_left_out_of_the_timeline(void **state)
{
	struct growing g;
	struct trace *trace = begin_lost(&g);
	struct sched *sched = follow(trace);

	(void)state;
	append(&g, trace, 1, 1);
	grow(sched);
	assert_int_equal(runs_at(sched, 0, 19), 0);
	assert_int_equal(runs_at(sched, 0, 25), 12);
	assert_int_equal(runs_at(sched, 0, 35), 13);
	assert_int_equal(runs_at(sched, 0, 45), 14);
	assert_int_equal(runs_at(sched, 1, 55), 22);
	sched_free(sched);
	end(&g, trace);
}

/* Return: the switches in a window from 24 on. */
static uint64_t count_switches(struct trace *trace, struct task_table **before)
{
	const struct task_table_options options = { .range = { true, 24, INT64_MAX - 2 } };
	struct task_table *table = task_table_next(before, trace, &options);
	struct task_figures figures = { 0 };
	uint64_t nr = 0;

	task_table_wait(table);
	assert_true(task_table_take(table, &figures));
	for (unsigned int i = 0; i < figures.nr_cpus; i++)
		nr += figures.cpus[i].switches;
	task_figures_fini(&figures);
	task_table_free(*before);
	*before = task_table_park(table);
	task_table_free(table);
	return nr;
}

static void nothing_is_left_out_of_windows(void **state)
{
	struct task_table *before = NULL;
	struct growing g;
	struct trace *trace = begin_lost(&g);

	(void)state;
	assert_int_equal(count_switches(trace, &before), 0);
	append(&g, trace, 1, 1);
	assert_int_equal(count_switches(trace, &before), 5);
	task_table_free(before);
	end(&g, trace);
}

/* --- a gap that ends when something happens elsewhere ------------------------------------ */

/* Of CPU 1 the ring has dropped what was before 40: first a part of the rest is settled. */
static const struct made_page ends_at_once[] = {
	{ 0, GEN_LOST_NONE,
	  { SWITCH(1, 10, 11), SWITCH(35, 11, 10), WAKING(40, 10, 11), SWITCH(40, 10, 11) } },
	{ 0, GEN_LOST_NONE, { SWITCH(50, 11, 10) } },
	{ 1, GEN_LOST_NONE, { SWITCH(2, 20, 21) } },
	{ 1, GEN_LOST_NONE, { SWITCH(40, 21, 20), SWITCH(60, 20, 21) } },
	{ 1, GEN_LOST_NONE, { SWITCH(70, 21, 20) } },
};

/* How many waits of a task are there, and are they sure? */
static unsigned int count_waits(const struct sched *sched, uint32_t pid, bool *sure)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(sched));
	struct pyramid_state state;
	struct pyramid_iter iter;
	unsigned int nr = 0;

	*sure = true;
	pyramid_iter_init(&iter, sched_task(sched, sched_rules_find(rules, pid, INT64_MAX)),
			  sched_end(sched), INT64_MIN);
	while (pyramid_iter_next(&iter, &state)) {
		nr += state.kind == SCHED_WAITS;
		*sure &= state.kind != SCHED_WAITS || !state.doubtful;
	}
	return nr;
}

static void a_wait_behind_a_gap_is_sure(void **state)
{
	struct growing g;
	struct trace *trace;
	struct sched *sched;
	bool sure;

	(void)state;
	begin(&g, ends_at_once, sizeof(ends_at_once) / sizeof(ends_at_once[0]), true);
	append(&g, NULL, 1, 2);
	trace = growing_open();
	growing_catch_up(trace);
	drop(&g, trace, 1);
	assert_int_equal(trace_end(trace), 50);
	sched = follow(trace);
	append(&g, trace, 1, 1);
	grow(sched);
	assert_int_equal(count_waits(sched, 11, &sure), 1);
	assert_true(sure);
	sched_free(sched);
	end(&g, trace);
}

/* --- sched_waking, recorded late --------------------------------------------------------- */

/* A wait that begins with a sched_wakeup behind a loss may have begun with a sched_waking there. */
static const struct made_page woken_late[] = {
	{ 0, GEN_LOST_NONE, { SWITCH(1, 10, 11), SWITCH(10, 11, 10) } },
	{ 0, GEN_LOST_UNKNOWN, { WAKEUP(30, 10, 11), SWITCH(32, 10, 11), SWITCH(40, 11, 10) } },
	{ 0, GEN_LOST_UNKNOWN, { WAKEUP(60, 10, 11), SWITCH(62, 10, 11) } },
	{ 0, GEN_LOST_NONE, { WAKING(70, 11, 12) } },
	{ 1, GEN_LOST_NONE, { SWITCH(2, 20, 21) } },
	{ 1, GEN_LOST_NONE, { SWITCH(50, 21, 20) } },
};

/* How long a task waited in a window from 36 on, and how much of that is doubtful. */
static int64_t sum_waits(struct trace *trace, struct task_table **before, uint32_t pid,
			 int64_t *doubtful)
{
	const struct task_table_options options = { .range = { true, 36, INT64_MAX - 2 } };
	struct task_table *table = task_table_next(before, trace, &options);
	struct task_figures figures = { 0 };
	int64_t waited = 0;

	*doubtful = 0;
	task_table_wait(table);
	assert_true(task_table_take(table, &figures));
	for (uint32_t i = 0; i < figures.nr_tasks; i++) {
		waited += figures.tasks[i].pid == pid ? figures.tasks[i].wait : 0;
		*doubtful += figures.tasks[i].pid == pid ? figures.tasks[i].doubtful_wait : 0;
	}
	task_figures_fini(&figures);
	task_table_free(*before);
	*before = task_table_park(table);
	task_table_free(table);
	return waited;
}

/* @pages: of CPU 0, when the first window is counted.  All is settled up to 50. */
static void check_late(uint64_t pages)
{
	struct task_table *before = NULL;
	struct trace *trace;
	struct growing g;
	int64_t doubtful;

	begin(&g, woken_late, sizeof(woken_late) / sizeof(woken_late[0]), false);
	append(&g, NULL, pages, 1);
	trace = growing_open();
	growing_catch_up(trace);
	assert_int_equal(trace_end(trace), 50);
	assert_int_equal(sum_waits(trace, &before, 11, &doubtful), 0);
	append(&g, trace, 4 - pages, 1);
	assert_int_equal(sum_waits(trace, &before, 11, &doubtful), 2);
	assert_int_equal(doubtful, 2);
	task_table_free(before);
	end(&g, trace);
}

static void waits_are_doubted_as_soon_as_there_is_a_waking(void **state)
{
	(void)state;
	check_late(2);
}

static void waits_are_doubted_when_a_waking_is_settled(void **state)
{
	(void)state;
	check_late(4);
}

/* --- a switch that is missing between pages ---------------------------------------------- */

/* CPU 0 has no switch to 12, between 5 and 20.  What CPU 1 does meanwhile is not sure. */
static const struct made_page misses_switch[] = {
	{ 0, GEN_LOST_NONE, { SWITCH(1, 10, 11), WAKING(5, 11, 19) } },
	{ 0, GEN_LOST_NONE, { WAKING(20, 12, 19), SWITCH(30, 12, 10) } },
	{ 0, GEN_LOST_NONE, { SWITCH(40, 10, 11) } },
	{ 1, GEN_LOST_NONE, { SWITCH(2, 20, 21), SWITCH(10, 21, 20), WAKING(12, 20, 21),
			      SWITCH(15, 20, 21) } },
	{ 1, GEN_LOST_NONE, { SWITCH(25, 21, 20), SWITCH(60, 20, 21) } },
};

static void what_a_missing_switch_doubts_is_not_shown(void **state)
{
	struct growing g;
	struct trace *trace;
	struct sched *sched;
	bool sure;

	(void)state;
	begin(&g, misses_switch, sizeof(misses_switch) / sizeof(misses_switch[0]), false);
	append(&g, NULL, 2, 1);
	trace = growing_open();
	growing_catch_up(trace);
	assert_int_equal(trace_end(trace), 25);
	sched = follow(trace);
	assert_int_equal(sched_end(sched), 4);
	append(&g, trace, 1, 1);
	grow(sched);
	assert_int_equal(runs_at(sched, 1, 3), 21);
	assert_int_equal(count_waits(sched, 21, &sure), 1);
	assert_false(sure);
	sched_free(sched);
	end(&g, trace);
}

/* --- calls before a window that stays where it is ---------------------------------------- */

/* When CPU 0 goes on, it has lost events since 5: before 10, where a reader is parked. */
static const struct made_page lost_before_window[] = {
	{ 0, GEN_LOST_NONE, { SWITCH(1, 10, 11), SWITCH(5, 11, 10) } },
	{ 0, GEN_LOST_UNKNOWN, { SWITCH(30, 10, 11) } },
	{ 1, GEN_LOST_NONE, { SWITCH(2, 20, 21), SWITCH(20, 21, 20) } },
	{ 1, GEN_LOST_NONE, { SWITCH(25, 20, 21) } },
	{ 1, GEN_LOST_NONE, { SWITCH(40, 21, 20) } },
};

static void a_gap_before_the_window_is_noticed(void **state)
{
	const struct graph_reader_options options = { .events = true, .parks = true };
	struct graph_record records[16];
	struct graph_reader *reader;
	struct graph_types *types;
	struct growing g;
	struct trace *trace;

	(void)state;
	begin(&g, lost_before_window, sizeof(lost_before_window) / sizeof(lost_before_window[0]),
	      false);
	append(&g, NULL, 1, 1);
	trace = growing_open();
	growing_catch_up(trace);
	assert_int_equal(trace_end(trace), 25);
	types = graph_types_new(trace, 0);
	reader = graph_reader_new(trace, types, 0, 0, &options);
	assert_true(graph_reader_go_on(reader, 10));
	assert_int_equal(graph_reader_read(reader, records, 16), 3);
	assert_int_equal(graph_reader_read(reader, records, 16), 0);
	assert_false(graph_reader_go_on(reader, 10));
	assert_true(graph_reader_serves(reader, 10));
	append(&g, trace, 1, 1);
	assert_int_equal(trace_end(trace), 40);
	assert_true(graph_reader_go_on(reader, 10));
	assert_int_equal(graph_reader_read(reader, records, 16), 0);
	assert_false(graph_reader_serves(reader, 10));
	graph_reader_free(reader);
	graph_types_free(types);
	end(&g, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left_out_of_the_timeline),
		cmocka_unit_test(nothing_is_left_out_of_windows),
		cmocka_unit_test(a_wait_behind_a_gap_is_sure),
		cmocka_unit_test(waits_are_doubted_as_soon_as_there_is_a_waking),
		cmocka_unit_test(waits_are_doubted_when_a_waking_is_settled),
		cmocka_unit_test(what_a_missing_switch_doubts_is_not_shown),
		cmocka_unit_test(a_gap_before_the_window_is_noticed),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
