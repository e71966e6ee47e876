/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sub_buffer against generated sub-buffers, whose records, stamps and losses are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/source/sub_buffer.h"
#include "tests/lib/gen_trace.h"

static struct sub_buffer_layout layout_of(const struct gen_layout *gen)
{
	return (struct sub_buffer_layout){
		.page_size = gen->page_size, .data_offset = gen_data_offset(gen),
		.commit_offset = 8,
		.long_size = (uint8_t)gen->long_size, .big_endian = gen->big_endian,
		.swap = gen->big_endian != HOST_BIG_ENDIAN,
	};
}

static void check_page(const struct sub_buffer_layout *layout, const struct gen_stream *stream,
		       uint32_t page)
{
	const struct gen_page_info *info = &stream->info[page];
	const uint8_t *bytes = stream->pages + (size_t)page * layout->page_size;
	struct sub_buffer sb;
	struct record rec;
	uint32_t nr = 0;

	sub_buffer_open(&sb, layout, bytes, layout->page_size);
	assert_int_equal(sb.lost, info->lost != GEN_LOST_NONE);
	assert_int_equal(sb.lost_known, info->lost == GEN_LOST_COUNTED);
	if (info->lost == GEN_LOST_COUNTED)
		assert_int_equal(sb.lost_count, info->lost_count);
	for (; sub_buffer_next(&sb, &rec); nr++) {
		const struct gen_event *want = &stream->events[info->first + nr];

		assert_true(nr < info->nr);
		assert_int_equal(rec.ts, want->ts);
		assert_int_equal(rec.offset, want->offset);
		assert_ptr_equal(rec.data, want->payload);
		assert_int_equal(rec.size, want->size);
		assert_int_equal(load_u16(rec.data, layout->swap), want->type);
		if (rec.size >= 8)
			assert_int_equal((int32_t)load_u32(rec.data + 4, layout->swap), want->pid);
	}
	assert_int_equal(nr, info->nr);
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
}

static void check(struct gen_options options)
{
	struct sub_buffer_layout layout = layout_of(&options.layout);
	struct gen_trace *trace = gen_trace_new(&options);

	assert_true(trace->nr_events > 0);
	for (uint32_t i = 0; i < trace->nr_streams; i++)
		for (uint32_t page = 0; page < trace->streams[i].nr_pages; page++)
			check_page(&layout, &trace->streams[i], page);
	gen_trace_free(trace);
}

/*
 * Sizes of sub-buffers from the smallest to 512 KiB, both byte orders and longs, all that may
 * occur.
 */
static void test_all_layouts(void **state)
{
	static const uint32_t sizes[] = { 512, 4096, 8192, 16384, 65536, 524288 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int form = 0; form < 4; form++) {
			const struct gen_options options = {
				.seed = i * 4 + (size_t)form,
				.layout = { sizes[i], form & 1 ? 4 : 8, form & 2 },
				.features = GEN_ALL, .nr_cpus = 2,
				.pages = sizes[i] > 65536 ? 3 : 60,
			};

			check(options);
		}
}

/* Absolute stamps above 2^59: the five bits they lack, and the carry into them. */
static void test_stamps_that_wrap(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		const struct gen_options options = {
			.seed = seed, .layout = { 4096, seed & 1 ? 4 : 8, seed & 2 },
			.features = GEN_WRAP | GEN_ABSOLUTE | GEN_EXTEND | GEN_DISCARDED |
			GEN_LONG_FORM, .nr_cpus = 1,
			.pages = 40,
		};

		check(options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_layouts),
		cmocka_unit_test(test_stamps_that_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
