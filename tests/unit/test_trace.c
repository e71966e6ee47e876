/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model against a naive sort: made-up traces of all kinds are opened, and every
 * answer is compared with that of a list of all rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/trace_file.h"
#include "tests/lib/row_oracle.h"

static char dir[64];

struct subject {			/* a trace on disk, open, and what must be in it */
	struct gen_trace *gen;
	struct oracle	 oracle;
	struct trace	*trace;
	struct gen_random random;
	bool		 approximate;	/* the clock goes back: without the directory the order may differ */
};

static void write_trace(const char *path, const struct gen_trace *gen, int version, enum trace_compression compression)
{
	struct gen_file file = { .version = version, .compression = compression };
	struct ft_error err = { 0 };

	if (gen_write(path, &file, &gen, NULL, 1, &err))
		fail_msg("cannot write %s: %s", path, err.message);
}

static struct trace *open_path(const char *path, unsigned int workers, int hold)
{
	struct trace_options options = { .nr_workers = workers, .hold_permille = hold };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, true, &options, &err);

	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

static void subject_open(struct subject *s, const struct gen_options *options, int version,
			 enum trace_compression compression, unsigned int workers, int hold)
{
	char path[96];
	const struct gen_trace *gen;

	snprintf(path, sizeof(path), "%s/t.dat", dir);
	s->gen = gen_trace_new(options);
	gen = s->gen;
	write_trace(path, s->gen, version, compression);
	s->trace = open_path(path, workers, hold);
	oracle_init(&s->oracle, &gen, 1, s->trace);
	s->approximate = options->features & (GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS) && hold >= 0;
	gen_random_init(&s->random, options->seed);
	trace_wait(s->trace);
}

static void subject_close(struct subject *s)
{
	trace_close(s->trace);
	free(s->oracle.rows);
	gen_trace_free(s->gen);
}

/* A row is the one it should be, in all that is told of it. */
static void assert_row(const struct subject *s, const struct trace_event *event, size_t nr)
{
	const struct oracle_row *row = &s->oracle.rows[nr];

	if (event->ref != oracle_ref(row))
		fail_msg("row %zu of %zu: stream %u page %lu item %u instead of %u %lu %u", nr, s->oracle.nr,
			 trace_ref_stream(event->ref), (unsigned long)trace_ref_page(event->ref), trace_ref_item(event->ref),
			 row->stream, (unsigned long)row->page, row->item);
	assert_int_equal(event->kind, row->kind);
	assert_int_equal(event->raw_ts, row->ts);
	assert_int_equal(event->ts, row->ts);
	assert_int_equal(event->key, row->key);
	assert_int_equal(event->stream, row->stream);
	if (row->kind == TRACE_ROW_LOST) {
		assert_int_equal(event->lost_known, row->info->lost == GEN_LOST_COUNTED);
		assert_int_equal(event->lost_count, row->info->lost == GEN_LOST_COUNTED ? row->info->lost_count : 0);
		return;
	}
	assert_int_equal(event->size, row->event->size);
	assert_memory_equal(event->data, row->event->payload, event->size);
	assert_int_equal(event->type_id, row->event->type);
	assert_int_equal(event->pid, row->event->pid);
	assert_int_equal(event->type != NULL, row->event->type <= GEN_TYPE_BARE);
}

static void check_forward(struct subject *s)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;
	size_t nr = 0;

	trace_cursor_seek(cursor, trace_first(s->trace));
	for (; trace_cursor_next(cursor, &event); nr++) {
		assert_true(nr < s->oracle.nr);
		assert_row(s, &event, nr);
	}
	assert_int_equal(nr, s->oracle.nr);
	assert_false(trace_cursor_next(cursor, &event));
	/* At the end there is a way back. */
	if (nr && !s->approximate) {
		assert_true(trace_cursor_prev(cursor, &event));
		assert_row(s, &event, nr - 1);
	}
	trace_cursor_free(cursor);
}

static void check_backward(struct subject *s)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;
	size_t nr = s->oracle.nr;

	trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (trace_cursor_prev(cursor, &event)) {
		assert_true(nr > 0);
		nr--;
		if (!s->approximate)
			assert_row(s, &event, nr);
	}
	assert_int_equal(nr, 0);
	trace_cursor_free(cursor);
}

/* Jump somewhere, then some steps to and fro, at every one the right row. */
static void check_walks(struct subject *s, unsigned int rounds)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t at = gen_random_below(&s->random, s->oracle.nr);

		trace_cursor_seek(cursor, oracle_ref(&s->oracle.rows[at]));
		for (unsigned int k = 0; k < 40; k++) {
			bool forward = gen_random_one_in(&s->random, k < 20 ? 2 : 8);

			if (forward) {
				assert_int_equal(trace_cursor_next(cursor, &event), at < s->oracle.nr);
				if (at < s->oracle.nr)
					assert_row(s, &event, at++);
			} else {
				assert_int_equal(trace_cursor_prev(cursor, &event), at > 0);
				if (at > 0)
					assert_row(s, &event, --at);
			}
		}
		assert_true(trace_event_at(s->trace, oracle_ref(&s->oracle.rows[at ? at - 1 : 0]), &event));
		assert_row(s, &event, at ? at - 1 : 0);
	}
	trace_cursor_free(cursor);
}

static void check_rank_and_select(struct subject *s, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t at = i == 0 ? 0 : i == 1 ? s->oracle.nr - 1 : gen_random_below(&s->random, s->oracle.nr);
		size_t other = gen_random_below(&s->random, s->oracle.nr);
		trace_ref ref = oracle_ref(&s->oracle.rows[at]);
		bool exact = false;

		assert_int_equal(trace_rank(s->trace, ref, &exact), at);
		assert_true(exact);
		assert_int_equal(trace_select(s->trace, at), ref);
		assert_int_equal(trace_compare(s->trace, ref, oracle_ref(&s->oracle.rows[other])),
				 at < other ? -1 : at > other);
	}
	assert_int_equal(trace_select(s->trace, s->oracle.nr), trace_last(s->trace));
	assert_int_equal(trace_select(s->trace, UINT64_MAX), trace_last(s->trace));
}

static void check_events_by_number(struct subject *s, unsigned int rounds)
{
	uint32_t *rows = mem_array(s->oracle.nr_events + 1, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < s->oracle.nr; i++)
		if (s->oracle.rows[i].kind == TRACE_ROW_EVENT)
			rows[nr++] = i;
	for (unsigned int i = 0; i < rounds && nr; i++) {
		size_t at = i == 0 ? 0 : i == 1 ? nr - 1 : gen_random_below(&s->random, nr);
		bool exact;

		assert_int_equal(trace_select_event(s->trace, at), oracle_ref(&s->oracle.rows[rows[at]]));
		assert_int_equal(trace_rank_events(s->trace, oracle_ref(&s->oracle.rows[rows[at]]), &exact), at);
		assert_true(exact);
	}
	free(rows);
}

/* First row with a key >= ts, of a CPU or of all; by looking at all of them. */
static trace_ref naive_seek(const struct subject *s, uint64_t ts, int cpu, const struct trace *trace)
{
	for (size_t i = 0; i < s->oracle.nr; i++) {
		const struct oracle_row *row = &s->oracle.rows[i];

		if (row->key >= ts && (cpu < 0 || trace_stream_info(trace, row->stream).cpu == cpu))
			return oracle_ref(row);
	}
	return TRACE_REF_NONE;
}

static void check_seek_time(struct subject *s, unsigned int rounds)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		const struct oracle_row *row = &s->oracle.rows[gen_random_below(&s->random, s->oracle.nr)];
		uint64_t ts = row->key + gen_random_below(&s->random, 3) - 1;
		trace_ref all = naive_seek(s, ts, -1, s->trace);
		int cpu = trace_stream_info(s->trace, row->stream).cpu;

		assert_int_equal(trace_seek_time(s->trace, (int64_t)ts, -1), all);
		assert_int_equal(trace_seek_time(s->trace, (int64_t)ts, cpu), naive_seek(s, ts, cpu, s->trace));
		trace_cursor_seek_time(cursor, (int64_t)ts);
		assert_int_equal(trace_cursor_next(cursor, &event), all != TRACE_REF_NONE);
		if (all != TRACE_REF_NONE)
			assert_int_equal(event.ref, all);
	}
	assert_int_equal(trace_seek_time(s->trace, INT64_MIN, -1), trace_first(s->trace));
	assert_int_equal(trace_seek_time(s->trace, INT64_MAX, -1), TRACE_REF_NONE);
	trace_cursor_free(cursor);
}

static void check_totals(struct subject *s)
{
	struct trace_status status = trace_status(s->trace);
	struct trace_type_count *counts;
	uint64_t lost = 0, unknown = 0, by_type[65536] = { 0 };
	unsigned int nr = trace_type_counts(s->trace, &counts);

	for (size_t i = 0; i < s->oracle.nr; i++) {
		const struct oracle_row *row = &s->oracle.rows[i];

		if (row->kind == TRACE_ROW_EVENT)
			by_type[row->event->type]++;
		else if (row->info->lost == GEN_LOST_COUNTED)
			lost += row->info->lost_count;
		else
			unknown++;
	}
	assert_true(status.complete);
	assert_int_equal(status.permille, 1000);
	assert_int_equal(status.events, s->oracle.nr_events);
	assert_int_equal(status.rows, s->oracle.nr);
	assert_int_equal(status.lost_events, lost);
	assert_int_equal(status.lost_unknown, unknown);
	assert_int_equal(status.damaged_pages, 0);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(counts[i].events, by_type[counts[i].id]);
		by_type[counts[i].id] = 0;
	}
	for (int i = 0; i < 65536; i++)
		assert_int_equal(by_type[i], 0);
	free(counts);
}

static void check_all(struct subject *s, unsigned int rounds)
{
	check_forward(s);
	check_backward(s);
	check_walks(s, rounds);
	check_rank_and_select(s, rounds);
	check_events_by_number(s, rounds);
	check_seek_time(s, rounds);
	check_totals(s);
}

/* --- cases -------------------------------------------------------------------------- */

static const struct gen_layout layouts[] = {
	{ 4096, 8, false }, { 4096, 4, false }, { 4096, 8, true }, { 4096, 4, true }, { 8192, 8, false },
	{ 65536, 8, false }, { 524288, 8, true }, { 1024, 4, false },
};

static void test_random_traces(void **state)
{
	static const int cpus[] = { 1, 2, 3, 7, 32 };

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		struct gen_options options = {
			.seed = 1000 + i, .layout = layouts[i % 8], .features = i % 5 == 4 ? GEN_PLAIN : GEN_ALL,
			.nr_cpus = cpus[i % 5], .cpu_step = 1 + i % 3, .pages = 1 + i * 7 % 40,
			.records = layouts[i % 8].page_size > 8192 ? 700 : i % 2 ? 20 : 0,
		};
		struct subject s;

		if (options.layout.page_size > 8192)
			options.pages = 1 + i % 4;
		subject_open(&s, &options, i % 3 ? 7 : 6, TRACE_PLAIN, 1 + i % 3, -1);
		check_all(&s, options.layout.page_size > 8192 ? 15 : 60);
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
		struct gen_options options = { .seed = 77, .layout = layouts[0], .features = GEN_ALL, .nr_cpus = 5, .pages = 37 };
		struct subject s;

		subject_open(&s, &options, 7, kinds[i], 2, -1);
		check_all(&s, 100);
		subject_close(&s);
	}
}

static void test_many_cpus(void **state)
{
	struct gen_options options = { .seed = 5, .layout = layouts[0], .features = GEN_ALL, .nr_cpus = 256, .pages = 5,
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
	struct gen_options options = { .seed = 6, .layout = layouts[0], .features = GEN_PLATEAUS | GEN_TIES, .nr_cpus = 4,
				       .plateau = length, .max_delta = 3000 };
	struct subject s;

	(void)state;
	options.pages = 40 + length / 80;
	subject_open(&s, &options, 7, TRACE_PLAIN, 2, -1);
	check_all(&s, 60);
	subject_close(&s);
}

/* Without the directory, or with a part of it, reading and jumping work; in order where the clock does not go back. */
static void test_held(void **state)
{
	static const int holds[] = { 0, 500, 10 };

	(void)state;
	for (unsigned int i = 0; i < 12; i++) {
		struct gen_options options = {
			.seed = 300 + i, .layout = layouts[i % 5], .nr_cpus = 1 + i * 3 % 8, .pages = 120,
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
	struct gen_options options = { .seed = 900, .layout = layouts[0], .features = GEN_ALL, .nr_cpus = 3, .pages = 6000,
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

/* Only some CPUs, only one stream. */
static void test_chosen_streams(void **state)
{
	struct gen_options options = { .seed = 41, .layout = layouts[0], .features = GEN_ALL, .nr_cpus = 6, .pages = 12 };
	bool cpus[6] = { [1] = true, [4] = true };
	struct trace_event event;
	struct subject s;
	struct trace_cursor *cursor;
	size_t i = 0;

	(void)state;
	subject_open(&s, &options, 7, TRACE_PLAIN, 1, -1);
	cursor = trace_cursor_new(s.trace);
	trace_cursor_only_cpus(cursor, cpus, 6);
	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		while (s.oracle.rows[i].stream != 1 && s.oracle.rows[i].stream != 4)
			i++;
		assert_row(&s, &event, i++);
	}
	trace_cursor_only_stream(cursor, 2);
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

static int make_dir(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/ftop-trace-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/t.dat", dir);
	unlink(path);
	return rmdir(dir);
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
		cmocka_unit_test(test_chosen_streams),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
