/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do nothing but call others, under a tracer that takes a known time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/calls/call_cost.h"

#define ENTRY_NS	300u		/* of the tracer, before a call's time begins */
#define EXIT_NS		500u		/* and behind its end */
#define COST		(ENTRY_NS + EXIT_NS)

struct maker {
	struct call_tree *tree;
	uint64_t	 now;
	int		 depth;
	trace_ref	 ref;
	uint64_t	 calls[8];
};

static void add(struct maker *m, enum graph_kind kind, uint64_t call, unsigned int level)
{
	struct graph_record record = { .kind = (uint8_t)kind,
				       .func = 0x1000u + (unsigned int)m->depth, .depth = m->depth,
				       .pid = 7, .ts = m->now, .key = (int64_t)m->now, .call = call,
				       .ret = m->now,
				       .ref = ++m->ref, .level = (uint8_t)level };

	call_tree_add(m->tree, &record);
}

static void enter(struct maker *m, unsigned int level)
{
	m->now += ENTRY_NS;
	add(m, GRAPH_ENTRY, 0, level);
	m->calls[m->depth++] = m->now;
}

static void leave(struct maker *m, unsigned int level)
{
	m->depth--;
	add(m, GRAPH_EXIT, m->calls[m->depth], level);
	m->now += EXIT_NS;
}

/* A call that works for @work ns besides its leaves. */
static void play(struct maker *m, unsigned int leaves, uint64_t work, bool event,
		 unsigned int level)
{
	enter(m, GRAPH_TASK);
	m->now += work;
	for (unsigned int i = 0; i < leaves; i++) {
		enter(m, level);
		m->now += 40;
		leave(m, level);
	}
	if (event) {
		add(m, GRAPH_EVENT, 0, 0);
		m->now += 20;
	}
	leave(m, GRAPH_TASK);
	m->now += 1000;
}

static struct maker begin(void)
{
	const struct call_tree_options options = { .local_clock = true };

	return (struct maker){ .tree = call_tree_new(&options), .now = 1000000 };
}

static uint64_t end(struct maker *m)
{
	uint64_t cost;

	call_tree_end(m->tree);
	call_tree_figures(m->tree);
	cost = call_cost_estimate(m->tree);
	call_tree_free(m->tree);
	return cost;
}

static void what_tracing_takes_is_found(void **state)
{
	struct maker m = begin();

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		play(&m, 1 + i % 5, i % 7 * 900, false, GRAPH_TASK);
	assert_int_equal(end(&m), COST);
}

static void odd_ones_do_not_count(void **state)
{
	struct maker m = begin();

	(void)state;
	for (unsigned int i = 0; i < 300; i++)
		play(&m, 3, 30, false, GRAPH_TASK);
	/* Two of them cannot be: the value that one in a hundred stays below is another. */
	for (unsigned int i = 0; i < 2; i++) {
		enter(&m, GRAPH_TASK);
		enter(&m, GRAPH_TASK);
		m.now += 40;
		m.depth--;
		add(&m, GRAPH_EXIT, m.calls[1], 0);
		leave(&m, GRAPH_TASK);
	}
	assert_int_equal(end(&m), COST + 10);
}

static void what_holds_more_is_left_out(void **state)
{
	struct maker m = begin();

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		play(&m, 2, 100, false, GRAPH_TASK);
	/* An interrupt, an event: their own costs are others. */
	for (unsigned int i = 0; i < 100; i++) {
		play(&m, 1, 0, false, GRAPH_HARDIRQ);
		play(&m, 1, 0, true, GRAPH_TASK);
	}
	assert_int_equal(end(&m), COST + 50);
}

/*
 * Events were lost, the entry was lost, sleep is taken off by the kernel: what tracing took does
 * not show.
 */
static void what_is_not_exact_is_left_out(void **state)
{
	struct maker m = begin();

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		play(&m, 2, 100, false, GRAPH_TASK);
	for (unsigned int i = 0; i < 100; i++) {
		struct graph_record lost = { .kind = GRAPH_LOST, .pid = -1, .ref = ++m.ref };

		enter(&m, GRAPH_TASK);
		enter(&m, GRAPH_TASK);
		leave(&m, GRAPH_TASK);
		lost.ts = lost.ret = m.now;
		lost.key = (int64_t)m.now;
		call_tree_add(m.tree, &lost);
		leave(&m, GRAPH_TASK);

		m.depth++;
		m.calls[0] = m.now;
		enter(&m, GRAPH_TASK);
		leave(&m, GRAPH_TASK);
		leave(&m, GRAPH_TASK);

		enter(&m, GRAPH_TASK);
		m.calls[0] += 10;
		enter(&m, GRAPH_TASK);
		leave(&m, GRAPH_TASK);
		leave(&m, GRAPH_TASK);
	}
	assert_int_equal(end(&m), COST + 50);
}

/*
 * Of @nr calls, in an order that is none, with shares of COST + 1, COST + 2, COST + 3 …: COST + the
 * answer.
 */
static uint64_t rank_of(unsigned int nr)
{
	struct maker m = begin();

	for (unsigned int i = 0; i < nr; i++)
		play(&m, 1, 1 + i * 97 % nr, false, GRAPH_TASK);
	return end(&m) - COST;
}

static void one_in_a_hundred_stays_below(void **state)
{
	(void)state;
	assert_int_equal(rank_of(50), 1);
	assert_int_equal(rank_of(99), 1);
	assert_int_equal(rank_of(100), 1);
	assert_int_equal(rank_of(101), 2);
	assert_int_equal(rank_of(200), 2);
	assert_int_equal(rank_of(201), 3);
	assert_int_equal(rank_of(1000), 10);
	assert_int_equal(rank_of(1001), 11);
}

static void few_calls_tell_nothing(void **state)
{
	struct maker m = begin();

	(void)state;
	for (unsigned int i = 0; i < 49; i++)
		play(&m, 1, 0, false, GRAPH_TASK);
	assert_int_equal(end(&m), 0);
	m = begin();
	for (unsigned int i = 0; i < 500; i++)
		play(&m, 0, 50, false, GRAPH_TASK);
	assert_int_equal(end(&m), 0);
	m = begin();
	assert_int_equal(end(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_tracing_takes_is_found),
		cmocka_unit_test(odd_ones_do_not_count),
		cmocka_unit_test(what_holds_more_is_left_out),
		cmocka_unit_test(what_is_not_exact_is_left_out),
		cmocka_unit_test(one_in_a_hundred_stays_below),
		cmocka_unit_test(few_calls_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
