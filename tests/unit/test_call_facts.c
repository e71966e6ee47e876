/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_facts: what is asked while the worker is at it, and threads that ask.  Whether the figures are right is
 * tests/filter_calls.py's, beside the oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "src/call_facts.h"
#include "src/call_tree.h"
#include "src/filter_program.h"
#include "src/memory.h"
#include "src/trace_private.h"
#include "src/value_sets.h"

static const char *path_of_trace(void)
{
	static char path[512];
	const char *data = getenv("FTOP_TEST_DATA");

	snprintf(path, sizeof(path), "%s/good/fgraph-depth/trace.dat", data ? data : "tests/data");
	return path;
}

static struct trace *open_it(void)
{
	const struct trace_options options = { .nr_workers = 2, .hold_permille = -1 };
	const char *path = path_of_trace();
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, false, &options, &err);

	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

/* --- a plain pass, for what to ask and what to expect -------------------------------------- */

#define MOST	4000u

static struct ends {
	unsigned int nr;
	struct graph_record records[MOST];	/* exits */
} ends;

static void read_ends(struct trace *trace)
{
	struct graph_types *types = graph_types_new(trace, 0);
	struct graph_reader_options options = { .scope = NULL };
	struct graph_reader *reader = graph_reader_new(trace, types, 0, 0, &options);
	struct graph_record record;

	ends.nr = 0;
	while (ends.nr < MOST && graph_reader_read(reader, &record, 1))
		if (record.kind == GRAPH_EXIT)
			ends.records[ends.nr++] = record;
	graph_reader_free(reader);
	graph_types_free(types);
	assert_true(ends.nr > 1000);
}

static const struct call_under *want(struct call_facts *facts, uint64_t func)
{
	const struct call_under *under;
	struct filter_set set = { 0 };

	filter_set_add(&set, func, func);
	filter_set_sort(&set);
	under = call_facts_want_under(facts, &set);
	assert_ptr_equal(call_facts_want_under(facts, &set), under);	/* not twice */
	filter_set_fini(&set);
	return under;
}

static int64_t moment(const struct trace *trace, const struct graph_record *record)
{
	return trace_clock_file_ts(&trace->streams[record->stream].clock, record->ts);
}

/* A function's own ends lie within its calls; so the first of its names that is asked for says yes for them. */
static void expect_ends(const struct trace *trace, const struct call_under *under, uint64_t func)
{
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];

		if (r->func == func)
			assert_true(call_under_has(under, r->pid, trace->streams[r->stream].cpu, moment(trace, r)));
	}
	assert_false(call_under_has(under, 987654, 0, moment(trace, &ends.records[0])));
}

/* New questions stop the worker; nothing that was asked for is lost. */
static void test_questions_while_it_works(void **state)
{
	struct trace *trace = open_it();
	struct call_facts *facts = call_facts_new(trace, 0);
	const struct call_under *unders[20];
	uint64_t self, net, funcs[20];
	bool any_smaller = false;

	(void)state;
	read_ends(trace);
	assert_true(call_facts_ready(facts));
	call_facts_start(facts);		/* nothing was asked */
	assert_true(call_facts_ready(facts));
	for (unsigned int i = 0; i < 20; i++) {
		const struct graph_record *r = &ends.records[i * 37];

		if (i == 10)
			call_facts_want_figures(facts);
		funcs[i] = r->func;
		unders[i] = want(facts, r->func);
		call_facts_start(facts);
		if (i == 5)
			call_facts_wait(facts);
	}
	call_facts_wait(facts);
	assert_true(call_facts_ready(facts));
	assert_false(call_facts_full(facts));
	for (unsigned int i = 0; i < 20; i++)
		expect_ends(trace, unders[i], funcs[i]);
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];

		assert_true(call_facts_figures(facts, r->stream, r->call, r->ret, r->depth, &self, &net));
		assert_true(self <= r->ret - r->call && net <= r->ret - r->call && self <= net);
		any_smaller |= self < net;
	}
	assert_true(any_smaller);
	assert_false(call_facts_figures(facts, 0, 5, 4, 0, &self, &net));
	call_facts_free(facts);
	trace_close(trace);
}

/* Where it is asked only whether figures are among some numbers, that is told of every end; later questions as well. */
static void test_among(void **state)
{
	static const uint64_t numbers[] = { 5000, 1, 100000, 20000 };
	struct trace *trace = open_it();
	struct call_facts *all = call_facts_new(trace, 0), *facts = call_facts_new(trace, 0);
	struct value_set *sets[4][2][2];
	unsigned int nr_other = 0;

	(void)state;
	read_ends(trace);
	call_facts_want_figures(all);
	call_facts_start(all);
	call_facts_wait(all);
	for (unsigned int s = 0; s < 4; s++) {
		struct filter_set below = { 0 };

		filter_set_add(&below, 0, numbers[s] - 1);
		filter_set_sort(&below);
		for (unsigned int k = 0; k < 4; k++)
			sets[s][k / 2][k % 2] = call_facts_want_among(facts, k / 2 ? CALL_NET : CALL_SELF, &below, k % 2);
		filter_set_fini(&below);
		assert_false(value_set_has_beside(sets[s][0][0], ends.records[0].ref, 0));
		call_facts_start(facts);
		if (s != 1)			/* that one begins anew with those that follow */
			call_facts_wait(facts);
	}
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];
		int64_t duration = (int64_t)(r->ret - r->call);
		uint64_t figures[2];

		assert_true(call_facts_figures(all, r->stream, r->call, r->ret, r->depth, &figures[0], &figures[1]));
		for (unsigned int k = 0; k < 16; k++)
			assert_int_equal(value_set_has_beside(sets[k / 4][k / 2 % 2][k % 2], r->ref, duration),
					 (figures[k / 2 % 2] < numbers[k / 4]) != k % 2);
		nr_other += figures[0] != (uint64_t)duration;
	}
	assert_true(nr_other > 100);
	for (unsigned int k = 0; k < 16; k++)
		value_set_drop(sets[k / 4][k / 2 % 2][k % 2]);
	call_facts_want_figures(facts);
	call_facts_start(facts);
	call_facts_wait(facts);
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];
		uint64_t self, net, is_self, is_net;

		assert_true(call_facts_figures(facts, r->stream, r->call, r->ret, r->depth, &self, &net));
		assert_true(call_facts_figures(all, r->stream, r->call, r->ret, r->depth, &is_self, &is_net));
		assert_true(self == is_self && net == is_net);
	}
	call_facts_free(facts);
	call_facts_free(all);
	trace_close(trace);
}

static void test_given_up(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct trace *trace = open_it();
		struct call_facts *facts = call_facts_new(trace, 0);
		uint64_t self, net;

		call_facts_want_figures(facts);
		assert_false(call_facts_figures(facts, 0, 1, 2, 0, &self, &net));
		call_facts_start(facts);
		if (i & 1 && call_facts_ready(facts))
			assert_true(call_facts_figures(facts, 0, 1, 2, 0, &self, &net));
		call_facts_free(facts);
		trace_close(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_questions_while_it_works),
		cmocka_unit_test(test_among),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
