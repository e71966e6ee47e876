/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stamps to model time: the file's options, and several files on one time line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "tests/lib/model_checks.h"

/* in this machine's byte order, as the options below */
static const struct gen_layout layout = { 4096, 8, HOST_BIG_ENDIAN };

struct option {
	uint16_t	id;
	uint32_t	size;
	const void	*data;
};

/* A trace of one buffer with options of its own. */
static const char *private;	/* what write_with() puts into the recorder's own section */

static void write_with(const char *path, const struct gen_trace *gen, const char *clock,
		       const struct option *options, unsigned int nr)
{
	struct trace_writer_options how = { .version = 7,
					    .big_endian = gen->options.layout.big_endian,
					    .long_size = 8,
					    .page_size = 4096 };
	struct ft_error err = { 0 };
	struct trace_writer *w = trace_writer_new(path, &how, &err);
	char text[64];
	int buffer;

	assert_non_null(w);
	gen_write_metadata(w, &gen->options.layout);
	snprintf(text, sizeof(text), "[%s] other", clock);
	trace_writer_clock(w, text);
	for (unsigned int i = 0; i < nr; i++)
		trace_writer_option(w, options[i].id, options[i].data, options[i].size);
	if (private)
		trace_writer_text(w, TRACE_TEXT_PRIVATE, private, strlen(private));
	buffer = trace_writer_buffer(w, "", clock, 0);
	for (uint32_t i = 0; i < gen->nr_streams; i++)
		assert_int_equal(trace_writer_pages(w, buffer, gen->streams[i].cpu,
						    gen->streams[i].pages,
						    (uint64_t)gen->streams[i].nr_pages * 4096,
						    &err),
				 0);
	if (trace_writer_finish(w, &err))
		fail_msg("%s", err.message);
}

static struct gen_trace *plain_trace(uint64_t seed, int nr_cpus, uint64_t base)
{
	struct gen_options options = {
		.seed = seed, .layout = layout, .nr_cpus = nr_cpus, .pages = 12, .base_ts = base
	};

	return gen_trace_new(&options);
}

/* Every row's time is what @expected makes of its stamp, and rows are found by it. */
static void check_times(struct trace *trace, const struct gen_trace *gen,
			int64_t (*expected)(uint64_t raw))
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	uint64_t nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	for (; trace_cursor_next(cursor, &event); nr++) {
		assert_int_equal(event.ts, expected(event.raw_ts));
		if (nr % 97 == 0) {
			struct trace_event found;
			bool exact;

			assert_true(trace_event_at(trace, trace_seek_time(trace, event.ts, -1),
						   &found));
			assert_int_equal(found.ts, event.ts);
			assert_int_equal(trace_rank(trace, event.ref, &exact), nr);
			assert_int_equal(trace_select(trace, nr), event.ref);
		}
	}
	assert_int_equal(nr, gen->nr_events);
	trace_cursor_free(cursor);
}

static int64_t with_date_and_offset(uint64_t raw)
{
	return (int64_t)raw + 0x1234567890ll * 1000 - 777;
}

static void test_date_and_offset(void **state)
{
	const struct option options[] = {
		{ TRACE_OPTION_DATE, 13, "0x1234567890" },
		{ TRACE_OPTION_OFFSET, 5, "-777" },
	};
	struct gen_trace *gen = plain_trace(1, 2, 0);
	struct trace *trace;
	bool known;

	(void)state;
	write_with(trace_path_of("t.dat"), gen, "local", options, 2);
	trace = open_path(trace_path_of("t.dat"), 1, -1);
	trace_wait(trace);
	check_times(trace, gen, with_date_and_offset);
	assert_int_equal(trace_unit(trace), TRACE_UNIT_NS);
	assert_int_equal(trace_wall_offset_ns(trace, &known), 0);
	assert_true(known);
	trace_close(trace);
	gen_trace_free(gen);
}

/*
 * Where the recorder read the wall clock: an OFFSET is in the times that are shown, and a counter
 * has none.
 */
static void test_wall_time(void **state)
{
	const struct option offset = { TRACE_OPTION_OFFSET, 5, "-777" };
	static const struct { const char *clock; bool has_offset, known; int64_t wall; } cases[] = {
		{ "mono", false, true, 1700000000000000000 },
		{ "local", true, true, 1700000000000000777 },
		{ "counter", false, false, 0 },
	};
	struct gen_trace *gen = plain_trace(1, 2, 0);

	(void)state;
	private = TRACE_PRIVATE_MAGIC
		"wall x 55 realtime 1700000000000000055 within 9\nsaved_tgids 0\n";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace *trace;
		bool known;

		write_with(trace_path_of("t.dat"), gen, cases[i].clock, &offset,
			   cases[i].has_offset);
		trace = open_path(trace_path_of("t.dat"), 1, -1);
		assert_int_equal(trace_wall_offset_ns(trace, &known), cases[i].wall);
		assert_int_equal(known, cases[i].known);
		trace_close(trace);
	}
	private = NULL;
	gen_trace_free(gen);
}

/* mult and shift of a 2.6 GHz counter. */
#define MULT	412977040u
#define SHIFT	30u

static int64_t with_tsc(uint64_t raw)
{
	/* 64x32 bits in two halves: (h * 2^32 + l) * m >> s */
	uint64_t high = (raw >> 32) * MULT, low = (raw & 0xffffffff) * MULT;

	return (int64_t)((high << (32 - SHIFT)) + (low >> SHIFT));
}

static void test_tsc_to_ns(void **state)
{
	struct {
		uint32_t mult, shift;
		uint64_t offset;
	} __attribute__((packed)) tsc = { MULT, SHIFT, 12345 };
	const struct option options[] = { { TRACE_OPTION_TSC2NSEC, 16, &tsc } };
	struct gen_trace *gen = plain_trace(2, 3, 1ull << 50);
	struct trace *trace;

	(void)state;
	write_with(trace_path_of("t.dat"), gen, "x86-tsc", options, 1);
	trace = open_path(trace_path_of("t.dat"), 2, -1);
	trace_wait(trace);
	assert_int_equal(trace_unit(trace), TRACE_UNIT_NS);
	check_times(trace, gen, with_tsc);
	trace_close(trace);
	write_with(trace_path_of("t.dat"), gen, "x86-tsc", NULL, 0);
	trace = open_path(trace_path_of("t.dat"), 2, -1);
	assert_int_equal(trace_unit(trace), TRACE_UNIT_COUNT);
	assert_string_equal(trace_clock(trace), "x86-tsc");
	trace_close(trace);
	gen_trace_free(gen);
}

#define BASE	1000000000000ull

/* Three samples: the offset rises from 5000 to 9000, then falls to 1000. */
static const uint64_t times[3] = { BASE + 100000, BASE + 500000, BASE + 900000 };
static const int64_t offsets[3] = { 5000, 9000, -1000 };

static int64_t with_shift(uint64_t raw)
{
	int i = raw >= times[1];
	int64_t delta = (int64_t)(times[i + 1] - times[i]);
	int64_t part = ((int64_t)(raw - times[i])) * (offsets[i + 1] - offsets[i]);

	return (int64_t)raw + offsets[i] + (part + delta / 2) / delta;
}

static void put(uint8_t **at, const void *data, size_t size)
{
	memcpy(*at, data, size);
	*at += size;
}

static void test_time_shift_with_interpolation(void **state)
{
	uint64_t peer = 42, ones[3] = { 1, 1, 1 }, zeros[3] = { 0 };
	uint32_t flags = 1, cpus = 2, nr = 3;
	uint8_t data[512], *at = data;
	struct option option = { .id = TRACE_OPTION_TIME_SHIFT, .data = data };
	struct gen_trace *gen = plain_trace(3, 2, BASE);
	struct trace *trace;

	(void)state;
	put(&at, &peer, 8);
	put(&at, &flags, 4);
	put(&at, &cpus, 4);
	for (unsigned int i = 0; i < cpus; i++) {
		put(&at, &nr, 4);
		put(&at, times, sizeof(times));
		put(&at, offsets, sizeof(offsets));
		put(&at, ones, sizeof(ones));
	}
	for (unsigned int i = 0; i < cpus; i++)
		put(&at, zeros, sizeof(zeros));
	option.size = (uint32_t)(at - data);
	write_with(trace_path_of("t.dat"), gen, "local", &option, 1);
	trace = open_path(trace_path_of("t.dat"), 2, -1);
	trace_wait(trace);
	check_times(trace, gen, with_shift);
	trace_close(trace);
	gen_trace_free(gen);
}

/* A correction that jumps back must not break the order, by which all is found. */
static void test_time_shift_that_jumps_back(void **state)
{
	static const uint64_t at_times[3] = { BASE + 100000, BASE + 400000, BASE + 900000 };
	static const int64_t jumps[3] = { 300000, -50000, 0 };
	uint64_t peer = 42, ones[3] = { 1, 1, 1 };
	uint32_t flags = 0, cpus = 1, nr = 3;
	uint8_t data[512], *at = data;
	struct option option = { .id = TRACE_OPTION_TIME_SHIFT, .data = data };
	struct gen_trace *gen = plain_trace(4, 1, BASE);
	struct trace_cursor *cursor;
	struct trace_event event;
	int64_t last = INT64_MIN;
	struct trace *trace;
	uint64_t row = 0;
	bool exact;

	(void)state;
	put(&at, &peer, 8);
	put(&at, &flags, 4);
	put(&at, &cpus, 4);
	put(&at, &nr, 4);
	put(&at, at_times, sizeof(at_times));
	put(&at, jumps, sizeof(jumps));
	put(&at, ones, sizeof(ones));
	option.size = (uint32_t)(at - data);
	write_with(trace_path_of("t.dat"), gen, "local", &option, 1);
	trace = open_path(trace_path_of("t.dat"), 1, -1);
	trace_wait(trace);
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, trace_first(trace));
	for (; trace_cursor_next(cursor, &event); row++) {
		assert_int_equal(event.ts,
				 (int64_t)event.raw_ts + jumps[event.raw_ts >= at_times[1]]);
		assert_true(event.key >= last && event.key >= event.ts);
		last = event.key;
		assert_int_equal(trace_rank(trace, event.ref, &exact), row);
		assert_int_equal(trace_select(trace, row), event.ref);
	}
	trace_cursor_free(cursor);
	trace_close(trace);
	gen_trace_free(gen);
}

/*
 * A correction that outgrows all numbers ends at the last one.  One that falls faster than the time
 * rises is not interpolated: rows keep their order.
 */
static void test_time_shift_beyond_numbers(void **state)
{
	static const uint64_t at_times[3] = { BASE - 2, BASE - 1, BASE };
	static const int64_t rises[3] = { 0, 0, INT64_MAX }, falls[3] = { 0, 4000, 3990 };
	uint64_t peer = 42, ones[3] = { 1, 1, 1 }, zeros[3] = { 0 };
	uint32_t flags = 1, cpus = 1, nr = 3;
	struct gen_trace *gen = plain_trace(5, 1, BASE + 10);
	struct trace_event event;

	(void)state;
	for (int fall = 0; fall < 2; fall++) {
		uint8_t data[512], *at = data;
		struct option option = { .id = TRACE_OPTION_TIME_SHIFT, .data = data };
		struct trace *trace;

		put(&at, &peer, 8);
		put(&at, &flags, 4);
		put(&at, &cpus, 4);
		put(&at, &nr, 4);
		put(&at, at_times, sizeof(at_times));
		put(&at, fall ? falls : rises, sizeof(rises));
		put(&at, ones, sizeof(ones));
		put(&at, zeros, sizeof(zeros));
		option.size = (uint32_t)(at - data);
		write_with(trace_path_of("t.dat"), gen, "local", &option, 1);
		trace = open_path(trace_path_of("t.dat"), 1, -1);
		trace_wait(trace);
		assert_true(trace_event_at(trace, trace_first(trace), &event));
		assert_int_equal(event.ts, fall ? (int64_t)event.raw_ts + 4000 : INT64_MAX);
		trace_close(trace);
	}
	gen_trace_free(gen);
}

/* --- several files -------------------------------------------------------------------- */

/* Rows in the order of two lists, one of them later by @shift. */
static void check_two(struct trace *trace, const struct gen_trace *a, const struct gen_trace *b,
		      int64_t shift)
{
	const struct gen_event **sorted_a = gen_trace_sorted(a), **sorted_b = gen_trace_sorted(b);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	size_t i = 0, k = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		/* On a tie the earlier file. */
		bool is_a = k == b->nr_events ||
			    (i < a->nr_events &&
			     (int64_t)sorted_a[i]->key <= (int64_t)sorted_b[k]->key + shift);
		const struct gen_event *want = is_a ? sorted_a[i++] : sorted_b[k++];

		assert_int_equal(event.file, is_a ? 0 : 1);
		assert_int_equal(event.ts, (int64_t)want->ts + (is_a ? 0 : shift));
		assert_memory_equal(event.data, want->payload, want->size);
		if ((i + k) % 101 == 0) {
			bool exact;

			assert_int_equal(trace_rank(trace, event.ref, &exact), i + k - 1);
			assert_int_equal(trace_select(trace, i + k - 1), event.ref);
		}
	}
	assert_int_equal(i + k, a->nr_events + b->nr_events);
	trace_cursor_free(cursor);
	free(sorted_a);
	free(sorted_b);
}

static void test_two_files_on_one_line(void **state)
{
	struct gen_trace *a = plain_trace(10, 2, BASE), *b = plain_trace(11, 3, BASE + 500);
	char first[128], second[128];
	const char *paths[2] = { first, second };
	struct trace_options options = { .nr_workers = 2, .hold_permille = -1 };
	struct trace_offset shifts[2] = { { 0 }, { 0 } };
	struct ft_error err = { 0 };
	struct trace *trace;

	(void)state;
	snprintf(first, sizeof(first), "%s", trace_path_of("t.dat"));
	snprintf(second, sizeof(second), "%s", trace_path_of("u.dat"));
	write_with(first, a, "local", NULL, 0);
	write_with(second, b, "global", NULL, 0);
	trace = trace_open(paths, 2, false, &options, &err);
	assert_non_null(trace);
	assert_int_equal(trace_nr_files(trace), 2);
	assert_int_equal(trace_nr_streams(trace), 5);
	assert_int_equal(trace_nr_cpus(trace), 3);
	trace_wait(trace);
	check_two(trace, a, b, 0);
	trace_close(trace);
	for (unsigned int i = 0; i < 2; i++) {
		shifts[1].by = i ? -1000000000 : 123456;
		options.offsets = shifts;
		trace = trace_open(paths, 2, false, &options, &err);
		assert_non_null(trace);
		trace_wait(trace);
		assert_int_equal(trace_offset(trace, 1).by, shifts[1].by);
		check_two(trace, a, b, shifts[1].by);
		trace_close(trace);
	}
	shifts[0] = (struct trace_offset){ 5, TRACE_UNIT_COUNT };
	assert_null(trace_open(paths, 2, false, &options, &err));
	assert_int_equal(err.code, FT_E_USAGE);
	options.offsets = NULL;

	/* Clocks that have nothing to do with each other are named. */
	write_with(second, b, "x86-tsc", NULL, 0);
	assert_null(trace_open(paths, 2, false, &options, &err));
	assert_int_equal(err.code, FT_E_UNSUPPORTED);
	assert_non_null(strstr(err.message, "local"));
	assert_non_null(strstr(err.message, "x86-tsc"));
	trace = trace_open(paths, 2, true, &options, &err);
	assert_non_null(trace);
	trace_close(trace);

	/* The file that cannot be opened is named. */
	unlink(second);
	assert_null(trace_open(paths, 2, true, &options, &err));
	assert_int_equal(err.code, FT_E_IO);
	assert_non_null(strstr(err.message, "u.dat"));
	gen_trace_free(a);
	gen_trace_free(b);
}

/* Buffers of one file: the top one first on a tie. */
static void test_instances(void **state)
{
	struct gen_options options = {
		.seed = 31, .layout = layout, .nr_cpus = 3, .pages = 10, .features = GEN_ALL
	};
	struct gen_file file = { .version = 7 };
	static const char *const names[] = { "", "foo", "bar" };
	const struct gen_trace *traces[3];
	struct ft_error err = { 0 };
	struct subject s = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++, options.seed++)
		traces[i] = gen_trace_new(&options);
	assert_int_equal(gen_write(trace_path_of("t.dat"), &file, traces, names, 3, &err), 0);
	s.trace = open_path(trace_path_of("t.dat"), 2, -1);
	trace_wait(s.trace);
	oracle_init(&s.oracle, traces, 3, s.trace);
	gen_random_init(&s.random, 1);
	check_all(&s, 60);
	assert_string_equal(trace_stream_info(s.trace, trace_nr_streams(s.trace) - 1).buffer_name,
			    "bar");
	for (int i = 0; i < 3; i++)
		gen_trace_free((struct gen_trace *)traces[i]);
	trace_close(s.trace);
	free(s.oracle.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_date_and_offset),
		cmocka_unit_test(test_wall_time),
		cmocka_unit_test(test_tsc_to_ns),
		cmocka_unit_test(test_time_shift_with_interpolation),
		cmocka_unit_test(test_time_shift_that_jumps_back),
		cmocka_unit_test(test_time_shift_beyond_numbers),
		cmocka_unit_test(test_two_files_on_one_line),
		cmocka_unit_test(test_instances),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
