/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window's trees are pieces of the whole's: calls that lie in it have the same figures.  And the
 * slow places that a worker finds are those that a plain look at the whole tree finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/calls/call_text.h"
#include "src/calls/call_window.h"
#include "src/calls/slow_places.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/open_recorded.h"

struct opened {
	struct trace		*trace;
	struct graph_types	*types;
	struct call_window	*whole;
};

static void work(struct call_window *window)
{
	while (call_window_work(window, 1000000))
		;
	assert_true(call_window_is_ready(window));
}

static void open_trace(struct opened *o, const char *name)
{
	struct call_window_options how = { 0 };

	o->trace = open_data(name, 2);
	o->types = graph_types_new(o->trace, 0);
	assert_non_null(o->types);
	how.trace = o->trace;
	how.types = o->types;
	o->whole = call_window_new(&how);
	call_window_seek(o->whole, INT64_MAX);
	work(o->whole);
	assert_true(call_window_at_start(o->whole) && call_window_at_end(o->whole));
}

static void close_trace(struct opened *o)
{
	call_window_free(o->whole);
	graph_types_free(o->types);
	trace_close(o->trace);
}

/* The call with this exit, or NULL. */
static const struct call *find_exit(const struct call_tree *tree, trace_ref exit)
{
	for (uint32_t n = 1; n < call_tree_limit(tree); n++)
		if (call_is_timed(call_tree_call(tree, n)) && call_tree_call(tree, n)->exit == exit)
			return call_tree_call(tree, n);
	return NULL;
}

/* How many calls of the window are whole in it, each with the figures it has in the whole trace. */
static unsigned int compare(const struct opened *o, const struct call_window *window,
			    int64_t *first, int64_t *last)
{
	const struct call_tree *tree = call_window_tree(window),
			       *whole = call_window_tree(o->whole);
	unsigned int nr = 0;

	assert_true(call_window_span(window, first, last));
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n), *other;

		if (call->kind != CALL_CLOSED)
			continue;
		other = find_exit(whole, call->exit);
		assert_non_null(other);
		assert_int_equal(other->kind, CALL_CLOSED);
		assert_int_equal(other->entry, call->entry);
		assert_int_equal(call->start, other->start);
		assert_int_equal(call->end, other->end);
		assert_int_equal(call->self, other->self);
		assert_int_equal(call->net, other->net);
		assert_int_equal(call_tree_function(tree, call->func),
				 call_tree_function(whole, other->func));
		nr++;
	}
	return nr;
}

static void check_windows(const char *name, bool by_pid)
{
	struct opened o;
	int64_t from, to;
	struct gen_random r;

	open_trace(&o, name);
	gen_random_init(&r, 11);
	assert_true(trace_span(o.trace, &from, &to));
	for (unsigned int i = 0; i < (getenv("FTOP_TEST_LONG") ? 12 : 4); i++) {
		struct call_window_options how = { .trace = o.trace, .types = o.types,
						   .by_pid = by_pid, .small_events = 1,
						   .events_before = 300, .records_before = 50,
						   .records_behind = 200 };
		int64_t moment = from + (int64_t)(gen_random_u64(&r) % (uint64_t)(to - from)),
			first, last, first2, last2;
		struct call_window *window;
		unsigned int nr;

		how.pid = by_pid ? 80 : 0;
		window = call_window_new(&how);
		call_window_seek(window, moment);
		work(window);
		nr = compare(&o, window, &first, &last);
		assert_true(call_window_at_end(window) || last >= moment);
		assert_true(call_window_at_start(window) || first < moment);
		/* Both ways, as far as there is anything. */
		for (unsigned int k = 0; call_window_extend(window, true); k++) {
			work(window);
			if (k % 16)	/* it takes its time */
				continue;
			assert_true(compare(&o, window, &first2, &last2) >= nr);
			assert_int_equal(first2, first);
			assert_true(last2 >= last);
			nr = 0;
		}
		assert_true(call_window_at_end(window));
		while (call_window_extend(window, false))
			work(window);
		assert_true(call_window_at_start(window));
		compare(&o, window, &first2, &last2);
		assert_true(first2 <= first);
		call_window_free(window);
	}
	close_trace(&o);
}

static void windows_are_pieces_of_the_whole(void **state)
{
	(void)state;
	check_windows("cpu4", false);
	check_windows("fgraph-depth", false);
	check_windows("cpu4", true);
}

/* While more is read before it, what is shown stays. */
static void the_former_tree_is_shown_meanwhile(void **state)
{
	struct call_window_options how = {
		.small_events = 1, .events_before = 600, .records_before = 10, .records_behind = 200
	};
	const struct call_tree *tree;
	struct call_window *window;
	struct opened o;
	uint64_t version;
	uint32_t nr;

	(void)state;
	open_trace(&o, "cpu4");
	how.trace = o.trace;
	how.types = o.types;
	window = call_window_new(&how);
	call_window_seek(window, 7500000000);
	work(window);
	tree = call_window_tree(window);
	nr = call_tree_nr(tree);
	assert_true(call_window_extend(window, false));
	assert_false(call_window_is_ready(window));
	assert_false(call_window_extend(window, false));
	for (unsigned int i = 0; call_window_work(window, 1); i++) {
		assert_ptr_equal(call_window_tree(window), tree);
		assert_int_equal(call_tree_nr(tree), nr);
		assert_true(i < 100000);
	}
	assert_true(call_window_is_ready(window));
	assert_true(call_tree_nr(call_window_tree(window)) > nr);
	/* Another place at once: the former tree goes when that one is there. */
	version = call_window_version(window);
	call_window_seek(window, 7400000000);
	call_window_seek(window, 7600000000);
	assert_true(call_tree_nr(call_window_tree(window)) > nr);
	work(window);
	assert_true(call_window_version(window) > version);
	call_window_free(window);
	close_trace(&o);
}

static void a_full_window_says_so(void **state)
{
	struct opened o;
	struct call_window_options how = { .max_calls = 500 };
	struct call_window *window;

	(void)state;
	open_trace(&o, "cpu4");
	how.trace = o.trace;
	how.types = o.types;
	window = call_window_new(&how);
	call_window_seek(window, 0);
	work(window);
	assert_true(call_tree_is_full(call_window_tree(window)));
	assert_false(call_window_extend(window, true));
	call_window_free(window);
	close_trace(&o);
}

/* --- slow places -------------------------------------------------------------------------- */

static uint64_t length_of(const struct call *call, bool net)
{
	return !call_is_timed(call) ? 0 : net ? call->net : call_duration(call);
}

static bool reaches(const struct call_tree *tree, uint32_t number, uint64_t threshold, bool net)
{
	for (uint32_t n = call_tree_call(tree, number)->last; n;
	     n = call_tree_call(tree, n)->before)
		if (length_of(call_tree_call(tree, n), net) >= threshold ||
		    reaches(tree, n, threshold, net))
			return true;
	return false;
}

struct expected {
	int64_t		 key;
	trace_ref	 exit;
};

static int in_order(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->exit < y->exit ? -1 : x->exit > y->exit;
}

/* What began before the trace stands at its exit. */
static int64_t place_of(const struct opened *o, const struct call_text *text,
			const struct call *call)
{
	struct trace_event exit;
	int64_t first, last;

	assert_true(trace_span(o->trace, &first, &last));
	assert_true(trace_event_at(o->trace, call->exit, &exit));
	return call_text_start(text, call) < first ? exit.ts : call_text_start(text, call);
}

/* A row stands where its place does; others do at their starts, or where the trace begins. */
static void check_rows(const struct opened *o, const struct slow_places *places, uint64_t threshold)
{
	const struct call_tree *tree = call_window_tree(o->whole);
	struct call_text *text = call_text_new(o->trace, 0, 0);
	int64_t first, last, key;
	trace_ref exit;

	trace_span(o->trace, &first, &last);
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);
		bool place = length_of(call, false) >= threshold &&
			     !reaches(tree, n, threshold, false);
		int64_t start = call_text_start(text, call);

		slow_places_find(places, threshold, call, &key, &exit);
		assert_int_equal(key, place         ? place_of(o, text, call) :
				      start < first ? first :
						      start);
		assert_int_equal(exit,
				 call_is_timed(call) && (place || start >= first) ? call->exit : 0);
	}
	call_text_free(text);
}

static void check_places(struct opened *o, uint64_t threshold, bool net, struct slow_places *places)
{
	const struct call_tree *tree = call_window_tree(o->whole);
	struct expected *expected = calloc(call_tree_limit(tree), sizeof(*expected));
	struct call_text *text = call_text_new(o->trace, 0, 0);
	const struct slow_place *place;
	struct expected here = { INT64_MIN, 0 };
	unsigned int nr = 0, i = 0;

	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);

		if (length_of(call, net) >= threshold && !reaches(tree, n, threshold, net))
			expected[nr++] = (struct expected){ place_of(o, text, call), call->exit };
	}
	qsort(expected, nr, sizeof(*expected), in_order);
	assert_int_equal(slow_places_count(places, threshold), nr);
	for (; (place = slow_places_next(places, threshold, here.key, here.exit, true)); i++) {
		assert_true(i < nr);
		assert_int_equal(place->key, expected[i].key);
		assert_int_equal(place->exit, expected[i].exit);
		here = (struct expected){ place->key, place->exit };
	}
	assert_int_equal(i, nr);
	while (i > 1 && (place = slow_places_next(places, threshold, here.key, here.exit, false))) {
		i--;
		assert_int_equal(place->exit, expected[i - 1].exit);
		here = (struct expected){ place->key, place->exit };
	}
	assert_true(i <= 1);
	call_text_free(text);
	free(expected);
}

static struct slow_places *look(const struct opened *o, bool net, uint32_t max)
{
	struct slow_options options = { .trace = o->trace, .types = o->types, .net = net,
					.workers = trace_workers(o->trace),
					.max_places = max };
	struct slow_places *places = slow_places_new(&options);

	while (!slow_places_are_done(places))
		;
	assert_int_equal(slow_places_permille(places), 1000);
	return places;
}

static void slow_places_are_the_innermost(void **state)
{
	static const char *const traces[] = { "cpu4", "fgraph-depth" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct opened o;

		open_trace(&o, traces[i]);
		for (int net = 0; net < 2; net++) {
			struct slow_places *places = look(&o, net, 0);

			for (uint64_t threshold = 2000; threshold < 2000000000;
			     threshold = threshold * 7 + 7)
				check_places(&o, threshold, net, places);
			if (!net)
				check_rows(&o, places, 10000000);
			slow_places_free(places);
		}
		close_trace(&o);
	}
}

static void marks_that_are_reached(void **state)
{
	struct slow_places *places;
	struct opened o;
	uint64_t mark;

	(void)state;
	open_trace(&o, "cpu4");
	places = look(&o, false, 0);
	mark = slow_places_mark(places, 5);
	assert_true(slow_places_count(places, mark) >= 5);
	assert_true(mark == 1000000000 || slow_places_count(places, mark * 10) < 5);
	assert_int_equal(slow_places_mark(places, 1000000), 0);
	slow_places_free(places);
	/* With room for few the longest are left, and all of them. */
	places = look(&o, false, 50);
	assert_true(slow_places_least(places) > 1000);
	check_places(&o, slow_places_least(places) * 2, false, places);
	slow_places_free(places);
	close_trace(&o);
}

/* Who stops at any moment leaves the workers, and the trace, to who looks next. */
static void looking_can_be_stopped(void **state)
{
	struct slow_options options = { 0 };
	struct slow_places *places;
	struct opened o;

	(void)state;
	open_trace(&o, "cpu4");
	options.trace = o.trace;
	options.types = o.types;
	options.workers = trace_workers(o.trace);
	for (unsigned int i = 0; i < 20; i++) {
		places = slow_places_new(&options);
		/* some before they began, some in the midst of it */
		usleep(i * 200);
		assert_in_range(slow_places_permille(places), 0,
				slow_places_are_done(places) ? 1000 : 999);
		slow_places_free(places);
	}
	slow_places_free(NULL);
	places = look(&o, false, 0);
	check_places(&o, 10000, false, places);
	slow_places_free(places);
	close_trace(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_pieces_of_the_whole),
		cmocka_unit_test(the_former_tree_is_shown_meanwhile),
		cmocka_unit_test(a_full_window_says_so),
		cmocka_unit_test(slow_places_are_the_innermost),
		cmocka_unit_test(marks_that_are_reached),
		cmocka_unit_test(looking_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
