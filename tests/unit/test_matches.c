/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows a stack of filters keeps, beside a list of all rows that are looked at one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/byte_reader.h"
#include "src/matches.h"
#include "src/trace_private.h"
#include "src/workers.h"
#include "tests/lib/fake_filter.h"
#include "tests/lib/model_checks.h"

#define MAX_STACK	4u
#define ENOUGH_NS	5000000000ll

/* --- the naive list ------------------------------------------------------------- */

struct expected {
	size_t	*rows;			/* owned: of the oracle, ascending */
	size_t	 nr, events;
};

static bool is_in(int value, const int *list, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return !nr;
}

static bool naive_match(const struct subject *s, const struct oracle_row *row, const char *text)
{
	int cpu = trace_stream_info(s->trace, row->stream).cpu;
	const struct gen_event *event = row->event;
	struct fake_words w;

	fake_words_parse(&w, text);
	if (!is_in(cpu, w.cpus, w.nr_cpus))
		return false;
	if (row->kind == TRACE_ROW_LOST)
		return w.lost;
	if (!is_in(event->type, w.types, w.nr_types) || !is_in(event->pid, w.pids, w.nr_pids))
		return false;
	if (w.modulus) {
		uint32_t seq;

		if (event->type != GEN_TYPE_TICK)
			return false;
		memcpy(&seq, event->payload + 8, sizeof(seq));
		if (s->gen->options.layout.big_endian)
			seq = __builtin_bswap32(seq);
		if (seq % w.modulus != w.rest)
			return false;
	}
	return !w.has_time || ((int64_t)row->ts >= w.from && (int64_t)row->ts <= w.to);
}

static void expected_init(struct expected *e, const struct subject *s, const char *const *texts, unsigned int nr)
{
	*e = (struct expected){ .rows = mem_array(s->oracle.nr + 1, sizeof(*e->rows)) };
	for (size_t i = 0; i < s->oracle.nr; i++) {
		bool all = true;

		for (unsigned int k = 0; k < nr && all; k++)
			all = naive_match(s, &s->oracle.rows[i], texts[k]);
		if (!all)
			continue;
		e->rows[e->nr++] = i;
		e->events += s->oracle.rows[i].kind == TRACE_ROW_EVENT;
	}
}

/* The first of the expected rows at or behind a row. */
static size_t expected_at(const struct expected *e, size_t row)
{
	size_t lo = 0, hi = e->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->rows[mid] < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static trace_ref row_ref(const struct subject *s, size_t row)
{
	return oracle_ref(&s->oracle.rows[row]);
}

/* --- checks ---------------------------------------------------------------------- */

static void check_cursor(struct subject *s, struct matches *m, const struct expected *e, unsigned int rounds)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;
	size_t nr = 0;

	trace_cursor_only_matches(cursor, m);
	trace_cursor_seek(cursor, trace_first(s->trace));
	for (; trace_cursor_next(cursor, &event); nr++) {
		assert_true(nr < e->nr);
		assert_row(s, &event, e->rows[nr]);
		assert_true(matches_test(m, &event));
	}
	assert_false(trace_cursor_is_later(cursor));
	assert_int_equal(nr, e->nr);
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (; trace_cursor_prev(cursor, &event); nr--) {
		assert_true(nr > 0);
		assert_row(s, &event, e->rows[nr - 1]);
	}
	assert_int_equal(nr, 0);
	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t row = gen_random_below(&s->random, s->oracle.nr), at = expected_at(e, row);

		trace_cursor_seek(cursor, row_ref(s, row));
		for (unsigned int k = 0; k < 20; k++) {
			if (gen_random_one_in(&s->random, k < 10 ? 2 : 5)) {
				assert_int_equal(trace_cursor_next(cursor, &event), at < e->nr);
				if (at < e->nr)
					assert_row(s, &event, e->rows[at++]);
			} else {
				assert_int_equal(trace_cursor_prev(cursor, &event), at > 0);
				if (at > 0)
					assert_row(s, &event, e->rows[--at]);
			}
		}
	}
	trace_cursor_free(cursor);
}

static void check_next(struct subject *s, struct matches *m, const struct expected *e, unsigned int rounds)
{
	trace_ref found;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t row = gen_random_below(&s->random, s->oracle.nr), at = expected_at(e, row);
		size_t next = at + (at < e->nr && e->rows[at] == row);
		uint64_t ts = s->oracle.rows[row].key + gen_random_below(&s->random, 3) - 1;
		size_t by_time = 0;

		assert_int_equal(matches_next(m, row_ref(s, row), true, &found), next < e->nr ? MATCHES_FOUND : MATCHES_NONE);
		assert_int_equal(found, next < e->nr ? row_ref(s, e->rows[next]) : TRACE_REF_NONE);
		assert_int_equal(matches_next(m, row_ref(s, row), false, &found), at > 0 ? MATCHES_FOUND : MATCHES_NONE);
		assert_int_equal(found, at > 0 ? row_ref(s, e->rows[at - 1]) : TRACE_REF_NONE);
		while (by_time < e->nr && s->oracle.rows[e->rows[by_time]].key < ts)
			by_time++;
		assert_int_equal(matches_seek_time(m, (int64_t)ts, &found), by_time < e->nr ? MATCHES_FOUND : MATCHES_NONE);
		assert_int_equal(found, by_time < e->nr ? row_ref(s, e->rows[by_time]) : TRACE_REF_NONE);
	}
	assert_int_equal(matches_next(m, TRACE_REF_NONE, true, &found), e->nr ? MATCHES_FOUND : MATCHES_NONE);
	assert_int_equal(found, e->nr ? row_ref(s, e->rows[0]) : TRACE_REF_NONE);
	assert_int_equal(matches_next(m, TRACE_REF_NONE, false, &found), e->nr ? MATCHES_FOUND : MATCHES_NONE);
	assert_int_equal(found, e->nr ? row_ref(s, e->rows[e->nr - 1]) : TRACE_REF_NONE);
}

static void check_numbers(struct subject *s, struct matches *m, const struct expected *e, unsigned int rounds)
{
	bool exact = false;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t row = gen_random_below(&s->random, s->oracle.nr);

		assert_int_equal(matches_rank(m, row_ref(s, row), &exact), expected_at(e, row));
		assert_true(exact);
		if (e->nr) {
			size_t nr = i == 0 ? 0 : i == 1 ? e->nr - 1 : gen_random_below(&s->random, e->nr);

			assert_int_equal(matches_select(m, nr, &exact), row_ref(s, e->rows[nr]));
			assert_true(exact);
		}
	}
	assert_int_equal(matches_select(m, UINT64_MAX, &exact), e->nr ? row_ref(s, e->rows[e->nr - 1]) : TRACE_REF_NONE);
}

static void check_counts(struct subject *s, struct matches *m, const struct expected *e)
{
	struct matches_status status = matches_status(m);
	uint64_t bins[50], hits = 0, streams = 0;
	int64_t first, last;

	assert_true(status.exact);
	assert_int_equal(status.permille, 1000);
	assert_int_equal(status.rows, e->nr);
	assert_int_equal(status.events, e->events);
	for (unsigned int i = 0; i < trace_nr_streams(s->trace); i++) {
		uint64_t nr = 0;

		for (size_t k = 0; k < e->nr; k++)
			nr += s->oracle.rows[e->rows[k]].stream == i && s->oracle.rows[e->rows[k]].kind == TRACE_ROW_EVENT;
		assert_int_equal(matches_stream_events(m, i), nr);
		streams += nr;
	}
	assert_int_equal(streams, e->events);
	if (!trace_span(s->trace, &first, &last) || !matches_active(m))
		return;
	matches_density(m, first - 1000000, last + 1000000, 50, bins);
	for (unsigned int i = 0; i < 50; i++)
		hits += bins[i];
	assert_int_equal(hits, e->nr);
}

static void check_types(struct subject *s, struct matches *m, const struct expected *e)
{
	uint64_t by_type[65536] = { 0 };
	struct trace_type_count *counts;
	unsigned int nr;
	bool exact;

	free((matches_type_counts(m, &counts, &exact), counts));
	matches_wait(m);
	nr = matches_type_counts(m, &counts, &exact);
	assert_true(exact);
	for (size_t i = 0; i < e->nr; i++)
		if (s->oracle.rows[e->rows[i]].kind == TRACE_ROW_EVENT)
			by_type[s->oracle.rows[e->rows[i]].event->type]++;
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(counts[i].events, by_type[counts[i].id]);
		by_type[counts[i].id] = 0;
	}
	for (int i = 0; i < 65536; i++)
		assert_int_equal(by_type[i], 0);
	free(counts);
}

static void check_matches(struct subject *s, struct matches *m, const struct expected *e, unsigned int rounds)
{
	check_counts(s, m, e);
	check_cursor(s, m, e, rounds);
	check_next(s, m, e, rounds);
	check_numbers(s, m, e, rounds);
}

/* --- random filters --------------------------------------------------------------- */

/* Random words behind those that are there, which they do not repeat. */
static void random_filter(struct subject *s, char *text, size_t size)
{
	static const int types[] = { GEN_TYPE_TICK, GEN_TYPE_TEXT, GEN_TYPE_BARE, 1001, GEN_TYPE_PRINT, 7 };
	struct gen_random *r = &s->random;
	size_t len = strlen(text);

	if (!strstr(text, "type=") && gen_random_one_in(r, 3))
		len += snprintf(text + len, size - len, "type=%d,%d ", types[gen_random_below(r, 6)], types[gen_random_below(r, 6)]);
	if (!strstr(text, "pid=") && gen_random_one_in(r, 3))
		len += snprintf(text + len, size - len, "pid=%u,%u ", gen_random_below(r, 40) * 25, gen_random_below(r, 40) * 25);
	if (!strstr(text, "seq=") && gen_random_one_in(r, 3)) {
		uint32_t modulus = 1 + gen_random_below(r, 60);

		len += snprintf(text + len, size - len, "seq=%u/%u ", modulus, gen_random_below(r, modulus));
	}
	if (!strstr(text, "cpu=") && gen_random_one_in(r, 5))
		len += snprintf(text + len, size - len, "cpu=%u,%u ", gen_random_below(r, 5), gen_random_below(r, 5));
	if (!strstr(text, "time=") && gen_random_one_in(r, 5) && s->oracle.nr) {
		uint64_t a = s->oracle.rows[gen_random_below(r, s->oracle.nr)].ts;
		uint64_t b = s->oracle.rows[gen_random_below(r, s->oracle.nr)].ts;

		len += snprintf(text + len, size - len, "time=%llu-%llu ", (unsigned long long)(a < b ? a : b),
				(unsigned long long)(a < b ? b : a));
	}
	if (!strstr(text, "lost") && gen_random_one_in(r, 3))
		snprintf(text + len, size - len, "lost ");
}

static struct gen_options random_options(unsigned int seed)
{
	struct gen_options options = {
		.seed = 700 + seed, .layout = { seed % 5 == 4 ? 65536 : 4096, seed % 7 == 3 ? 4 : 8, seed % 3 == 2 },
		.nr_cpus = 1 + seed % 5, .pages = seed % 5 == 4 ? 20 : seed % 2 ? 90 : 1500, .records = seed % 2 ? 0 : 6,
		.features = seed % 4 == 0 ? GEN_PLAIN : seed % 4 == 1 ? GEN_ALL : GEN_ALL & ~(GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS),
	};

	return options;
}

/* --- tests -------------------------------------------------------------------------- */

/* Stacks of random filters, as they come and go. */
static void check_stacks(struct subject *s, struct matches *m, unsigned int rounds)
{
	struct match_filter *handles[MAX_STACK] = { 0 };
	char texts[MAX_STACK][200];

	for (unsigned int i = 0; i < MAX_STACK; i++) {
		texts[i][0] = '\0';
		random_filter(s, texts[i], sizeof(texts[i]));
		handles[i] = matches_add(m, fake_filter(s->trace, texts[i]));
	}
	for (unsigned int round = 0; round < rounds; round++) {
		struct match_filter *stack[MAX_STACK];
		const char *used[MAX_STACK];
		unsigned int change = gen_random_below(&s->random, MAX_STACK), nr = 0;
		struct expected e;

		for (unsigned int i = 0; i < MAX_STACK; i++) {
			if (!gen_random_one_in(&s->random, 2))
				continue;
			used[nr] = texts[i];
			stack[nr++] = handles[i];
		}
		matches_use(m, stack, nr);
		assert_int_equal(matches_active(m), nr > 0);
		if (gen_random_one_in(&s->random, 2))
			matches_focus(m, (int64_t)(s->oracle.nr ? s->oracle.rows[gen_random_below(&s->random, s->oracle.nr)].key : 0));
		if (gen_random_one_in(&s->random, 3))	/* the next one comes while workers are at this one */
			goto next;
		if (!gen_random_one_in(&s->random, 3))
			matches_wait(m);
		if (!nr)
			goto next;
		expected_init(&e, s, used, nr);
		check_cursor(s, m, &e, 3);
		matches_wait(m);
		check_matches(s, m, &e, 10);
		check_types(s, m, &e);
		free(e.rows);
next:
		/* One more is typed: it goes on from the former one, or is another. */
		if (gen_random_one_in(&s->random, 2)) {
			struct match_filter *old = handles[change];

			if (gen_random_one_in(&s->random, 2))
				texts[change][0] = '\0';
			random_filter(s, texts[change], sizeof(texts[change]));
			handles[change] = matches_add(m, fake_filter(s->trace, texts[change]));
			matches_drop(m, old);
		}
	}
	for (unsigned int i = 0; i < MAX_STACK; i++)
		matches_drop(m, handles[i]);
}

static void test_stacks_are_what_a_naive_list_is(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < 20; seed++) {
		struct gen_options options = random_options(seed);
		struct matches *m;
		struct subject s;

		subject_open(&s, &options, seed % 2 ? 7 : 6, seed % 4 == 3 ? TRACE_ZSTD : seed % 4 == 1 ? TRACE_ZLIB : TRACE_PLAIN,
			     1 + seed % 4, -1);
		m = matches_new(s.trace, MATCHES_BROWSE);
		check_stacks(&s, m, 12);
		matches_free(m);
		subject_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_what_a_naive_list_is),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
