/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk over the records of made-up traces, beside the list of what was put into them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "src/trace/stream_walk.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/recorded.h"
#include "tests/lib/temp_path.h"

#define CPUS	3
#define PAGES	40u

static struct trace *open_trace(const char *const *paths, unsigned int nr)
{
	struct trace_options options = { .nr_workers = 1, .hold_permille = 0 };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(paths, nr, true, &options, &err);

	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

static struct trace *open_generated(const struct gen_trace *gen, enum trace_compression compression)
{
	struct gen_file file = { .version = 7, .compression = compression, .chunk_pages = 3 };
	struct ft_error err = { 0 };

	if (gen_write(temp_path, &file, &gen, NULL, 1, &err))
		fail_msg("%s", err.message);
	return open_trace((const char *[]){ temp_path }, 1);
}

/* One sub-buffer. */
static void expect_page(struct stream_walk *walk, unsigned int nr, const struct gen_stream *stream,
			uint32_t page, bool native)
{
	const struct gen_page_info *info = &stream->info[page];
	struct record rec = { 0 };

	assert_int_equal(walk->ref, trace_ref_make(nr, page, 0));
	assert_int_equal(walk->sb.lost, info->lost != GEN_LOST_NONE);
	assert_int_equal(walk->sb.lost_count,
			 info->lost == GEN_LOST_COUNTED ? info->lost_count : 0);
	for (uint32_t i = 0; i < info->nr; i++) {
		const struct gen_event *event = &stream->events[info->first + i];

		assert_true(stream_walk_next(walk, &rec, native));
		assert_int_equal(walk->ref, trace_ref_make(nr, page, i + 1));
		assert_int_equal(rec.ts, event->ts);
		assert_int_equal(rec.size, event->size);
		assert_memory_equal(rec.data, event->payload, rec.size);
		assert_int_equal(stream_walk_ts(walk, &rec),
				 event->ts > INT64_MAX ? INT64_MAX : (int64_t)event->ts);
		assert_int_equal(stream_walk_type(walk, &rec, native), event->type);
		assert_int_equal(stream_walk_pid(walk, &rec, native), event->pid);
		assert_int_equal(stream_walk_flags(walk, &rec, native), event->payload[2]);
		assert_true(stream_walk_room(walk, &rec) >= rec.size);
		assert_true(stream_walk_room(walk, &rec) < walk->stream->layout->page_size);
	}
	assert_false(stream_walk_next(walk, &rec, native));
	assert_int_equal(walk->ref, trace_ref_make(nr, page, info->nr));
	assert_int_equal(walk->sb.damage, SUB_BUFFER_SOUND);
}

static void expect_pages(struct stream_walk *walk, unsigned int nr, const struct gen_stream *stream,
			 uint32_t from, uint32_t to, bool native)
{
	for (uint32_t page = from; page < to; page++) {
		assert_true(stream_walk_page(walk));
		expect_page(walk, nr, stream, page, native);
	}
}

/* All of them, a part of them, and single ones here and there, with one walk. */
static void expect_trace(struct trace *trace, const struct gen_trace *gen, uint32_t window,
			 struct gen_random *random)
{
	struct stream_walk walk = { .window_bytes = window };
	struct record rec;

	for (unsigned int nr = 0; nr < trace_nr_streams(trace); nr++) {
		const struct gen_stream *stream = &gen->streams[trace_stream_at(trace, nr)->cpu];
		uint32_t pages = stream->nr_pages;

		stream_walk_begin(&walk, trace, nr, 0, UINT64_MAX);
		assert_ptr_equal(walk.stream, trace_stream_at(trace, nr));
		assert_int_equal(walk.native, !gen->options.layout.big_endian && !HOST_BIG_ENDIAN);
		expect_pages(&walk, nr, stream, 0, pages, walk.native);
		assert_false(stream_walk_page(&walk));
		assert_false(stream_walk_page(&walk));
		stream_walk_begin(&walk, trace, nr, pages / 3, pages / 2);
		expect_pages(&walk, nr, stream, pages / 3, pages / 2, false);
		assert_false(stream_walk_page(&walk));
		stream_walk_begin(&walk, trace, nr, pages, UINT64_MAX);
		assert_false(stream_walk_page(&walk));
		assert_false(stream_walk_next(&walk, &rec, walk.native));
		stream_walk_begin(&walk, trace, nr, 0, UINT64_MAX);
		for (unsigned int k = 0; pages && k < 30; k++) {
			uint32_t page = gen_random_below(random, pages);

			walk.pages.page = page;
			expect_pages(&walk, nr, stream, page,
				     page + 1 + (page + 1 < pages && k % 3 == 0), walk.native);
		}
	}
	stream_walk_end(&walk);
	stream_walk_end(&walk);
}

/* All that a ring buffer may hold, in both byte orders and sizes of long, packed and not. */
static void test_records(void **state)
{
	unsigned int rounds = getenv("FTOP_TEST_LONG") ? 48 : 24;
	struct gen_random random;

	(void)state;
	gen_random_init(&random, 5);
	for (unsigned int round = 0; round < rounds; round++) {
		struct gen_options options = {
			.seed = round + 1,
			.layout = { 4096u << (round % 3), round & 1 ? 4 : 8, round & 2 },
			.features = round < 8 ? GEN_PLAIN :
						GEN_ALL & (uint32_t)gen_random_u64(&random),
			.nr_cpus = CPUS,
			.pages = PAGES
		};
		struct gen_trace *gen = gen_trace_new(&options);
		struct trace *trace = open_generated(gen, round & 4 ? TRACE_ZLIB : TRACE_PLAIN);

		expect_trace(trace, gen, round & 8 ? 0 : 1 + gen_random_below(&random, 70000),
			     &random);
		trace_close(trace);
		gen_trace_free(gen);
	}
}

/* A sub-buffer that says it has more records than there is room for. */
static void test_damaged(void **state)
{
	struct gen_options options = { .seed = 3,
				       .layout = { 4096, 8, false },
				       .features = GEN_PLAIN,
				       .nr_cpus = 1,
				       .pages = 3 };
	struct gen_trace *gen = gen_trace_new(&options);
	const struct gen_stream *stream = &gen->streams[0];
	struct stream_walk walk = { .window_bytes = 0 };
	struct trace *trace;
	struct record rec = { 0 };
	bool native = !HOST_BIG_ENDIAN;

	(void)state;
	/* a length of 0 */
	memset(stream->pages + 4096 + stream->events[stream->info[1].first + 2].offset, 0, 8);
	trace = open_generated(gen, TRACE_PLAIN);
	stream_walk_begin(&walk, trace, 0, 0, UINT64_MAX);
	expect_pages(&walk, 0, stream, 0, 1, native);
	assert_true(stream_walk_page(&walk));
	assert_true(stream_walk_next(&walk, &rec, native));
	assert_true(stream_walk_next(&walk, &rec, native));
	assert_false(stream_walk_next(&walk, &rec, native));
	assert_int_equal(walk.sb.damage, SUB_BUFFER_RECORD);
	assert_int_equal(walk.ref, trace_ref_make(0, 1, 2));
	expect_pages(&walk, 0, stream, 2, 3, native);
	assert_false(stream_walk_page(&walk));
	stream_walk_end(&walk);
	trace_close(trace);
	gen_trace_free(gen);
}

/* The lines of a text, and records of another file besides: as a cursor over all rows has them. */
static void test_files(void **state)
{
	char text[4096], sched[4096];
	struct stream_walk walk = { .window_bytes = 0 };
	struct trace_cursor *cursor;
	struct trace_event expected;
	struct record rec = { 0 };
	struct trace *trace;
	uint64_t rows = 0;

	(void)state;
	assert_true(recorded_path("irqsoff", "trace.dat", text, sizeof(text)));
	assert_true(recorded_path("sched", "trace.dat", sched, sizeof(sched)));
	trace = open_trace((const char *[]){ sched, text, sched }, 3);
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &expected)) {
		unsigned int nr = trace_ref_stream(expected.ref);

		if (expected.kind != TRACE_ROW_EVENT)
			continue;
		rows++;
		stream_walk_begin(&walk, trace, nr, trace_ref_page(expected.ref), UINT64_MAX);
		assert_true(stream_walk_page(&walk));
		do
			assert_true(stream_walk_next(&walk, &rec, walk.native));
		while (walk.ref != expected.ref);
		assert_int_equal(stream_walk_ts(&walk, &rec), expected.ts);
		assert_int_equal(stream_walk_type(&walk, &rec, walk.native), expected.type_id);
		assert_int_equal(stream_walk_pid(&walk, &rec, walk.native), expected.pid);
		assert_int_equal(stream_walk_flags(&walk, &rec, walk.native), expected.flags);
	}
	assert_true(rows > 1000);
	stream_walk_end(&walk);
	trace_cursor_free(cursor);
	trace_close(trace);
}

/* Of few streams each gets what fits into a CPU's cache; many together get no more than some MB. */
static void test_window(void **state)
{
	(void)state;
	assert_int_equal(stream_walk_window(0), 256 << 10);
	assert_int_equal(stream_walk_window(32), 256 << 10);
	assert_int_equal(stream_walk_window(64), 128 << 10);
	assert_int_equal(stream_walk_window(4096), 2 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
