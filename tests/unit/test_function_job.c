/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a worker counts in slices is what function_table_new() counts at one go, whatever interrupts
 * it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/functions/function_job.h"
#include "tests/lib/open_recorded.h"

static struct function_table *wait_for(struct function_job *job)
{
	struct function_table *table = NULL;
	bool done;

	do {
		struct function_table *newer;

		done = function_job_permille(job) == 1000;	/* before the last one is taken */
		newer = function_job_take(job);
		if (newer) {
			function_table_free(table);
			table = newer;
		}
	} while (!done);
	assert_non_null(table);
	return table;
}

static void compare(const struct function_table *x, const struct function_table *y)
{
	assert_int_equal(x->nr, y->nr);
	assert_int_equal(x->has_away, y->has_away);
	assert_true(x->whole && y->whole);
	for (unsigned int i = 0; i < x->nr; i++) {
		const struct function_row *a = &x->rows[i], *b = &y->rows[i];
		uint64_t in_bins = 0;

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->total->calls, b->total->calls);
		assert_int_equal(a->total->total, b->total->total);
		assert_int_equal(a->total->self, b->total->self);
		assert_int_equal(a->total->net, b->total->net);
		assert_int_equal(a->total->max, b->total->max);
		assert_int_equal(a->total->unclosed, b->total->unclosed);
		assert_int_equal(a->total->orphans, b->total->orphans);
		assert_int_equal(a->p50, b->p50);
		assert_int_equal(a->p99, b->p99);
		for (unsigned int bin = 0; bin < FUNCTION_BINS; bin++)
			in_bins += a->histogram[bin];
		assert_int_equal(in_bins, a->total->calls);
	}
}

/* The record that is said to end the longest call says that it took so long. */
static void check_worst(struct trace *trace, const struct function_table *table)
{
	struct trace_event event;

	for (unsigned int i = 0; i < table->nr; i++) {
		const struct call_total *total = table->rows[i].total;

		if (!total->calls)
			continue;
		assert_true(trace_event_at(trace, total->worst, &event));
		assert_int_equal(trace_event_duration(&event), total->max);
	}
}

static void test_same(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct function_job *job = function_job_new(trace, 0, NULL, GROUPING_NONE, NULL,
						    trace_workers(trace));
	struct function_table *expected = function_table_new(trace, 0, NULL, true, NULL), *table;

	(void)state;
	function_job_hold(job, true);
	function_job_hold(job, false);
	table = wait_for(job);
	assert_non_null(table->paths);
	assert_int_equal(call_paths_nr(table->paths), call_paths_nr(expected->paths));
	compare(table, expected);
	check_worst(trace, table);
	function_table_free(table);
	function_table_free(expected);
	function_job_free(job);
	trace_close(trace);
}

static void test_groups(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct function_job *job = function_job_new(trace, 0, NULL, GROUPING_NAME, NULL,
						    trace_workers(trace));
	struct function_table *expected = function_table_grouped(trace, 0, NULL, GROUPING_NAME),
			      *table = wait_for(job);

	(void)state;
	assert_null(table->paths);
	assert_true(table->nr > 1);
	compare(table, expected);
	for (unsigned int i = 0; i < table->nr; i++)
		assert_string_equal(table->rows[i].group, expected->rows[i].group);
	function_table_free(table);
	function_table_free(expected);
	function_job_free(job);
	trace_close(trace);
}

static void test_scope(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct graph_scope scope = { .has_from = true, .has_to = true };
	struct function_table *expected, *table;
	struct function_job *job;

	(void)state;
	assert_true(trace_span(trace, &scope.from, &scope.to));
	scope.from += (scope.to - scope.from) / 2;
	job = function_job_new(trace, 0, &scope, GROUPING_NONE, NULL, trace_workers(trace));
	expected = function_table_new(trace, 0, &scope, true, NULL);
	table = wait_for(job);
	assert_true(table->nr > 0);
	compare(table, expected);
	function_table_free(table);
	function_table_free(expected);
	function_job_free(job);
	trace_close(trace);
}

static const struct call_total *total_of(const struct function_table *table, uint64_t address)
{
	for (unsigned int i = 0; table && i < table->nr; i++)
		if (table->rows[i].total->address == address)
			return table->rows[i].total;
	return NULL;
}

/* A range and the rest are the whole, function by function. */
static void test_outside(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct graph_scope scope = { .has_from = true, .has_to = true };
	struct function_table *whole = function_table_new(trace, 0, NULL, false, NULL), *range,
			      *rest;
	int64_t from, to;

	(void)state;
	assert_true(trace_span(trace, &from, &to));
	scope.from = from + (to - from) / 3;
	scope.to = from + (to - from) / 2;
	range = function_table_new(trace, 0, &scope, false, NULL);
	scope.outside = true;
	rest = function_table_new(trace, 0, &scope, false, NULL);
	assert_true(range->nr && rest->nr);
	for (unsigned int i = 0; i < whole->nr; i++) {
		static const struct call_total none;
		const struct call_total *all = whole->rows[i].total,
					*in = total_of(range, all->address),
					*out = total_of(rest, all->address);

		in = in ? in : &none;
		out = out ? out : &none;
		assert_int_equal(all->calls, in->calls + out->calls);
		assert_int_equal(all->total, in->total + out->total);
		assert_int_equal(all->self, in->self + out->self);
		assert_int_equal(all->unclosed, in->unclosed + out->unclosed);
		assert_int_equal(all->max, in->max > out->max ? in->max : out->max);
	}
	function_table_free(whole);
	function_table_free(range);
	function_table_free(rest);
	trace_close(trace);
}

/*
 * Jobs that are given up, wherever they are, leave the workers as they were: the next one counts
 * all.
 */
static void test_stopped(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct function_table *expected = function_table_new(trace, 0, NULL, true, NULL), *table;
	struct function_job *job;

	(void)state;
	for (int i = 0; i < 20; i++) {
		job = function_job_new(trace, 0, NULL, GROUPING_NONE, NULL, trace_workers(trace));
		function_job_hold(job, i % 2);
		function_job_free(job);
	}
	job = function_job_new(trace, 0, NULL, GROUPING_NONE, NULL, trace_workers(trace));
	table = wait_for(job);
	compare(table, expected);
	function_table_free(table);
	function_table_free(expected);
	function_job_free(job);
	trace_close(trace);
}

/* No calls: an empty table, and soon. */
static void test_none(void **state)
{
	struct trace *trace = open_data("sched", 2);
	struct function_job *job = function_job_new(trace, 0, NULL, GROUPING_NONE, NULL,
						    trace_workers(trace));
	struct function_table *table = wait_for(job);

	(void)state;
	assert_int_equal(table->nr, 0);
	function_table_free(table);
	function_job_free(job);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
