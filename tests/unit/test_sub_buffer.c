/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/source/sub_buffer.h"
#include "tests/lib/page_bytes.h"

static uint8_t page[1 << 20];

/* Runs a check for both byte orders and both sizes of long. */
static void for_each_layout(void (*check)(struct sub_buffer_layout layout))
{
	for (int big = 0; big < 2; big++)
		for (int size = 4; size <= 8; size += 4)
			check(page_bytes_layout(4096, size, big));
}

static void check_all_header_kinds(struct sub_buffer_layout layout)
{
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;

	page_bytes_begin(&b, layout, page, 1000);
	page_bytes_record(&b, 5, 77, 4711, 12);
	page_bytes_extend(&b, (3ull << 27) + 9);
	page_bytes_record(&b, 1, 78, -1, 200); /* more than 112 bytes:
							   length in array[0] */
	page_bytes_discard(&b, 50, 16);
	page_bytes_stamp(&b, 1ull << 40);
	page_bytes_record(&b, 0, 79, 0, 8);
	page_bytes_word(&b, 29, 0);			/* the rest of the page is unused */
	page_bytes_u32(&b, 0xffffffff);
	page_bytes_end(&b, 0, 0);

	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_int_equal(sb.ts, 1000);
	assert_false(sb.lost);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_int_equal(rec.ts, 1005);
	assert_int_equal(rec.size, 12);
	assert_int_equal(rec.offset, layout.data_offset);
	assert_ptr_equal(rec.data, page + layout.data_offset + 4);
	assert_int_equal(load_u16(rec.data, layout.swap), 77);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_int_equal(rec.ts, 1005 + (3ull << 27) + 9 + 1);
	assert_int_equal(rec.size, 200);
	assert_int_equal(load_u16(rec.data, layout.swap), 78);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_int_equal(rec.ts, 1ull << 40);
	assert_int_equal(load_u16(rec.data, layout.swap), 79);
	assert_false(sub_buffer_next(&sb, &rec));
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
}

static void test_all_header_kinds(void **state)
{
	(void)state;
	for_each_layout(check_all_header_kinds);
}

/* A discarded event moves the time of those behind it. */
static void test_discarded_event_counts_its_delta(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(4096, 8, false);
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	page_bytes_begin(&b, layout, page, 0);
	page_bytes_discard(&b, 50, 16);
	page_bytes_record(&b, 7, 1, 1, 8);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_int_equal(rec.ts, 57);
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
}

/*
 * The kernel pads the end of a page with a discarded event that may reach beyond what is committed.
 */
static void test_padding_beyond_the_end_is_the_end(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(4096, 8, false);
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	page_bytes_begin(&b, layout, page, 0);
	page_bytes_record(&b, 0, 1, 1, 8);
	page_bytes_word(&b, 29, 1);
	page_bytes_u32(&b, 4000);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
}

/* Absolute stamps have 59 bits: the rest comes from the page, and a step back there is a wrap. */
static void test_absolute_stamp_keeps_high_bits_and_wraps(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(4096, 8, false);
	uint64_t base = (3ull << 59) + (1ull << 59) - 10;
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	page_bytes_begin(&b, layout, page, base);
	page_bytes_stamp(&b, (base + 5) & ((1ull << 59) - 1));
	page_bytes_record(&b, 0, 1, 1, 8);
	page_bytes_stamp(&b, 3);
	page_bytes_record(&b, 1, 1, 1, 8);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_true(rec.ts == base + 5);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_true(rec.ts == (4ull << 59) + 4);
	/* Without high bits in the running time a step back is what it says. */
	page_bytes_begin(&b, layout, page, 5000);
	page_bytes_stamp(&b, 400);
	page_bytes_record(&b, 0, 1, 1, 8);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_int_equal(rec.ts, 400);
}

static void check_lost(struct sub_buffer_layout layout)
{
	struct page_bytes b;
	struct sub_buffer sb;

	page_bytes_begin(&b, layout, page, 0);
	page_bytes_record(&b, 0, 1, 1, 8);
	page_bytes_end(&b, TRACE_COMMIT_LOST | TRACE_COMMIT_LOST_STORED, 123456);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sb.lost);
	assert_true(sb.lost_known);
	assert_int_equal(sb.lost_count, 123456);
	page_bytes_end(&b, TRACE_COMMIT_LOST, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_true(sb.lost);
	assert_false(sb.lost_known);
	/* Bit 30 alone says nothing. */
	page_bytes_end(&b, TRACE_COMMIT_LOST_STORED, 5);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	assert_false(sb.lost);
}

static void test_lost_events_with_and_without_count(void **state)
{
	(void)state;
	for_each_layout(check_lost);
}

/* A full page has no room for the count, whatever its flag says. */
static void test_lost_count_needs_room(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(512, 8, false);
	struct page_bytes b;
	struct sub_buffer sb;

	(void)state;
	page_bytes_begin(&b, layout, page, 0);
	page_bytes_record(&b, 0, 1, 1, 512 - 16 - 8);
	assert_int_equal(page_bytes_left(&b), 0);
	page_bytes_end(&b, TRACE_COMMIT_LOST, 0);
	page_bytes_put(&b, 8, (uint64_t)(TRACE_COMMIT_LOST | TRACE_COMMIT_LOST_STORED) | (512 - 16),
		       8);
	sub_buffer_open(&sb, &layout, page, 512);
	assert_true(sb.lost);
	assert_false(sb.lost_known);
}

static void test_empty_and_short_pages(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(4096, 8, false);
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	memset(page, 0, 4096);
	sub_buffer_open(&sb, &layout, page, 4096);
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	for (uint32_t len = 0; len < layout.data_offset; len++) {
		sub_buffer_open(&sb, &layout, page, len);
		assert_false(sub_buffer_next(&sb, &rec));
		assert_int_equal(sb.damage, SUB_BUFFER_SHORT);
	}
	sub_buffer_open(&sb, &layout, NULL, 0);
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SHORT);
}

static void test_damage_is_located(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(4096, 8, false);
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	/* A zero word where a record should be. */
	page_bytes_begin(&b, layout, page, 0);
	page_bytes_record(&b, 0, 1, 1, 8);
	page_bytes_u32(&b, 0);
	page_bytes_u32(&b, 0);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, 4096);
	assert_true(sub_buffer_next(&sb, &rec));
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_RECORD);
	assert_int_equal(sb.damage_offset, 16 + 12);
	/* A commit beyond the page: what is inside is walked. */
	page_bytes_begin(&b, layout, page, 0);
	while (page_bytes_left(&b) >= 24)
		page_bytes_record(&b, 1, 1, 1, 20);
	page_bytes_put(&b, 8, 5000, 8);
	sub_buffer_open(&sb, &layout, page, 4096);
	for (int i = 0; i < 170; i++)
		assert_true(sub_buffer_next(&sb, &rec));
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_COMMIT);
	assert_in_range(sb.damage_offset, 4096, 4096);
}

/* However a page is cut, the records before the cut are the same, and no byte behind it is read. */
static void test_cut_at_every_byte(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(512, 8, false);
	struct page_bytes b;
	uint32_t ends[64];
	unsigned int nr = 0;

	(void)state;
	page_bytes_begin(&b, layout, page, 100);
	while (page_bytes_left(&b) >= 40) {
		if (nr % 3 == 1)
			page_bytes_extend(&b, 1ull << 30);
		page_bytes_record(&b, 3, nr, nr, 8 + nr % 4 * 4);
		ends[nr++] = b.pos;
	}
	page_bytes_end(&b, 0, 0);
	for (uint32_t len = 0; len < b.pos; len++) {
		uint8_t *cut = malloc(len ? len : 1); /* of its own, so that a read
							   behind it is noticed */
		struct sub_buffer sb;
		struct record rec;
		unsigned int n = 0;

		memcpy(cut, page, len);
		sub_buffer_open(&sb, &layout, cut, len);
		while (sub_buffer_next(&sb, &rec))
			n++;
		assert_int_equal(sb.damage, SUB_BUFFER_SHORT);
		assert_true(n == 0 || ends[n - 1] <= len);
		assert_true(n == nr || ends[n] > len);
		assert_in_range(sb.damage_offset, 0, len);
		free(cut);
	}
}

/* Any bytes: bounded, ends, and says so. */
static void test_random_bytes(void **state)
{
	uint32_t seed = 12345;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint32_t len = 64 + round % 256;
		struct sub_buffer_layout layout = page_bytes_layout(len, round & 1 ? 8 : 4,
								    round & 2);
		uint8_t *bytes = malloc(len);
		struct sub_buffer sb;
		struct record rec;
		unsigned int n = 0;

		for (uint32_t i = 0; i < len; i++)
			bytes[i] = (seed = seed * 1664525 + 1013904223) >> 24;
		if (round & 4) {	/* a plausible commit word lets the walk begin */
			struct page_bytes b = { .layout = layout, .page = bytes };

			page_bytes_put(&b, 8, len - layout.data_offset, layout.long_size);
		}
		sub_buffer_open(&sb, &layout, bytes, len);
		while (sub_buffer_next(&sb, &rec)) {
			assert_true(rec.data >= bytes && rec.size <= len &&
				    rec.data + rec.size <= bytes + len);
			n++;
		}
		assert_true(n <= len / 4);
		assert_true(sb.damage_offset <= len);
		free(bytes);
	}
}

/* A 1 MiB page of the smallest records: more than 16 bits can count. */
static void test_largest_page(void **state)
{
	struct sub_buffer_layout layout = page_bytes_layout(1 << 20, 8, false);
	struct page_bytes b;
	struct sub_buffer sb;
	struct record rec;
	unsigned int nr = 0, n = 0;

	(void)state;
	page_bytes_begin(&b, layout, page, 0);
	for (; page_bytes_left(&b) >= 12; nr++)
		page_bytes_record(&b, 1, 1, 1, 8);
	page_bytes_end(&b, 0, 0);
	sub_buffer_open(&sb, &layout, page, layout.page_size);
	while (sub_buffer_next(&sb, &rec))
		n++;
	assert_int_equal(n, nr);
	assert_true(n > 65536);
	assert_int_equal(rec.ts, nr);
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_header_kinds),
		cmocka_unit_test(test_discarded_event_counts_its_delta),
		cmocka_unit_test(test_padding_beyond_the_end_is_the_end),
		cmocka_unit_test(test_absolute_stamp_keeps_high_bits_and_wraps),
		cmocka_unit_test(test_lost_events_with_and_without_count),
		cmocka_unit_test(test_lost_count_needs_room),
		cmocka_unit_test(test_empty_and_short_pages),
		cmocka_unit_test(test_damage_is_located),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_largest_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
