/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows a stack of filters keeps, beside a list of all rows that are looked at one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "src/match/matches.h"
#include "src/trace/trace_streams.h"
#include "src/base/workers.h"
#include "tests/lib/fake_filter.h"
#include "tests/lib/model_checks.h"

#define MAX_STACK	4u

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
		if (s->gen->options.layout.big_endian != HOST_BIG_ENDIAN)
			seq = __builtin_bswap32(seq);
		if (seq % w.modulus != w.rest)
			return false;
	}
	return !w.has_time || ((int64_t)row->ts >= w.from && (int64_t)row->ts <= w.to);
}

static void expected_init(struct expected *e, const struct subject *s, const char *const *texts,
			  unsigned int nr)
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

static void check_cursor(struct subject *s, struct matches *m, const struct expected *e,
			 unsigned int rounds)
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

static void check_seeks(struct subject *s, struct matches *m, const struct expected *e,
			unsigned int rounds)
{
	trace_ref found;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t row = gen_random_below(&s->random, s->oracle.nr);
		uint64_t ts = s->oracle.rows[row].key + gen_random_below(&s->random, 3) - 1;
		size_t by_time = 0;

		while (by_time < e->nr && s->oracle.rows[e->rows[by_time]].key < ts)
			by_time++;
		assert_int_equal(matches_seek_time(m, (int64_t)ts, &found),
				 by_time < e->nr ? MATCHES_FOUND : MATCHES_NONE);
		assert_int_equal(found,
				 by_time < e->nr ? row_ref(s, e->rows[by_time]) : TRACE_REF_NONE);
	}
}

static void check_numbers(struct subject *s, struct matches *m, const struct expected *e,
			  unsigned int rounds)
{
	bool exact = false;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t row = gen_random_below(&s->random, s->oracle.nr);

		assert_int_equal(matches_rank(m, row_ref(s, row), &exact), expected_at(e, row));
		assert_true(exact);
	}
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
			nr += s->oracle.rows[e->rows[k]].stream == i &&
			      s->oracle.rows[e->rows[k]].kind == TRACE_ROW_EVENT;
		assert_int_equal(matches_stream_events(m, i), nr);
		streams += nr;
	}
	assert_int_equal(streams, e->events);
	if (!trace_span(s->trace, &first, &last))
		return;
	matches_density(m, first - 1000000, last + 1000000, 50, bins);
	for (unsigned int i = 0; i < 50; i++)
		hits += bins[i];
	assert_int_equal(hits, e->nr);
}

static void check_matches(struct subject *s, struct matches *m, const struct expected *e,
			  unsigned int rounds)
{
	check_counts(s, m, e);
	check_cursor(s, m, e, rounds);
	check_seeks(s, m, e, rounds);
	check_numbers(s, m, e, rounds);
}

/* --- random filters --------------------------------------------------------------- */

/* Random words behind those that are there, which they do not repeat. */
static void random_filter(struct subject *s, char *text, size_t size)
{
	static const int types[] = { GEN_TYPE_TICK, GEN_TYPE_TEXT,  GEN_TYPE_BARE,
				     1001,          GEN_TYPE_PRINT, 7 };
	struct gen_random *r = &s->random;
	size_t len = strlen(text);

	if (!strstr(text, "type=") && gen_random_one_in(r, 3))
		len += snprintf(text + len, size - len, "type=%d,%d ",
				types[gen_random_below(r, 6)], types[gen_random_below(r, 6)]);
	if (!strstr(text, "pid=") && gen_random_one_in(r, 3))
		len += snprintf(text + len, size - len, "pid=%u,%u ", gen_random_below(r, 40) * 25,
				gen_random_below(r, 40) * 25);
	if (!strstr(text, "seq=") && gen_random_one_in(r, 3)) {
		uint32_t modulus = 1 + gen_random_below(r, 60);

		len += snprintf(text + len, size - len, "seq=%u/%u ", modulus,
				gen_random_below(r, modulus));
	}
	if (!strstr(text, "cpu=") && gen_random_one_in(r, 5))
		len += snprintf(text + len, size - len, "cpu=%u,%u ", gen_random_below(r, 5),
				gen_random_below(r, 5));
	if (!strstr(text, "time=") && gen_random_one_in(r, 5) && s->oracle.nr) {
		uint64_t a = s->oracle.rows[gen_random_below(r, s->oracle.nr)].ts;
		uint64_t b = s->oracle.rows[gen_random_below(r, s->oracle.nr)].ts;

		len += snprintf(text + len, size - len, "time=%llu-%llu ",
				(unsigned long long)(a < b ? a : b),
				(unsigned long long)(a < b ? b : a));
	}
	if (!strstr(text, "lost") && gen_random_one_in(r, 3))
		snprintf(text + len, size - len, "lost ");
}

static struct gen_options random_options(unsigned int seed)
{
	struct gen_options options = {
		.seed = 700 + seed,
		.layout = { seed % 5 == 4 ? 65536 : 4096, seed % 7 == 3 ? 4 : 8, seed % 3 == 2 },
		.nr_cpus = 1 + seed % 5,
		.pages = seed % 5 == 4 ? 20 :
			 seed % 2      ? 90 :
					 1500,
		.records = seed % 2 ? 0 : 6,
		.features = seed % 4 == 0 ? GEN_PLAIN :
			    seed % 4 == 1 ? GEN_ALL :
					    GEN_ALL & ~(GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS),
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
		if (gen_random_one_in(&s->random, 2))
			matches_focus(m,
				      (int64_t)(s->oracle.nr ?
							s->oracle
								.rows[gen_random_below(&s->random,
										       s->oracle
											       .nr)]
								.key :
							0));
		if (gen_random_one_in(&s->random, 3)) /* the next one comes while
							   workers are at this one */
			goto next;
		if (!gen_random_one_in(&s->random, 3))
			matches_wait(m);
		if (!nr)
			goto next;
		expected_init(&e, s, used, nr);
		check_cursor(s, m, &e, 3);
		matches_wait(m);
		check_matches(s, m, &e, 10);
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
	const unsigned int rounds = getenv("FTOP_TEST_LONG") ? 12 : 4;

	(void)state;
	for (unsigned int seed = 0; seed < rounds; seed++) {
		struct gen_options options = random_options(seed);
		struct matches *m;
		struct subject s;

		subject_open(&s, &options, seed % 2 ? 7 : 6,
			     seed % 4 == 3 ? TRACE_ZSTD :
			     seed % 4 == 1 ? TRACE_ZLIB :
					     TRACE_PLAIN,
			     1 + seed % 4, -1);
		m = matches_new(s.trace, MATCHES_BROWSE);
		check_stacks(&s, m, 8);
		matches_free(m);
		subject_close(&s);
	}
}

/* A subject and matches of one filter. */
struct one {
	struct subject	 s;
	struct matches	*m;
	struct match_filter *filter;
	struct expected	 e;
};

static void one_use(struct one *o, enum matches_mode mode, const char *text)
{
	o->m = matches_new(o->s.trace, mode);
	o->filter = matches_add(o->m, fake_filter(o->s.trace, text));
	matches_use(o->m, &o->filter, 1);
	expected_init(&o->e, &o->s, &text, 1);
	assert_true(o->e.nr > 0 && o->e.nr < o->s.oracle.nr);
}

static void one_close(struct one *o)
{
	free(o->e.rows);
	matches_drop(o->m, o->filter);
	matches_free(o->m);
	subject_close(&o->s);
}

/* While the directory is held, rows are matched on the spot; when it goes on, so do the workers. */
static void test_works_without_the_whole_directory(void **state)
{
	static const char *const texts[] = { "type=301,303 seq=3/1", "pid=50,975 lost",
					     "type=302 cpu=1", "seq=997/3" };
	static const int holds[] = { 0, 500, 130 };

	(void)state;
	for (unsigned int seed = 0; seed < 6; seed++) {
		struct gen_options options = random_options(seed);
		struct matches_status status;
		struct one o;
		bool exact;

		options.features &= ~(GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS | GEN_EMPTY_CPUS);
		options.nr_cpus = 2 + seed % 3;
		options.pages = options.pages > 1000 ? 2500 : options.pages;
		subject_open(&o.s, &options, 6 + seed % 2, seed % 2 ? TRACE_ZSTD : TRACE_PLAIN, 2,
			     holds[seed % 3]);
		one_use(&o, MATCHES_BROWSE, texts[seed % 4]);
		matches_wait(o.m);
		status = matches_status(o.m);
		assert_false(status.exact);
		assert_true(status.permille < 1000 && status.rows <= o.e.nr);
		check_cursor(&o.s, o.m, &o.e, 5);
		check_seeks(&o.s, o.m, &o.e, 5);
		matches_rank(o.m, row_ref(&o.s, o.e.rows[o.e.nr - 1]), &exact);
		assert_false(exact);
		trace_hold(o.s.trace, -1);
		matches_wait(o.m);
		check_matches(&o.s, o.m, &o.e, 10);
		one_close(&o);
	}
}

/* A filter by names waits for the whole directory. */
static void test_names_are_waited_for(void **state)
{
	struct gen_options options = {
		.seed = 4, .layout = { 4096, 8, false }, .nr_cpus = 2, .pages = 2500, .records = 5
	};
	struct one o;

	(void)state;
	subject_open(&o.s, &options, 6, TRACE_PLAIN, 2, 600);
	one_use(&o, MATCHES_BROWSE, "names seq=5/2");
	matches_wait(o.m);
	assert_int_equal(matches_status(o.m).rows, 0);
	assert_false(matches_status(o.m).exact);
	check_cursor(&o.s, o.m, &o.e, 2);
	trace_hold(o.s.trace, -1);
	matches_wait(o.m);
	check_matches(&o.s, o.m, &o.e, 5);
	one_close(&o);
}

/*
 * From a match, of row @nr or behind it, to the next one, which is too far to be found by the way.
 */
static void check_far_match(struct one *o, size_t nr)
{
	trace_ref found;
	int64_t after;

	while (nr + 1 < o->e.nr && o->e.rows[nr + 1] - o->e.rows[nr] < 2000)
		nr++;
	assert_true(nr + 1 < o->e.nr);
	matches_budget(o->m, 0);
	after = (int64_t)o->s.oracle.rows[o->e.rows[nr]].key + 1;
	assert_int_equal(matches_seek_time(o->m, after, &found), MATCHES_LATER);
	assert_int_equal(found, TRACE_REF_NONE);
	for (unsigned int rounds = 0; matches_seek_time(o->m, after, &found) == MATCHES_LATER;
	     rounds++) {
		assert_true(rounds < 1000000);
		matches_budget(o->m, 20000);
	}
	assert_int_equal(found, row_ref(&o->s, o->e.rows[nr + 1]));
}

/* Without time, nothing is looked at on the spot, and nothing is said to be the end that is not. */
static void test_budget_ends_a_step_and_not_the_rows(void **state)
{
	struct gen_options options = {
		.seed = 9, .layout = { 4096, 8, false }, .nr_cpus = 3, .pages = 60
	};
	struct trace_cursor *cursor;
	struct trace_event event;
	size_t nr = 0;
	struct one o;

	(void)state;
	subject_open(&o.s, &options, 6, TRACE_PLAIN, 1, 0);
	one_use(&o, MATCHES_BROWSE, "seq=997/3");
	cursor = trace_cursor_new(o.s.trace);
	trace_cursor_only_matches(cursor, o.m);
	trace_cursor_seek(cursor, trace_first(o.s.trace));
	for (unsigned int rounds = 0;; rounds++) {
		assert_true(rounds < 1000000);
		matches_budget(o.m, rounds % 2 ? 20000 : 0);
		if (trace_cursor_next(cursor, &event)) {
			assert_row(&o.s, &event, o.e.rows[nr++]);
			continue;
		}
		if (!trace_cursor_is_later(cursor))
			break;
	}
	assert_int_equal(nr, o.e.nr);
	/* The other way, half way. */
	trace_cursor_seek(cursor, row_ref(&o.s, o.e.rows[nr / 2]));
	matches_budget(o.m, 0);
	for (nr /= 2; nr > 0;) {
		if (trace_cursor_prev(cursor, &event))
			assert_row(&o.s, &event, o.e.rows[--nr]);
		else
			assert_true(trace_cursor_is_later(cursor));
		matches_budget(o.m, 20000);
		if (gen_random_one_in(&o.s.random, 60) && nr) {	/* turn round on the way */
			while (!trace_cursor_next(cursor, &event)) {
				assert_true(trace_cursor_is_later(cursor));
				matches_budget(o.m, 20000);
			}
			assert_row(&o.s, &event, o.e.rows[nr++]);
			matches_budget(o.m, 20000);
		}
	}
	check_far_match(&o, nr);
	trace_cursor_free(cursor);
	one_close(&o);
}

/* One pass with no directory; cursors wait for it. */
static void test_one_pass_without_a_directory(void **state)
{
	static const char *const texts[] = { "type=301,303 seq=3/1", "pid=50,975 lost", "cpu=1",
					     "seq=997/3" };

	(void)state;
	for (unsigned int seed = 0; seed < 8; seed++) {
		struct gen_options options = random_options(seed);
		struct trace_options no_index = { .nr_workers = 1 + seed % 3,
						  .hold_permille = -1,
						  .no_index = true };
		const char *path = trace_path_of("t.dat");
		struct ft_error err = { 0 };
		struct one o;

		options.features &= ~(GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS | GEN_EMPTY_CPUS);
		options.nr_cpus = 2 + seed % 3;
		subject_open(&o.s, &options, 6 + seed % 2, seed % 2 ? TRACE_ZLIB : TRACE_PLAIN, 1,
			     0);
		trace_close(o.s.trace);
		o.s.trace = trace_open(&path, 1, true, &no_index, &err);
		assert_non_null(o.s.trace);
		one_use(&o, MATCHES_WAIT, texts[seed % 4]);
		if (seed % 3) {
			matches_wait(o.m);
			assert_true(matches_status(o.m).exact);
			assert_int_equal(matches_status(o.m).events, o.e.events);
			assert_int_equal(matches_status(o.m).rows, o.e.nr);
		}
		check_cursor(&o.s, o.m, &o.e, 5);
		check_seeks(&o.s, o.m, &o.e, 5);
		one_close(&o);
	}
}

/*
 * Go through all rows and take those that the words keep; the same must come from a cursor with a
 * filter.
 */
static void check_against_all_rows(struct trace *trace, struct matches *m, const char *text,
				   unsigned int kinds[4])
{
	struct trace_cursor *all = trace_cursor_new(trace), *some = trace_cursor_new(trace);
	struct trace_event event, match;
	struct fake_words w;
	size_t nr = 0;
	bool exact;

	fake_words_parse(&w, text);
	trace_cursor_only_matches(some, m);
	trace_cursor_seek(all, trace_first(trace));
	trace_cursor_seek(some, trace_first(trace));
	while (trace_cursor_next(all, &event)) {
		bool keep = event.kind == TRACE_ROW_EVENT ?
				    is_in(event.type_id, w.types, w.nr_types) &&
					    is_in(event.pid, w.pids, w.nr_pids) :
				    w.lost;

		if (!keep || !is_in(event.cpu, w.cpus, w.nr_cpus))
			continue;
		kinds[event.kind]++;
		assert_true(trace_cursor_next(some, &match));
		assert_int_equal(match.ref, event.ref);
		if (nr % 64 == 0)
			assert_int_equal(matches_rank(m, event.ref, &exact), nr);
		nr++;
	}
	assert_false(trace_cursor_next(some, &match));
	assert_int_equal(matches_status(m).rows, nr);
	assert_int_equal(matches_status(m).events, kinds[TRACE_ROW_EVENT]);
	trace_cursor_free(all);
	trace_cursor_free(some);
}

/* Two files, one of them damaged: rows of damage are kept by those who ask for them. */
static void test_several_files_and_damage(void **state)
{
	static const char *const texts[] = { "type=301 lost", "pid=50,75,100 cpu=1,0 lost",
					     "type=302,303", "lost", "cpu=1" };
	struct gen_options options = { .seed = 33, .layout = { 4096, 8, false }, .nr_cpus = 2,
				       .pages = 200,
				       .features = GEN_LOST_MARKS | GEN_LOST_COUNTS };
	const char *paths[2] = { trace_path_of("t.dat") };
	char second[128];
	unsigned int damaged = 0;

	(void)state;
	paths[0] = strcpy(second, paths[0]);
	paths[1] = trace_path_of("u.dat");
	for (unsigned int i = 0; i < 2; i++) {
		struct gen_trace *gen;
		FILE *f;

		options.seed += i;
		gen = gen_trace_new(&options);
		write_trace(paths[i], gen, 6, TRACE_PLAIN);
		f = fopen(paths[i], "r+b");
		for (unsigned int k = 0; i && k < 40; k++) {	/* rubbish in the last pages */
			fseek(f, -(long)(4096 * (3 * k + 1)) + 500, SEEK_END);
			assert_int_equal(
				fwrite("\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
				       1, 16, f),
				16);
		}
		fclose(f);
		gen_trace_free(gen);
	}
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct trace_options o = { .nr_workers = 2, .hold_permille = -1 };
		struct ft_error err = { 0 };
		struct trace *trace = trace_open(paths, 2, true, &o, &err);
		struct matches *m = matches_new(trace, MATCHES_BROWSE);
		struct match_filter *filter = matches_add(m, fake_filter(trace, texts[i]));
		unsigned int kinds[4] = { 0 };

		matches_use(m, &filter, 1);
		matches_wait(m);
		check_against_all_rows(trace, m, texts[i], kinds);
		assert_true(kinds[TRACE_ROW_EVENT] > 0);
		damaged += kinds[TRACE_ROW_DAMAGE];
		matches_drop(m, filter);
		matches_free(m);
		trace_close(trace);
	}
	assert_true(damaged > 0);
}

/* How many without one of the stack. */
static void test_counts_with_one_left_out(void **state)
{
	static const char *const texts[] = { "type=301", "pid=50,975,0", "seq=3/1" };
	struct gen_options options = random_options(5);
	struct match_filter *handles[3], *rest[2];
	struct matches *m;
	struct subject s;

	(void)state;
	subject_open(&s, &options, 6, TRACE_PLAIN, 2, -1);
	m = matches_new(s.trace, MATCHES_BROWSE);
	for (unsigned int i = 0; i < 3; i++)
		handles[i] = matches_add(m, fake_filter(s.trace, texts[i]));
	matches_use(m, handles, 3);
	for (unsigned int i = 0; i < 3; i++) {
		const char *others[2] = { texts[(i + 1) % 3], texts[(i + 2) % 3] };
		struct matches_status status;
		struct expected e;

		rest[0] = handles[(i + 1) % 3];
		rest[1] = handles[(i + 2) % 3];
		matches_count_of(m, rest, 2);
		matches_wait(m);
		status = matches_count_of(m, rest, 2);
		expected_init(&e, &s, others, 2);
		assert_true(status.exact);
		assert_int_equal(status.rows, e.nr);
		free(e.rows);
		expected_init(&e, &s, others, 1);	/* of one that need not be in the stack */
		matches_count_of(m, rest, 1);
		matches_wait(m);
		assert_int_equal(matches_count_of(m, rest, 1).rows, e.nr);
		free(e.rows);
	}
	assert_int_equal(matches_count_of(m, NULL, 0).rows, s.oracle.nr);
	for (unsigned int i = 0; i < 3; i++)
		matches_drop(m, handles[i]);
	matches_free(m);
	subject_close(&s);
}

/* At most a bit for a row, 3/8 of a byte for a page, and some for each slab. */
static void test_memory_is_bounded(void **state)
{
	struct gen_options options = {
		.seed = 12, .layout = { 4096, 8, false }, .nr_cpus = 2, .pages = 5000, .records = 40
	};
	struct one o;

	(void)state;
	subject_open(&o.s, &options, 6, TRACE_PLAIN, 2, -1);
	one_use(&o, MATCHES_BROWSE, "type=301");
	matches_wait(o.m);
	assert_int_equal(matches_status(o.m).rows, o.e.nr);
	assert_in_range(matches_memory(o.m), o.s.oracle.nr / 8 * 9 / 10,
			o.s.oracle.nr / 8 + 2 * 5000 * 3 / 8 + 12 * 200);
	one_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_what_a_naive_list_is),
		cmocka_unit_test(test_works_without_the_whole_directory),
		cmocka_unit_test(test_names_are_waited_for),
		cmocka_unit_test(test_budget_ends_a_step_and_not_the_rows),
		cmocka_unit_test(test_one_pass_without_a_directory),
		cmocka_unit_test(test_several_files_and_damage),
		cmocka_unit_test(test_counts_with_one_left_out),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
