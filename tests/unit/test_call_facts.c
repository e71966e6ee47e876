/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_facts: what is asked while the worker is at it, and threads that ask.  Whether the figures
 * are right is tests/compare/filter_calls.py's, beside the oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "src/base/memory.h"
#include "src/calls/call_facts.h"
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/commands/derived_names.h"
#include "src/filter/derived_values.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/new_filter.h"

static const char *path_of_trace(void)
{
	static char path[512];
	const char *data = getenv("FTOP_TEST_DATA");

	snprintf(path, sizeof(path), "%s/good/cpu4/trace.dat", data ? data : "tests/data");
	return path;
}

static struct trace *open_it(void)
{
	const struct trace_options options = { .nr_workers = 2,
					       .filter_names = derived_names,
					       .hold_permille = -1 };
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
	struct call_figures figures[MOST];	/* of their calls */
} ends;

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	(void)arg;
	for (unsigned int i = 0; i < ends.nr && call_is_timed(call); i++)
		if (ends.records[i].ref == call->exit)
			ends.figures[i] = *figures;
}

static void read_ends(struct trace *trace)
{
	struct graph_types *types = graph_types_new(trace, 0);
	bool away = graph_knows_away(trace, 0, 0);
	struct graph_reader_options options = { .switches = away };
	struct graph_reader *reader = graph_reader_new(trace, types, 0, 0, &options);
	struct call_visitor visitor = { .leave = see_call };
	struct call_tree_options tree_options = { .local_clock = away, .visitor = &visitor };
	struct call_tree *tree = call_tree_new(&tree_options);
	struct graph_record record;

	ends.nr = 0;
	while (graph_reader_read(reader, &record, 1)) {
		if (record.kind == GRAPH_EXIT && ends.nr < MOST)
			ends.records[ends.nr++] = record;
		call_tree_add(tree, &record);
	}
	call_tree_end(tree);
	call_tree_free(tree);
	graph_reader_free(reader);
	graph_types_free(types);
	assert_true(ends.nr > 1000);
}

static struct derived_value *want(struct call_facts *facts, uint64_t func)
{
	struct derived_value *under;
	struct filter_set set = { 0 };

	filter_set_add(&set, func, func);
	filter_set_sort(&set);
	under = call_facts_want(facts, CALL_UNDER, &set);
	assert_ptr_equal(call_facts_want(facts, CALL_UNDER, &set), under);	/* not twice */
	filter_set_fini(&set);
	return under;
}

/* A function's own ends lie within its calls; those of calls that are not below one do not. */
static void expect_ends(struct trace *trace, const struct derived_value *under, uint64_t func)
{
	struct derived_seen seen[DERIVED_SEEN] = { { .of = NULL } };
	unsigned int outside = 0;

	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];
		int cpu = trace_stream_at(trace, trace_ref_stream(r->ref))->cpu;
		bool has = derived_value_covers(under, seen, r->ref,
						trace_task_key(r->pid, (unsigned int)cpu),
						trace_stream_ts(trace, r->stream, r->ts));

		if (r->func == func)
			assert_true(has);
		outside += !has;
	}
	assert_true(outside > 0);
}

/* New questions stop the worker; nothing that was asked for is lost. */
static void test_questions_while_it_works(void **state)
{
	struct trace *trace = open_it();
	struct call_facts *facts = call_facts_new(trace, 0);
	struct derived_value *unders[20];
	uint64_t funcs[20];

	(void)state;
	read_ends(trace);
	assert_true(call_facts_ready(facts));
	call_facts_start(facts);		/* nothing was asked */
	assert_true(call_facts_ready(facts));
	for (unsigned int i = 0; i < 20; i++) {
		const struct graph_record *r = &ends.records[i * 37];

		funcs[i] = r->func;
		unders[i] = want(facts, r->func);
		call_facts_start(facts);
		if (i == 5)
			call_facts_wait(facts);
	}
	call_facts_wait(facts);
	assert_true(call_facts_ready(facts));
	for (unsigned int i = 0; i < 20; i++)
		expect_ends(trace, unders[i], funcs[i]);
	call_facts_free(facts);
	trace_close(trace);
}

/* Both figures, of every end; the second one is asked for with the first, after it, during it. */
static void test_figures(void **state)
{
	(void)state;
	for (unsigned int turn = 0; turn < 3; turn++) {
		struct trace *trace = open_it();
		struct call_facts *facts = call_facts_new(trace, 0);
		struct derived_seen seen[DERIVED_SEEN] = { { .of = NULL } };
		struct derived_value *self = call_facts_want(facts, CALL_SELF, NULL), *net;
		unsigned int nr_other = 0;
		int64_t value;

		read_ends(trace);
		assert_false(derived_value_find(self, seen, ends.records[0].ref, &value));
		if (turn)
			call_facts_start(facts);
		if (turn == 1)
			call_facts_wait(facts);
		net = call_facts_want(facts, CALL_NET, NULL);
		call_facts_start(facts);
		call_facts_wait(facts);
		for (unsigned int i = 0; i < ends.nr; i++) {
			const struct graph_record *r = &ends.records[i];
			const struct call_figures *f = &ends.figures[i];

			assert_int_equal(derived_value_find(self, seen, r->ref, &value),
					 !f->doubtful);
			if (f->doubtful)
				continue;
			assert_int_equal(value, f->self);
			assert_true(derived_value_find(net, seen, r->ref, &value));
			assert_int_equal(value, f->net);
			nr_other += f->self != r->ret - r->call;
		}
		assert_true(nr_other > 100);
		derived_value_drop(self);
		derived_value_drop(net);
		call_facts_free(facts);
		trace_close(trace);
	}
}

/*
 * What filters compute with figures, beside the figures; some ask the same, and the pass begins
 * anew while it is at it.
 */
static void test_computed(void **state)
{
	static const char *const texts[] = { "self * 2 > dur", "self * 2 > dur && depth == 1",
					     "net - self > 1us", "2 * self < net" };
	enum { NR = sizeof(texts) / sizeof(texts[0]) };
	struct trace *trace = open_it();
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct filter *filters[NR];
	struct filter_run *runs[NR];
	unsigned int hits[NR] = { 0 };
	struct trace_event event;

	(void)state;
	read_ends(trace);
	for (unsigned int k = 0; k < NR; k++) {
		filters[k] = new_filter(trace, texts[k]);
		runs[k] = filter_run_new(filters[k]);
	}
	for (unsigned int k = 0; k < NR; k++) {
		filter_wait(filters[k]);
		assert_true(filter_ready(filters[k]));
		assert_null(filter_trouble(filters[k]));
	}
	/* Filters share what they use. */
	assert_int_equal(filter_memory(filters[1]), filter_memory(filters[0]));
	assert_true(filter_memory(filters[2]) > filter_memory(filters[0]));
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct call_figures *f = &ends.figures[i];
		bool is_long = f->self * 2 > f->duration;
		const bool expected[NR] = { is_long, is_long && ends.records[i].depth == 1,
					    !f->no_net && (int64_t)(f->net - f->self) > 1000,
					    !f->no_net && 2 * f->self < f->net };

		trace_cursor_seek(cursor, ends.records[i].ref);
		assert_true(trace_cursor_next(cursor, &event));
		assert_true(event.ref == ends.records[i].ref);
		for (unsigned int k = 0; k < NR; k++) {
			assert_int_equal(filter_run_event(runs[k], &event), expected[k]);
			hits[k] += expected[k];
		}
	}
	for (unsigned int k = 0; k < NR; k++) {
		assert_in_range(hits[k], 1, ends.nr - 1);
		filter_run_free(runs[k]);
		filter_free(filters[k]);
	}
	trace_cursor_free(cursor);
	trace_close(trace);
}

static void test_given_up(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct trace *trace = open_it();
		struct call_facts *facts = call_facts_new(trace, 0);
		struct derived_value *self = call_facts_want(facts, CALL_SELF, NULL);

		call_facts_start(facts);
		if (call_facts_ready(facts))
			assert_true(derived_value_done(self));
		if (i & 1)
			filter_free(new_filter(trace, "self * 2 > dur"));
		call_facts_free(facts);
		trace_close(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_questions_while_it_works),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
