/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model against a naive sort: made-up traces of all kinds are opened, and every
 * answer is compared with that of a list of all rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/trace/trace_streams.h"
#include "tests/lib/model_checks.h"

/* --- cases -------------------------------------------------------------------------- */

static const struct gen_layout layouts[] = {
	{ 4096, 8, false }, { 4096, 4, false }, { 4096, 8, true }, { 4096, 4, true },
	{ 8192, 8, false },
	{ 65536, 8, false }, { 524288, 8, true }, { 1024, 4, false },
};

/*
 * Every pair of a layout and a number of CPUs with FTOP_TEST_LONG, else a fourth of the pairs, and
 * fewer jumps in large sub-buffers, each of which is read whole.
 */
static void test_random_traces(void **state)
{
	static const int cpus[] = { 1, 2, 3, 7, 32 };
	bool whole = getenv("FTOP_TEST_LONG");
	unsigned int nr = whole ? 40 : 10;

	(void)state;
	for (unsigned int i = 0; i < nr; i++) {
		struct gen_options options = {
			.seed = 1000 + i, .layout = layouts[i % 8],
			.features = i % 5 == 4 ? GEN_PLAIN : GEN_ALL,
			.nr_cpus = cpus[i % 5], .cpu_step = 1 + i % 3, .pages = 1 + i * 7 % 40,
			.records = layouts[i % 8].page_size > 8192 ? 700 : i % 2 ? 20 : 0,
		};
		struct subject s;

		if (options.layout.page_size > 8192)
			options.pages = 1 + i % 4;
		subject_open(&s, &options, i % 3 ? 7 : 6, TRACE_PLAIN, 1 + i % 3, -1);
		check_all(&s, options.layout.page_size <= 8192 ? 60 : whole ? 15 : 4);
		subject_close(&s);
	}
}

static void test_compressed(void **state)
{
	static const enum trace_compression kinds[] = {
#ifdef HAVE_ZLIB
		TRACE_ZLIB,
#endif
#ifdef HAVE_ZSTD
		TRACE_ZSTD,
#endif
		TRACE_PLAIN,
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct gen_options options = { .seed = 77,
					       .layout = layouts[0],
					       .features = GEN_ALL,
					       .nr_cpus = 5,
					       .pages = 37 };
		struct subject s;

		subject_open(&s, &options, 7, kinds[i], 2, -1);
		check_all(&s, 100);
		subject_close(&s);
	}
}

static void test_many_cpus(void **state)
{
	struct gen_options options = { .seed = 5, .layout = layouts[0], .features = GEN_ALL,
				       .nr_cpus = 256, .pages = 5,
				       .records = 12 };
	struct subject s;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 3, -1);
	check_all(&s, 60);
	subject_close(&s);
}

/* Runs of equal stamps over many sub-buffers and CPUs. */
static void test_plateaus(void **state)
{
	uint32_t length = getenv("FTOP_TEST_LONG") ? 1000000 : 20000;
	struct gen_options options = { .seed = 6, .layout = layouts[0],
				       .features = GEN_PLATEAUS | GEN_TIES, .nr_cpus = 4,
				       .plateau = length, .max_delta = 3000 };
	struct subject s;

	(void)state;
	options.pages = 40 + length / 80;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, -1);
	check_all(&s, 60);
	subject_close(&s);
}

/*
 * Without the directory, or with a part of it, reading and jumping work; in order where the clock
 * does not go back.
 */
static void test_held(void **state)
{
	static const int holds[] = { 0, 500, 10 };

	(void)state;
	for (unsigned int i = 0; i < (getenv("FTOP_TEST_LONG") ? 12 : 6); i++) {
		struct gen_options options = {
			.seed = 300 + i, .layout = layouts[i % 5], .nr_cpus = 1 + i * 3 % 8,
			.pages = 120,
			.features = GEN_ALL & ~(GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS),
		};
		struct subject s;
		bool exact;

		if (i % 4 == 3)
			options.features = GEN_ALL;
		subject_open(&s, &options, 7, i == 5 ? TRACE_ZSTD : TRACE_PLAIN, 2, holds[i % 3]);
		assert_false(trace_status(s.trace).complete);
		check_forward(&s);
		check_backward(&s);
		if (!s.approximate) {
			check_walks(&s, 60);
			check_seek_time(&s, 60);
		}
		assert_int_equal(trace_rank(s.trace, trace_first(s.trace), &exact), 0);
		assert_true(trace_select(s.trace, s.oracle.nr / 2) != TRACE_REF_NONE);
		assert_true(trace_select(s.trace, UINT64_MAX) == trace_last(s.trace));
		/* Then let it go on to the end. */
		trace_hold(s.trace, 700);
		trace_wait(s.trace);
		trace_hold(s.trace, -1);
		trace_wait(s.trace);
		s.approximate = false;
		check_all(&s, 20);
		subject_close(&s);
	}
}

/* Every answer is the same however many threads build the directory. */
static void test_threads_agree(void **state)
{
	struct gen_options options = { .seed = 900, .layout = layouts[0], .features = GEN_ALL,
				       .nr_cpus = 3, .pages = 6000,
				       .records = 4 };
	struct subject s;

	(void)state;
	for (unsigned int workers = 1; workers <= 5; workers += 2) {
		subject_open(&s, &options, 7, TRACE_PLAIN, workers, -1);
		check_forward(&s);
		check_rank_and_select(&s, 50);
		check_totals(&s);
		subject_close(&s);
	}
}

/* Rows are read, found and counted while the directory is being made. */
static void test_reading_meanwhile(void **state)
{
	struct gen_options options = { .seed = 17, .layout = { 4096, 8, false },
				       .features = GEN_PLATEAUS | GEN_LOST_COUNTS,
				       .nr_cpus = 3, .pages = 5000, .records = 6 };
	struct subject s;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, 0);
	trace_hold(s.trace, -1);
	while (!trace_status(s.trace).complete) {
		check_walks(&s, 3);
		check_seek_time(&s, 1);
	}
	check_rank_and_select(&s, 20);
	check_totals(&s);
	subject_close(&s);
}

/*
 * The directory grows while a page is loaded: the reader has its length from before, and all else
 * from after.
 */
static void test_growth_at_loading(void **state)
{
	struct gen_options options = { .seed = 18, .layout = layouts[0],
				       .features = GEN_LOST_COUNTS, .nr_cpus = 3, .pages = 100,
				       .records = 6 };
	struct subject s;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 1, -1);
	for (unsigned int i = 0; i < trace_nr_streams(s.trace); i++)
		atomic_store(&trace_stream_at(s.trace, i)->index.published, 10);
	check_walks(&s, 60);
	check_seek_time(&s, 60);
	subject_close(&s);
}

/* A clock that goes back: keys are right once the directory is there, in the page last read too. */
static void test_keys_become_final(void **state)
{
	struct gen_options options = { .seed = 19, .layout = layouts[0], .features = GEN_ALL,
				       .nr_cpus = 2, .pages = 60 };
	unsigned int corrected = 0;
	struct trace_event event;
	struct subject s;

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		const struct oracle_row *row;

		subject_open(&s, &options, 7, TRACE_PLAIN, 1, 0);
		row = &s.oracle.rows[s.oracle.nr * i / 40];
		assert_true(trace_event_at(s.trace, oracle_ref(row), &event));
		corrected += event.key != (int64_t)row->key;
		trace_hold(s.trace, -1);
		trace_wait(s.trace);
		assert_true(trace_event_at(s.trace, oracle_ref(row), &event));
		assert_int_equal(event.key, row->key);
		subject_close(&s);
	}
	assert_true(corrected > 0);
}

/* Only one stream. */
static void test_chosen_stream(void **state)
{
	struct gen_options options = {
		.seed = 41, .layout = layouts[0], .features = GEN_ALL, .nr_cpus = 6, .pages = 12
	};
	struct trace_event event;
	struct subject s;
	struct trace_cursor *cursor;
	size_t i;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 1, -1);
	cursor = trace_cursor_of_stream(s.trace, 2);
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	i = s.oracle.nr;
	while (trace_cursor_prev(cursor, &event)) {
		while (s.oracle.rows[i - 1].stream != 2)
			i--;
		assert_row(&s, &event, --i);
	}
	trace_cursor_free(cursor);
	subject_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_traces),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_plateaus),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_threads_agree),
		cmocka_unit_test(test_reading_meanwhile),
		cmocka_unit_test(test_growth_at_loading),
		cmocka_unit_test(test_keys_become_final),
		cmocka_unit_test(test_chosen_stream),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
