/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of random windows beside sums over all states, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/sched/pyramid.h"
#include "tests/lib/gen_trace.h"

#define MAX_COLUMNS	300u

/* --- the slow way ------------------------------------------------------------------ */

struct list {
	struct pyramid_state *states;	/* with the ends that the next one gives them */
	uint32_t	 nr, cap;
	int64_t		 end;
};

static void list_add(struct list *l, int64_t ts, unsigned int kind, uint32_t arg, bool again,
		     enum pyramid_end end)
{
	if (l->nr) {
		struct pyramid_state *last = &l->states[l->nr - 1];

		ts = ts > last->from ? ts : last->from;
		last->to = ts;
		if (end == PYRAMID_DROPPED)
			last->kind = 0;
		last->doubtful = end == PYRAMID_DOUBTFUL;
	}
	mem_grow(&l->states, l->nr, &l->cap);
	l->states[l->nr++] = (struct pyramid_state){
		.from = ts, .to = ts, .arg = arg, .kind = (uint8_t)kind, .again = again
	};
}

static void list_end(struct list *l, int64_t end)
{
	l->end = end;
	if (l->nr && end > l->states[l->nr - 1].from)
		l->states[l->nr - 1].to = end;
}

struct slow {
	struct pyramid_sum sum;
	uint64_t	best;		/* time of kind 1 of sum.top */
	uint64_t	busy;
};

static struct slow slow_sum(const struct list *l, int64_t from, int64_t to, uint32_t nr_args)
{
	uint64_t *by_arg = calloc(nr_args, sizeof(*by_arg));
	struct slow slow = { 0 };

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct pyramid_state *s = &l->states[i];
		uint8_t kind = s->doubtful ? PYRAMID_DOUBT : s->kind;
		int64_t a = s->from > from ? s->from : from, b = s->to < to ? s->to : to;
		bool begins = s->from >= from && s->from < to;

		if (!begins && !(s->from < from && s->to > from && from < to))
			continue;
		slow.sum.touched |= (uint8_t)(1u << kind);
		if (!begins) {
			slow.sum.carried = true;
			slow.sum.carried_kind = kind;
			slow.sum.carried_arg = s->arg;
		}
		slow.sum.last_kind = kind;
		slow.sum.last_arg = s->arg;
		slow.sum.goes_on = s->to > to;
		if (begins)
			slow.sum.kinds |= (uint8_t)(1u << kind);
		if (begins && !s->again)
			slow.sum.begun[kind]++;
		if (kind && kind <= PYRAMID_TIMED)
			slow.sum.ns[kind] += (uint64_t)(b - a);
		if (kind == 1)
			by_arg[s->arg] += (uint64_t)(b - a);
	}
	for (uint32_t i = 0; i < nr_args; i++) {
		slow.busy += by_arg[i];
		if (by_arg[i] > slow.best) {
			slow.best = by_arg[i];
			slow.sum.top = i;
		}
	}
	free(by_arg);
	return slow;
}

static void assert_sum(const struct pyramid_sum *got, const struct slow *slow, bool votes)
{
	assert_memory_equal(got->ns, slow->sum.ns, sizeof(got->ns));
	assert_memory_equal(got->begun, slow->sum.begun, sizeof(got->begun));
	assert_int_equal(got->kinds, slow->sum.kinds);
	assert_int_equal(got->touched, slow->sum.touched);
	assert_int_equal(got->carried, slow->sum.carried);
	assert_int_equal(got->carried_kind, slow->sum.carried_kind);
	assert_int_equal(got->carried_arg, slow->sum.carried_arg);
	assert_int_equal(got->goes_on, slow->sum.goes_on);
	assert_int_equal(got->last_kind, slow->sum.last_kind);
	assert_int_equal(got->last_arg, slow->sum.last_arg);
	if (votes && slow->best * 2 > slow->busy) {
		assert_int_equal(got->top, slow->sum.top);
		assert_true(got->weight > 0);
	}
	assert_true(got->weight <= slow->best || !slow->best);
}

/* --- both ----------------------------------------------------------------------------- */

struct subject {
	struct gen_random random;
	struct pyramid	 pyramid;
	struct list	 list;
	uint32_t	 nr_args;
};

static uint32_t below(struct subject *s, uint32_t n)
{
	return gen_random_below(&s->random, n);
}

/* Lengths of all sizes, bursts of none. */
static int64_t some_length(struct subject *s)
{
	switch (below(s, 8)) {
	case 0:
		return 0;
	case 1:
		return below(s, 1u << 30);
	case 2:
		return below(s, 1000) ? below(s, 1u << 20) : INT64_C(1) << 36;
	default:
		return below(s, 5000);
	}
}

static uint64_t bytes_of(const struct pyramid *p)
{
	const struct pyramid_chunks *c = p->cap_bytes ? p->chunks : NULL;
	uint64_t bytes = p->cap_bytes + (c ? c->cap * sizeof(*c->list) : 0);

	for (unsigned int i = 0; c && c->levels && i < PYRAMID_LEVELS; i++)
		bytes += (uint64_t)c->levels[i].cap * sizeof(*c->levels[i].votes);
	return bytes;
}

static void make(struct subject *s, uint64_t seed, uint32_t nr)
{
	int64_t ts = 1000000;
	uint64_t grown = 0;
	uint32_t burst = 0;		/* states at one time, over the ends of chunks */

	*s = (struct subject){ .nr_args = 1 + (uint32_t)(seed % 40) * 9,
			       .pyramid.votes = seed % 5 > 0 };
	gen_random_init(&s->random, seed);
	for (uint32_t i = 0; i < nr; i++) {
		unsigned int kind = below(s, 3) ? 1 : below(s, PYRAMID_KINDS);
		enum pyramid_end end = !below(s, 20) ? PYRAMID_DROPPED + below(s, 2) : PYRAMID_SURE;
		bool again = !below(s, 5), back = !below(s, 100);
		uint32_t arg = kind == 1   ? below(s, s->nr_args) :
			       below(s, 2) ? below(s, 0x7fffffff) :
					     0;

		if (!burst && !below(s, 60))
			burst = below(s, 150);
		if (burst)
			burst--;
		else
			ts += some_length(s);
		grown += pyramid_add(&s->pyramid, back ? ts - 500 : ts, kind, arg, again, end);
		list_add(&s->list, back ? ts - 500 : ts, kind, arg, again, end);
	}
	list_end(&s->list, ts + below(s, 3) * 1000);
	if (nr && !below(s, 4)) {
		pyramid_doubt_last(&s->pyramid, true);
		s->list.states[s->list.nr - 1].doubtful = true;
	}
	assert_int_equal(grown, bytes_of(&s->pyramid));
}

static void unmake(struct subject *s)
{
	pyramid_fini(&s->pyramid);
	free(s->list.states);
}

/* Around a state, at whose edges things go wrong, or anywhere. */
static int64_t some_time(struct subject *s)
{
	const struct pyramid_state *state = s->list.nr ? &s->list.states[below(s, s->list.nr)] :
							 NULL;

	if (!state)
		return below(s, 5000000);
	return below(s, 2) ? state->from + (int64_t)below(s, 3) - 1 :
			     state->from +
				     (int64_t)(gen_random_u64(&s->random) %
					       (uint64_t)(s->list.end - state->from + 1000)) -
				     500;
}

static void check_columns(struct subject *s, int64_t from, int64_t width, unsigned int nr)
{
	int64_t edges[MAX_COLUMNS + 1];
	struct pyramid_sum sums[MAX_COLUMNS];

	for (unsigned int i = 0; i <= nr; i++)
		edges[i] = from + width * i;
	pyramid_columns(&s->pyramid, s->list.end, edges, nr, sums);
	for (unsigned int i = 0; i < nr; i++) {
		struct slow slow = slow_sum(&s->list, edges[i], edges[i + 1], s->nr_args);

		assert_sum(&sums[i], &slow, s->pyramid.votes);
	}
}

static void columns_are_exact(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 63, 64, 65, 128, 129, 512, 700, 4096, 5000 };

	(void)state;
	for (uint64_t seed = 0; seed < 48; seed++) {
		uint32_t nr = sizes[seed % (sizeof(sizes) / sizeof(sizes[0]))];
		struct subject s;

		make(&s, seed, nr);
		for (unsigned int i = 0; i < 12; i++) {
			int64_t from = some_time(&s), span = some_time(&s) - from;
			unsigned int columns = 1 + below(&s, nr > 1000 ? 20 : 60);

			if (span < 0) {
				from += span;
				span = -span;
			}
			check_columns(&s, from, span / columns ? span / columns : 1, columns);
		}
		/* All of it, as one column and as many. */
		if (s.list.nr) {
			int64_t first = s.list.states[0].from, all = s.list.end - first;

			check_columns(&s, first - 10, all + 20, 1);
			check_columns(&s, first, all / 100 ? all / 100 : 1, 101);
		}
		unmake(&s);
	}
}

/* Windows from some time on are as before, now and when more was added. */
static void windows_outlive_forgetting(void **state)
{
	uint64_t bytes = 0, left = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		int64_t at = INT64_MIN;
		struct subject s;

		make(&s, seed, 100 + (uint32_t)seed * 90);
		for (unsigned int i = 0; i < 3; i++) {
			int64_t to = some_time(&s), ts = s.pyramid.last;

			at = at < to ? to : at;
			bytes += s.pyramid.nr_bytes;
			pyramid_forget(&s.pyramid, at);
			left += s.pyramid.nr_bytes;
			for (unsigned int k = 0; k < 6; k++) {
				int64_t from = some_time(&s);
				unsigned int columns = 1 + below(&s, 40);

				from = from < at ? at : from;
				check_columns(&s, from, below(&s, 1u << 20), columns);
			}
			for (unsigned int k = 0; k < 200; k++) {
				ts += some_length(&s);
				pyramid_add(&s.pyramid, ts, 1, k % s.nr_args, false, PYRAMID_SURE);
				list_add(&s.list, ts, 1, k % s.nr_args, false, PYRAMID_SURE);
			}
			list_end(&s.list, ts);
		}
		unmake(&s);
	}
	assert_true(left < bytes * 3 / 4);
}

static const struct pyramid_state *list_at(const struct list *l, int64_t ts)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (l->states[i].from <= ts && ts < l->states[i].to)
			return &l->states[i];
	return NULL;
}

static void assert_state(const struct pyramid_state *got, const struct pyramid_state *expected)
{
	assert_int_equal(got->from, expected->from);
	assert_int_equal(got->to, expected->to);
	assert_int_equal(got->kind, expected->kind);
	assert_int_equal(got->arg, expected->arg);
	assert_int_equal(got->again, expected->again);
	assert_int_equal(got->doubtful, expected->doubtful);
}

static void states_are_found(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct pyramid_state state;
		struct pyramid_iter it;
		struct subject s;
		uint32_t n = 0;

		make(&s, seed, (uint32_t)seed * 37);
		pyramid_iter_init(&it, &s.pyramid, s.list.end, INT64_MIN);
		while (pyramid_iter_next(&it, &state))
			assert_state(&state, &s.list.states[n++]);
		assert_int_equal(n, s.list.nr);
		for (unsigned int i = 0; i < 300; i++) {
			int64_t ts = some_time(&s);
			const struct pyramid_state *at = list_at(&s.list, ts), *before = NULL;

			assert_int_equal(pyramid_at(&s.pyramid, s.list.end, ts, &state),
					 at != NULL);
			if (at)
				assert_state(&state, at);
			for (uint32_t k = 0; k < s.list.nr && s.list.states[k].from < ts; k++)
				before = &s.list.states[k];
			assert_int_equal(pyramid_before(&s.pyramid, s.list.end, ts, &state),
					 before != NULL);
			if (before)
				assert_state(&state, before);
			/* From there on all others follow. */
			pyramid_iter_init(&it, &s.pyramid, s.list.end, ts);
			if (pyramid_iter_next(&it, &state) && at)
				assert_state(&state, at);
		}
		unmake(&s);
	}
}

static void check_found(struct subject *s, int64_t ts, bool next, const struct pyramid_find *find)
{
	const struct pyramid_state *expected = NULL;
	struct pyramid_state state;
	bool found = (next ? pyramid_find_next : pyramid_find_before)(&s->pyramid, s->list.end, ts,
								      find, &state);

	for (uint32_t k = 0; k < s->list.nr; k++) {
		const struct pyramid_state *t = &s->list.states[k];

		if (!(find->kinds >> t->kind & 1) || t->to - t->from < find->least ||
		    (find->sure && t->doubtful) || (next ? t->from <= ts : t->from >= ts))
			continue;
		if (!next || !expected)
			expected = t;
	}
	assert_int_equal(found, expected != NULL);
	if (found)
		assert_state(&state, expected);
}

static void states_of_a_kind_are_found(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct subject s;

		make(&s, seed, (uint32_t)seed * 53);
		for (unsigned int i = 0; i < 200; i++) {
			const struct pyramid_find find = { 1u << below(&s, PYRAMID_KINDS) |
							   (below(&s, 4) ? 0 : 6),
							   below(&s, 2) ? 0 : below(&s, 100000),
							   below(&s, 2) };

			check_found(&s, some_time(&s), i & 1, &find);
		}
		unmake(&s);
	}
}

/* 1 µs of 10 s is still there. */
static void short_states_mark_their_column(void **unused)
{
	struct pyramid p = { 0 };
	struct pyramid_sum sums[200];
	int64_t edges[201], ts = 0;

	(void)unused;
	for (unsigned int i = 0; i < 100000; i++) {
		pyramid_add(&p, ts, 1, i % 3, false, false);
		ts += 50000;
		if (i == 70000) {
			pyramid_add(&p, ts, 4, 0, false, false);
			ts += 1000;
		}
		pyramid_add(&p, ts, 2, 0, false, false);
		ts += 50000;
	}
	for (unsigned int i = 0; i <= 200; i++)
		edges[i] = ts / 200 * i;
	pyramid_columns(&p, ts, edges, 200, sums);
	for (unsigned int i = 0; i < 200; i++)
		assert_int_equal(sums[i].touched >> 4 & 1, i == 140);
	assert_int_equal(sums[140].ns[4], 1000);
	pyramid_fini(&p);
}

/* Of many tasks there is one pyramid each, of a few states. */
static void few_states_take_few_bytes(void **unused)
{
	struct pyramid p = { 0 };
	uint64_t bytes = 0;

	(void)unused;
	for (unsigned int i = 0; i < 4; i++)
		bytes += pyramid_add(&p, 10000 * i, 1 + i % 2, 1000 * i, false, PYRAMID_SURE);
	assert_in_range(sizeof(p) + bytes, p.nr_bytes, 96);
	pyramid_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_exact),
		cmocka_unit_test(windows_outlive_forgetting),
		cmocka_unit_test(states_are_found),
		cmocka_unit_test(states_of_a_kind_are_found),
		cmocka_unit_test(short_states_mark_their_column),
		cmocka_unit_test(few_states_take_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
