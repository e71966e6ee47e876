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
#include "src/filter/filter_program.h"
#include "src/filter/value_sets.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/new_filter.h"

static const char *path_of_trace(void)
{
	static char path[512];
	const char *data = getenv("FTOP_TEST_DATA");

	snprintf(path, sizeof(path), "%s/good/fgraph-depth/trace.dat", data ? data : "tests/data");
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

static struct value_set *want(struct call_facts *facts, uint64_t func)
{
	struct value_set *under;
	struct filter_set set = { 0 };
	const struct filter_question question = { .number = CALL_UNDER, .numbers = &set };

	filter_set_add(&set, func, func);
	filter_set_sort(&set);
	under = call_facts_want(facts, &question);
	assert_ptr_equal(call_facts_want(facts, &question), under);	/* not twice */
	filter_set_fini(&set);
	return under;
}

/* A function's own ends lie within its calls; those of calls that are not below one do not. */
static void expect_ends(const struct value_set *under, uint64_t func)
{
	struct value_seen seen[VALUE_SEEN] = { { .set = NULL } };
	unsigned int outside = 0;

	for (unsigned int i = 0; i < ends.nr; i++) {
		bool has = value_set_has(under, ends.records[i].ref, seen);

		if (ends.records[i].func == func)
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
	struct value_set *unders[20];
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
		expect_ends(unders[i], funcs[i]);
	call_facts_free(facts);
	trace_close(trace);
}

/*
 * Where it is asked only whether figures are among some numbers, that is told of every end; later
 * questions as well.
 */
static void test_among(void **state)
{
	static const uint64_t numbers[] = { 5000, 1, 100000, 20000 };
	struct trace *trace = open_it();
	struct call_facts *facts = call_facts_new(trace, 0);
	struct value_seen seen[VALUE_SEEN] = { { .set = NULL } };
	struct value_set *sets[4][2][2];
	unsigned int nr_other = 0;

	(void)state;
	read_ends(trace);
	for (unsigned int s = 0; s < 4; s++) {
		struct filter_set below = { 0 };

		filter_set_add(&below, 0, numbers[s] - 1);
		filter_set_sort(&below);
		for (unsigned int k = 0; k < 4; k++)
			sets[s][k / 2][k % 2] = call_facts_want(facts, &(struct filter_question){
				.number = k / 2 ? CALL_NET : CALL_SELF, .numbers = &below,
				.negate = k % 2 });
		filter_set_fini(&below);
		assert_false(value_set_has(sets[s][0][0], ends.records[0].ref, seen));
		call_facts_start(facts);
		if (s != 1)			/* that one begins anew with those that follow */
			call_facts_wait(facts);
	}
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct graph_record *r = &ends.records[i];
		int64_t duration = (int64_t)(r->ret - r->call);
		const uint64_t figures[2] = { ends.figures[i].self, ends.figures[i].net };

		for (unsigned int k = 0; k < 16; k++)
			assert_int_equal(value_set_has(sets[k / 4][k / 2 % 2][k % 2], r->ref, seen),
					 !ends.figures[i].doubtful &&
						 (figures[k / 2 % 2] < numbers[k / 4]) != k % 2);
		nr_other += figures[0] != (uint64_t)duration;
	}
	assert_true(nr_other > 100);
	for (unsigned int k = 0; k < 16; k++)
		value_set_drop(sets[k / 4][k / 2 % 2][k % 2]);
	call_facts_free(facts);
	trace_close(trace);
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
		assert_null(filter_run_trouble(runs[k]));
	}
	/* Held is what a filter keeps, and nothing besides. */
	assert_true(filter_memory(filters[1]) < filter_memory(filters[0]));
	for (unsigned int i = 0; i < ends.nr; i++) {
		const struct call_figures *f = &ends.figures[i];
		bool is_long = f->self * 2 > f->duration;
		const bool expected[NR] = { is_long, is_long && ends.records[i].depth == 1,
					    f->net - f->self > 1000, 2 * f->self < f->net };

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
		struct filter_set some = { 0 };
		struct value_set *set;

		filter_set_add(&some, 0, 1000);
		set = call_facts_want(facts, &(struct filter_question){ .number = CALL_SELF,
									.numbers = &some });
		filter_set_fini(&some);
		call_facts_start(facts);
		if (call_facts_ready(facts))
			assert_true(value_set_done(set));
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
		cmocka_unit_test(test_among),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
